"""Say what the difference between two engines' layers of one row comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.comparison import HELPERS, Member
from trexreport.analyzer.reformats import is_reformat, only_moves_data

#: Structural change of a row to the cause of its difference, in order of precedence.
_CAUSE_OF_CHANGE = (
    ("retyped", "precision changed"),
    ("fused", "fused"),
    ("split", "split"),
    ("new tactic", "tactic changed"),
)

#: Of fewer iterations the percentiles tell little of how times vary.
_FEWEST_ITERATIONS = 20


class Part:
    """The layers of one engine in a row.

    Attributes:
        computing: Layers that compute.
        helping: Those that help them, by what they are: see `HELPERS`.
        time_ms: Sum of their times; None if none was measured.
        spread_ms: By how much that sum varies between iterations at most: half of the way from the 10th to
            the 90th percentile of each layer, as if all were slow in the same iterations. None where the
            times of too few iterations are known.
        causes: What the difference from the baseline comes from; each layer of both stands once. Empty for
            the baseline itself.
    """

    def __init__(self, row: AlignedRow, engine: int, analysis: Analysis) -> None:
        layers = analysis.layers
        self.computing = [layers[index] for index in row.layers[engine]]
        helpers = [layers[index] for index in row.helpers[engine]]
        self.helping: dict[str, list[LayerFacts]] = {}
        for layer in helpers:
            self.helping.setdefault(_kind(layer), []).append(layer)
        self.all = [*self.computing, *helpers]
        self.is_complete = all(layer.avg_ms is not None or layer.structural for layer in self.all)
        times = [layer.avg_ms for layer in self.all if layer.avg_ms is not None]
        self.time_ms = math.fsum(times) if times else None
        iterations = analysis.latency.profiled_iterations or 0
        self.spread_ms = _spread_ms(self.all) if iterations >= _FEWEST_ITERATIONS else None
        self.causes: dict[str, Change] = {}

    def members(self) -> list[Member]:
        """Return the layers as the result shows them."""
        return [
            Member(
                layer.index,
                layer.name,
                layer.type,
                layer.precision,
                layer.output_precision,
                layer.tactic,
                layer.avg_ms,
                helps=place >= len(self.computing),
            )
            for place, layer in enumerate(self.all)
        ]


class Change(NamedTuple):
    """The layers of a row whose times differ for one reason."""

    ours: list[LayerFacts]
    theirs: list[LayerFacts]
    difference_ms: float


def parts_of_rows(alignment: Alignment, analyses: Sequence[Analysis]) -> list[list[Part]]:
    """Return the part of each row that each engine runs, with what its difference comes from."""
    found = []
    for row in alignment.rows:
        parts = [Part(row, engine, analysis) for engine, analysis in enumerate(analyses)]
        for engine, part in enumerate(parts):
            if engine != alignment.baseline:
                part.causes = _causes(row.changes[engine], part, parts[alignment.baseline])
        found.append(parts)
    return found


def _causes(changes: Sequence[str], ours: Part, theirs: Part) -> dict[str, Change]:
    found = {}
    if ours.computing or theirs.computing:
        change = _change(ours.computing, theirs.computing)
        found[_cause(changes, ours, theirs, change.difference_ms)] = change
    for name in HELPERS if ours.helping or theirs.helping else ():
        change = _change(ours.helping.get(name, []), theirs.helping.get(name, []))
        if change.ours or change.theirs:
            more = len(change.ours) - len(change.theirs)
            found[f"{name} {_direction(change.difference_ms, more)}"] = change
    return found


def _change(ours: list[LayerFacts], theirs: list[LayerFacts]) -> Change:
    return Change(ours, theirs, difference(ours, theirs))


def _cause(changes: Sequence[str], ours: Part, theirs: Part, difference_ms: float) -> str:
    """Return the first of the causes that applies to the layers that compute."""
    if not ours.is_complete or not theirs.is_complete:
        return "not measured in full"
    for change in ("only here", "missing"):
        if change in changes:
            return change
    if _have_other_shapes(ours.computing, theirs.computing):
        return "other shapes"
    for change, cause in _CAUSE_OF_CHANGE:
        if change in changes:
            return cause
    return f"same layers {_direction(difference_ms, 0)}"


def _spread_ms(layers: Iterable[LayerFacts]) -> float | None:
    halves = []
    for layer in layers:
        if layer.avg_ms:
            if layer.spread_ms is None:
                return None
            tenth, _, ninetieth, _ = layer.spread_ms
            halves.append((ninetieth - tenth) / 2)
    return math.fsum(halves)


def _kind(layer: LayerFacts) -> str:
    if is_reformat(layer) or only_moves_data(layer):
        return "reformats"
    return "no-ops" if layer.structural else "quantizers"


def _direction(change_ms: float, more: int) -> str:
    if more:
        return "added" if more > 0 else "removed"
    if not change_ms:
        return "unchanged"
    return "slower" if change_ms > 0 else "faster"


def _have_other_shapes(ours: Sequence[LayerFacts], theirs: Sequence[LayerFacts]) -> bool:
    """Tell whether no result of one has as many elements as any of the other."""
    one, other = _sizes(ours), _sizes(theirs)
    return bool(one and other) and one.isdisjoint(other)


def _sizes(layers: Iterable[LayerFacts]) -> set[int]:
    shapes = [use.dimensions for layer in layers for use in layer.outputs]
    return {math.prod(shape) for shape in shapes if shape and min(shape) >= 0}


def difference(ours: Iterable[LayerFacts], theirs: Iterable[LayerFacts]) -> float:
    """Return the difference of two sums of times, rounded once, so that the other way round mirrors it."""
    return math.fsum(
        [
            *(layer.avg_ms for layer in ours if layer.avg_ms is not None),
            *(-layer.avg_ms for layer in theirs if layer.avg_ms is not None),
        ]
    )

"""The causes of the difference between two engines' layers of one row."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple, cast

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment, Change
from trexreport.analyzer.analysis.compared_rows import HELPERS, Cause, Helper, Member
from trexreport.analyzer.grouping import group_by, sum_known
from trexreport.analyzer.reformats import is_reformat, only_moves_data
from trexreport.numbers import without_noise

#: Structural changes of a row that are causes of its difference, in order of precedence.
_STRUCTURAL: tuple[Cause, ...] = ("precision changed", "fused", "split", "tactic changed")
#: Percentiles of fewer iterations show little of how times vary.
_MIN_ITERATIONS = 20


class Part:
    """The layers of one engine in a row.

    Attributes:
        computing: Layers that compute.
        helping: Those that serve them, by what they are.
        time_ms: Sum of their times; None if none was measured.
        spread_ms: By how much that sum varies between iterations at most: half of the way from the 10th to
            the 90th percentile of each layer, as if all were slow in the same iterations. None where the
            times of too few iterations are known.
        causes: What the difference from the baseline comes from; each layer of both counts once. Empty for
            the baseline itself.
    """

    def __init__(self, row: AlignedRow, engine: int, analysis: Analysis) -> None:
        layers = analysis.layers
        self.computing = [layers[index] for index in row.layers[engine]]
        self.helping: dict[Helper, list[LayerFacts]] = {}
        self.all = self.computing
        if row.helpers[engine]:
            helpers = [layers[index] for index in row.helpers[engine]]
            self.helping = group_by(helpers, _kind)
            self.all = [*self.computing, *helpers]
        times = [layer.avg_ms for layer in self.all]
        self.is_complete = None not in times or all(
            layer.structural for layer in self.all if layer.avg_ms is None
        )
        # As of most rows.
        self.time_ms = times[0] if len(times) == 1 else sum_known(times)
        iterations = analysis.latency.profiled_iterations or 0
        self.spread_ms = _spread_ms(self.all) if iterations >= _MIN_ITERATIONS else None
        self.causes: dict[Cause, CausedChange] = {}

    def members(self) -> list[Member]:
        """Return the layers as members of a row."""
        return [
            Member(
                layer.index,
                layer.name,
                layer.type,
                layer.precision,
                layer.output_precision,
                layer.tactic,
                layer.avg_ms,
                place >= len(self.computing),
            )
            for place, layer in enumerate(self.all)
        ]


class CausedChange(NamedTuple):
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


def _causes(changes: Sequence[Change], ours: Part, theirs: Part) -> dict[Cause, CausedChange]:
    found: dict[Cause, CausedChange] = {}
    if ours.computing or theirs.computing:
        change = _change(ours.computing, theirs.computing)
        found[_cause(changes, ours, theirs, change.difference_ms)] = change
    for name in HELPERS if ours.helping or theirs.helping else ():
        change = _change(ours.helping.get(name, []), theirs.helping.get(name, []))
        if change.ours or change.theirs:
            more = len(change.ours) - len(change.theirs)
            found[cast("Cause", f"{name} {_direction(change.difference_ms, more)}")] = change
    return found


def _change(ours: list[LayerFacts], theirs: list[LayerFacts]) -> CausedChange:
    return CausedChange(ours, theirs, difference(ours, theirs))


def _cause(changes: Sequence[Change], ours: Part, theirs: Part, difference_ms: float) -> Cause:
    """Return the first of the causes that applies to the layers that compute."""
    if not ours.is_complete or not theirs.is_complete:
        return "not fully measured"
    one_sided: tuple[Cause, ...] = ("candidate only", "baseline only")
    for cause in one_sided:
        if cause in changes:
            return cause
    if _have_different_shapes(ours.computing, theirs.computing):
        return "different shapes"
    for cause in _STRUCTURAL:
        if cause in changes:
            return cause
    return cast("Cause", f"same layers {_direction(difference_ms, 0)}")


def _spread_ms(layers: Iterable[LayerFacts]) -> float | None:
    halves = []
    for layer in layers:
        if layer.avg_ms:
            if layer.spread_ms is None:
                return None
            tenth, _, ninetieth, _ = layer.spread_ms
            halves.append((ninetieth - tenth) / 2)
    return math.fsum(halves)


def _kind(layer: LayerFacts) -> Helper:
    if is_reformat(layer) or only_moves_data(layer):
        return "reformats"
    return "no-ops" if layer.structural else "quantizers"


def _direction(change_ms: float, more: int) -> str:
    # Fewer layers that take more time, as of a wait among them, are not removed ones.
    if more and more * change_ms >= 0:
        return "added" if more > 0 else "removed"
    if not change_ms:
        return "unchanged"
    return "slower" if change_ms > 0 else "faster"


def _have_different_shapes(ours: Sequence[LayerFacts], theirs: Sequence[LayerFacts]) -> bool:
    """Return whether no result of one has as many elements as any of the other."""
    shapes = [[use.dimensions for layer in layers for use in layer.outputs] for layers in (ours, theirs)]
    if shapes[0] == shapes[1]:
        return False
    one, other = (_sizes(each) for each in shapes)
    return bool(one and other) and one.isdisjoint(other)


def _sizes(shapes: Iterable[Sequence[int]]) -> set[int]:
    return {math.prod(shape) for shape in shapes if shape and min(shape) >= 0}


def difference(ours: Iterable[LayerFacts], theirs: Iterable[LayerFacts]) -> float:
    """Return the difference of the times of some layers; see `difference_of_times`."""
    added = [layer.avg_ms for layer in ours if layer.avg_ms is not None]
    removed = [layer.avg_ms for layer in theirs if layer.avg_ms is not None]
    return difference_of_times(added, removed)


def difference_of_times(added: Sequence[float], removed: Sequence[float]) -> float:
    """Return the difference of two sums of times; 0 where it is rounding noise.

    It is rounded once, so that swapping the sides mirrors it.
    """
    if len(added) == len(removed) == 1:
        # As of most rows.
        return without_noise(added[0] - removed[0], added[0], removed[0])
    exact = math.fsum((*added, *(-time for time in removed)))
    return without_noise(exact, math.fsum(added), math.fsum(removed))

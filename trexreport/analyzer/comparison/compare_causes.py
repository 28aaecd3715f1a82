"""Say what the difference between two engines' layers of one row comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow
from trexreport.analyzer.analysis.comparison import HELPERS, Member
from trexreport.analyzer.reformats import is_reformat, only_moves_data

#: Structural change of a row to the cause of its difference, in order of precedence.
_CAUSE_OF_CHANGE = (
    ("retyped", "precision changed"),
    ("fused", "fused"),
    ("split", "split"),
    ("new tactic", "tactic changed"),
)


class Part:
    """The layers of one engine in a row.

    Attributes:
        computing: Layers that compute.
        helping: Those that help them, by what they are: see `HELPERS`.
    """

    def __init__(self, row: AlignedRow, engine: int, layers: Sequence[LayerFacts]) -> None:
        self.computing = [layers[index] for index in row.layers[engine]]
        helpers = [layers[index] for index in row.helpers[engine]]
        self.helping: dict[str, list[LayerFacts]] = {name: [] for name in HELPERS}
        for layer in helpers:
            self.helping[_kind(layer)].append(layer)
        self.all = [*self.computing, *helpers]
        self.is_complete = all(layer.time_ms is not None or layer.structural for layer in self.all)

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
                layer.time_ms,
                helps=place >= len(self.computing),
            )
            for place, layer in enumerate(self.all)
        ]


class Change(NamedTuple):
    """The layers of a row whose times differ for one reason."""

    ours: list[LayerFacts]
    theirs: list[LayerFacts]

    @property
    def difference_ms(self) -> float:
        """What comes from it."""
        return difference(self.ours, self.theirs)


def causes(changes: Sequence[str], ours: Part, theirs: Part) -> dict[str, Change]:
    """Return what the difference of a row comes from; each of its layers stands once."""
    found = {}
    if ours.computing or theirs.computing:
        found[_cause(changes, ours, theirs)] = Change(ours.computing, theirs.computing)
    for name in HELPERS:
        change = Change(ours.helping[name], theirs.helping[name])
        if change.ours or change.theirs:
            more = len(change.ours) - len(change.theirs)
            found[f"{name} {_direction(change.difference_ms, more)}"] = change
    return found


def _cause(changes: Sequence[str], ours: Part, theirs: Part) -> str:
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
    return f"same layers {_direction(difference(ours.computing, theirs.computing), 0)}"


def _kind(layer: LayerFacts) -> str:
    if is_reformat(layer) or only_moves_data(layer):
        return "reformats"
    return "no-ops" if layer.structural else "quantisers"


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
            *(layer.time_ms for layer in ours if layer.time_ms is not None),
            *(-layer.time_ms for layer in theirs if layer.time_ms is not None),
        ]
    )

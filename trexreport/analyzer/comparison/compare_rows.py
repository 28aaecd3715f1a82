"""Hold the times of aligned rows against each other, and say what each difference comes from."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.comparison import HELPERS, ComparedRow, Member, RowSide
from trexreport.analyzer.reformats import is_reformat, only_moves_data

#: Differences that events can't resolve. Source: cudaEventElapsedTime in the CUDA runtime API.
_RESOLUTION_MS = 0.0005
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


@dataclass(frozen=True)
class _Sides:
    """What rows are made from.

    Attributes:
        noise_percent: By how much a longer time must exceed a shorter one to count.
    """

    analyses: Sequence[Analysis]
    baseline: int
    noise_percent: float

    def row(self, row: AlignedRow, place: int, module: str) -> ComparedRow:
        """Return a row with what differs from the baseline."""
        parts = [Part(row, engine, analysis.layers) for engine, analysis in enumerate(self.analyses)]
        sides = [
            RowSide(part.members(), keys, _time(part.all)) for part, keys in zip(parts, row.keys, strict=True)
        ]
        for engine, (part, side) in enumerate(zip(parts, sides, strict=True)):
            if engine != self.baseline:
                side.changes = row.changes[engine]
                if part.all or parts[self.baseline].all:
                    self._hold_against(engine, side, part, parts[self.baseline])
        named = parts[self.baseline].computing or next(part.computing for part in parts if part.computing)
        dearest = max(named, key=lambda layer: (layer.time_ms or 0.0, -layer.index))
        return ComparedRow(dearest.name, len(named) - 1, module, place, sides, cut=row.cut)

    def _hold_against(self, engine: int, side: RowSide, ours: Part, theirs: Part) -> None:
        """Fill in how a side's time differs from the baseline's."""
        one_sided = "only here" if not theirs.computing else "missing" if not ours.computing else ""
        side.mark = one_sided or "unknown"
        if any(self.analyses[each].latency.layer_sum_ms is None for each in (engine, self.baseline)):
            return
        found = {cause: each.difference_ms for cause, each in causes(side.changes, ours, theirs).items()}
        side.causes = {cause: change for cause, change in found.items() if change}
        if not (ours.is_complete and theirs.is_complete):
            return
        side.difference_ms = difference(ours.all, theirs.all)
        before, after = _time(theirs.all) or 0.0, _time(ours.all) or 0.0
        if before and not one_sided:
            side.ratio = after / before
        side.mark = one_sided or self._mark(before, after)

    def _mark(self, before: float, after: float) -> str:
        shorter, longer = sorted((before, after))
        if longer - shorter <= _RESOLUTION_MS or longer < shorter * (1 + self.noise_percent / 100):
            return "same"
        return "slower" if after > before else "faster"


def compare_rows(
    alignment: Alignment, analyses: Sequence[Analysis], modules: Sequence[str], noise_percent: float
) -> list[ComparedRow]:
    """Return the rows in the alignment's order, each with what differs from the baseline.

    Args:
        alignment: Of the analyses.
        analyses: Of all engines.
        modules: Path of each row.
        noise_percent: By how much a longer time must exceed a shorter one to count.
    """
    sides = _Sides(analyses, alignment.baseline, noise_percent)
    return [
        sides.row(row, place, module)
        for place, (row, module) in enumerate(zip(alignment.rows, modules, strict=True))
    ]


def in_order(rows: Sequence[ComparedRow]) -> list[int]:
    """Return the positions of the rows, the largest differences first."""
    sizes = [max((abs(side.difference_ms or 0.0) for side in row.sides), default=0.0) for row in rows]
    return sorted(range(len(rows)), key=lambda at: (-sizes[at], at))


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


def _time(layers: Iterable[LayerFacts]) -> float | None:
    times = [layer.time_ms for layer in layers if layer.time_ms is not None]
    return math.fsum(times) if times else None


def difference(ours: Iterable[LayerFacts], theirs: Iterable[LayerFacts]) -> float:
    """Return the difference of two sums of times, rounded once, so that the other way round mirrors it."""
    return math.fsum(
        [
            *(layer.time_ms for layer in ours if layer.time_ms is not None),
            *(-layer.time_ms for layer in theirs if layer.time_ms is not None),
        ]
    )

"""Compare the times of aligned rows, and divide the difference of the totals into steps that add up to it."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import MISSING_ROWS, NOT_STATED, Analysis, LayerFacts
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.compared_rows import Cause, ComparedRow, RowSide, RowStatus
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.analysis.waterfall import LayerSteps, Step, Waterfall, WaterfallKind
from trexreport.analyzer.comparison.compare_causes import Part, difference, difference_of_times
from trexreport.analyzer.module_paths import Path
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import without_noise

#: Differences that events can't resolve. Source: cudaEventElapsedTime in the CUDA runtime API.
_RESOLUTION_MS = 0.0005

#: The layers of one step: the baseline's and the candidate's.
Pair = tuple[list[LayerFacts], list[LayerFacts]]


@dataclass(frozen=True)
class _Sides:
    """What rows are compared by; `measured` says of each engine whether its layers are."""

    measured: Sequence[bool]
    baseline: int
    settings: VerdictSettings

    def row(
        self, row: AlignedRow, parts: Sequence[Part], position: int, module: str, block: str
    ) -> ComparedRow:
        """Return a row with what differs from the baseline."""
        named = parts[self.baseline].computing or next(part.computing for part in parts if part.computing)
        slowest = named[0]
        if len(named) > 1:
            slowest = max(named, key=lambda layer: (layer.avg_ms or 0.0, -layer.index))
        sides = [self._side(row, parts, engine) for engine in range(len(parts))]
        return ComparedRow(slowest.name, len(named) - 1, module, block, position, sides, row.cut)

    def _side(self, row: AlignedRow, parts: Sequence[Part], engine: int) -> RowSide:
        """Return what an engine does in a row, and how its time differs from the baseline's."""
        ours, theirs = parts[engine], parts[self.baseline]
        members, keys, time_ms = ours.members(), row.keys[engine], ours.time_ms
        if engine == self.baseline:
            return RowSide(members, keys, time_ms)
        changes = row.changes[engine]
        if not (ours.all or theirs.all):
            return RowSide(members, keys, time_ms, changes=changes)
        one_sided: RowStatus | None = (
            "candidate only" if not theirs.computing else "baseline only" if not ours.computing else None
        )
        is_measured = self.measured[engine] and self.measured[self.baseline]
        causes = _differing(ours) if is_measured else {}
        if not (is_measured and ours.is_complete and theirs.is_complete):
            status = one_sided or "unknown"
            return RowSide(members, keys, time_ms, status=status, changes=changes, causes=causes)
        before, after = theirs.time_ms or 0.0, ours.time_ms or 0.0
        return RowSide(
            members,
            keys,
            time_ms,
            difference(ours.all, theirs.all),
            after / before if before and not one_sided else None,
            one_sided or self._status(ours, theirs, before, after),
            changes,
            causes,
        )

    def _status(self, ours: Part, theirs: Part, before_ms: float, after_ms: float) -> RowStatus:
        noise_ms = max(self._noise_ms(ours, theirs, min(before_ms, after_ms)), _RESOLUTION_MS)
        if abs(after_ms - before_ms) <= noise_ms:
            return "within noise"
        return "slower" if after_ms > before_ms else "faster"

    def _noise_ms(self, ours: Part, theirs: Part, shorter_ms: float) -> float:
        """Return the difference of two times that may be chance.

        Where single iterations are known, the middle 80% of both must lie apart, and by the minimum effect.
        """
        if ours.spread_ms is None or theirs.spread_ms is None:
            return shorter_ms * self.settings.noise_percent / 100
        least_ms = shorter_ms * self.settings.minimum_effect_percent / 100
        return max(ours.spread_ms + theirs.spread_ms, least_ms)


def _differing(part: Part) -> dict[Cause, float]:
    return {name: change.difference_ms for name, change in part.causes.items() if change.difference_ms}


def compare_rows(
    alignment: Alignment,
    parts: Sequence[Sequence[Part]],
    analyses: Sequence[Analysis],
    paths: Sequence[Path],
    blocks: Sequence[str],
    *,
    settings: VerdictSettings,
) -> list[ComparedRow]:
    """Return the rows in the alignment's order, each with what differs from the baseline.

    Args:
        alignment: Of the analyses.
        parts: Of each row and engine.
        analyses: Of all engines.
        paths: Module of each row.
        blocks: Block of each row.
        settings: By how much times must differ to count.
    """
    measured = [analysis.latency.layer_sum_ms is not None for analysis in analyses]
    sides = _Sides(measured, alignment.baseline, settings)
    return [
        sides.row(row, of_engines, position, "/".join(path), block)
        for position, (row, of_engines, path, block) in enumerate(
            zip(alignment.rows, parts, paths, blocks, strict=True)
        )
    ]


def in_order(rows: Sequence[ComparedRow]) -> list[int]:
    """Return the positions of the rows, the largest differences first."""
    sizes = [max([abs(side.difference_ms or 0.0) for side in row.sides], default=0.0) for row in rows]
    return sorted(range(len(rows)), key=lambda at: (-sizes[at], at))


def waterfalls(
    alignment: Alignment,
    parts: Sequence[Sequence[Part]],
    blocks: Sequence[str],
    unlisted_ms: Sequence[float],
    steps_of: Sequence[Mapping[WaterfallKind, LayerSteps]],
    *,
    engine: int,
) -> list[Waterfall]:
    """Return the ways from the baseline's total layer time to an engine's, in the order of `WATERFALLS`.

    Args:
        alignment: Of the engines.
        parts: Of each row and engine; some layers of both engines are measured.
        blocks: Name of each row's block.
        unlisted_ms: Of each engine the time of layers whose rows its profile lacks: a step of its own.
        steps_of: Of each engine, the steps of its layers by what its ONNX model states.
        engine: Index of the candidate.
    """
    pair = alignment.baseline, engine
    before, after = ([layer for of_engines in parts for layer in of_engines[each].all] for each in pair)
    sides = before, after
    blocks_of = [
        [block for of_engines, block in zip(parts, blocks, strict=True) for _ in of_engines[each].all]
        for each in pair
    ]
    steps: dict[WaterfallKind, list[Step]] = {
        "type": _steps(_grouped(sides, [[layer.type for layer in side] for side in sides])),
        "output precision": _steps(
            _grouped(sides, [[layer.output_precision for layer in side] for side in sides])
        ),
        "block": _steps(_grouped(sides, blocks_of)),
        "cause": _steps(_by_cause(parts, engine)),
    }
    ends = steps_of[alignment.baseline], steps_of[engine]
    for by in ends[0]:
        if by in ends[1]:
            names = [
                [end[by].names[end[by].layers[layer.index]] for layer in side]
                for side, end in zip(sides, ends, strict=True)
            ]
            steps[by] = _steps(_grouped(sides, names))
    unlisted = unlisted_ms[alignment.baseline], unlisted_ms[engine]
    start, end = (
        math.fsum((*_times(of_side), more_ms))
        for of_side, more_ms in zip((before, after), unlisted, strict=True)
    )
    change = difference(after, before)
    if any(unlisted):
        missing = Step(MISSING_ROWS, without_noise(unlisted[1] - unlisted[0], *unlisted), *unlisted, 0, 0)
        steps = {by: _ordered([*found, missing]) for by, found in steps.items()}
        change = without_noise(end - start, start, end)
    return [Waterfall(by, start, end, change, found) for by, found in steps.items()]


def _grouped(sides: Pair, names: Sequence[Sequence[str]]) -> dict[str, Pair]:
    """Group the layers of both sides by their names."""
    groups: dict[str, Pair] = {name or NOT_STATED: ([], []) for of_side in names for name in {*of_side}}
    for at, (layers, of_layers) in enumerate(zip(sides, names, strict=True)):
        for layer, name in zip(layers, of_layers, strict=True):
            groups[name or NOT_STATED][at].append(layer)
    return groups


def _by_cause(parts: Sequence[Sequence[Part]], engine: int) -> dict[str, Pair]:
    groups: dict[str, Pair] = {}
    for of_engines in parts:
        for cause, change in of_engines[engine].causes.items():
            before, after = groups.setdefault(cause, ([], []))
            before += change.theirs
            after += change.ours
    return groups


def _steps(groups: dict[str, Pair]) -> list[Step]:
    """Return the steps; groups in which nothing was measured on either side are none."""
    steps = []
    for name, (before, after) in groups.items():
        start, end = _times(before), _times(after)
        if any(start) or any(end):
            change = difference_of_times(end, start)
            steps.append(Step(name, change, math.fsum(start), math.fsum(end), _count(before), _count(after)))
    return _ordered(steps)


def _ordered(steps: Iterable[Step]) -> list[Step]:
    return sorted(steps, key=lambda step: (-abs(step.difference_ms), step.name))


def _times(layers: Iterable[LayerFacts]) -> list[float]:
    return [layer.avg_ms for layer in layers if layer.avg_ms is not None]


def _count(layers: Iterable[LayerFacts]) -> int:
    return len([layer for layer in layers if not layer.structural or layer.avg_ms])

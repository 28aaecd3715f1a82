"""Compare the times of aligned rows."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.compared_rows import Cause, ComparedRow, RowSide, RowStatus
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.blocks.module_paths import Path
from trexreport.analyzer.comparison.compare_causes import Part, difference
from trexreport.lazy_dataclass import dataclass

#: Differences that events can't resolve. Source: cudaEventElapsedTime in the CUDA runtime API.
_RESOLUTION_MS = 0.0005


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

"""Hold the times of aligned rows against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.comparison import ComparedRow, RowSide
from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.blocks.module_paths import Path
from trexreport.analyzer.comparison.compare_causes import Part, difference

#: Differences that events can't resolve. Source: cudaEventElapsedTime in the CUDA runtime API.
_RESOLUTION_MS = 0.0005


@dataclass(frozen=True)
class _Sides:
    """What rows are made from."""

    analyses: Sequence[Analysis]
    baseline: int
    settings: VerdictSettings

    def row(self, row: AlignedRow, parts: Sequence[Part], place: int, module: str) -> ComparedRow:
        """Return a row with what differs from the baseline."""
        sides = [
            RowSide(part.members(), keys, part.time_ms) for part, keys in zip(parts, row.keys, strict=True)
        ]
        for engine, (part, side) in enumerate(zip(parts, sides, strict=True)):
            if engine != self.baseline:
                side.changes = row.changes[engine]
                if part.all or parts[self.baseline].all:
                    self._hold_against(engine, side, part, parts[self.baseline])
        named = parts[self.baseline].computing or next(part.computing for part in parts if part.computing)
        dearest = max(named, key=lambda layer: (layer.avg_ms or 0.0, -layer.index))
        return ComparedRow(dearest.name, len(named) - 1, module, place, sides, cut=row.cut)

    def _hold_against(self, engine: int, side: RowSide, ours: Part, theirs: Part) -> None:
        """Fill in how a side's time differs from the baseline's."""
        one_sided = "only here" if not theirs.computing else "missing" if not ours.computing else ""
        side.mark = one_sided or "unknown"
        if any(self.analyses[each].latency.layer_sum_ms is None for each in (engine, self.baseline)):
            return
        side.causes = {
            cause: change.difference_ms for cause, change in ours.causes.items() if change.difference_ms
        }
        if not (ours.is_complete and theirs.is_complete):
            return
        side.difference_ms = difference(ours.all, theirs.all)
        before, after = theirs.time_ms or 0.0, ours.time_ms or 0.0
        if before and not one_sided:
            side.ratio = after / before
        noise_ms = max(self._noise_ms(ours, theirs, min(before, after)), _RESOLUTION_MS)
        changed = "slower" if after > before else "faster"
        side.mark = one_sided or ("same" if abs(after - before) <= noise_ms else changed)

    def _noise_ms(self, ours: Part, theirs: Part, shorter_ms: float) -> float:
        """Return the difference of two times that may be chance.

        Where single iterations are known, the middle 80 % of both must lie apart, and by the minimum effect.
        """
        if ours.spread_ms is None or theirs.spread_ms is None:
            return shorter_ms * self.settings.noise_percent / 100
        least_ms = shorter_ms * self.settings.minimum_effect_percent / 100
        return max(ours.spread_ms + theirs.spread_ms, least_ms)


def compare_rows(
    alignment: Alignment,
    parts: Sequence[Sequence[Part]],
    analyses: Sequence[Analysis],
    paths: Sequence[Path],
    *,
    settings: VerdictSettings,
) -> list[ComparedRow]:
    """Return the rows in the alignment's order, each with what differs from the baseline.

    Args:
        alignment: Of the analyses.
        parts: Of each row and engine.
        analyses: Of all engines.
        paths: Module of each row.
        settings: By how much times must differ to count.
    """
    sides = _Sides(analyses, alignment.baseline, settings)
    return [
        sides.row(row, of_engines, place, "/".join(path))
        for place, (row, of_engines, path) in enumerate(zip(alignment.rows, parts, paths, strict=True))
    ]


def in_order(rows: Sequence[ComparedRow]) -> list[int]:
    """Return the positions of the rows, the largest differences first."""
    sizes = [max((abs(side.difference_ms or 0.0) for side in row.sides), default=0.0) for row in rows]
    return sorted(range(len(rows)), key=lambda at: (-sizes[at], at))

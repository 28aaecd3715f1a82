"""Hold the times of aligned rows against each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.alignment import AlignedRow, Alignment
from trexreport.analyzer.analysis.comparison import ComparedRow, RowSide
from trexreport.analyzer.blocks.module_paths import Path
from trexreport.analyzer.comparison.compare_causes import Part, difference

#: Differences that events can't resolve. Source: cudaEventElapsedTime in the CUDA runtime API.
_RESOLUTION_MS = 0.0005


@dataclass(frozen=True)
class _Sides:
    """What rows are made from.

    Attributes:
        noise_percent: By how much a longer time must exceed a shorter one to count.
    """

    analyses: Sequence[Analysis]
    baseline: int
    noise_percent: float

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
        dearest = max(named, key=lambda layer: (layer.time_ms or 0.0, -layer.index))
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
        side.mark = one_sided or self._mark(before, after)

    def _mark(self, before: float, after: float) -> str:
        shorter, longer = sorted((before, after))
        if longer - shorter <= _RESOLUTION_MS or longer < shorter * (1 + self.noise_percent / 100):
            return "same"
        return "slower" if after > before else "faster"


def compare_rows(
    alignment: Alignment,
    parts: Sequence[Sequence[Part]],
    analyses: Sequence[Analysis],
    paths: Sequence[Path],
    *,
    noise_percent: float,
) -> list[ComparedRow]:
    """Return the rows in the alignment's order, each with what differs from the baseline.

    Args:
        alignment: Of the analyses.
        parts: Of each row and engine.
        analyses: Of all engines.
        paths: Module of each row.
        noise_percent: By how much a longer time must exceed a shorter one to count.
    """
    sides = _Sides(analyses, alignment.baseline, noise_percent)
    return [
        sides.row(row, of_engines, place, "/".join(path))
        for place, (row, of_engines, path) in enumerate(zip(alignment.rows, parts, paths, strict=True))
    ]


def in_order(rows: Sequence[ComparedRow]) -> list[int]:
    """Return the positions of the rows, the largest differences first."""
    sizes = [max((abs(side.difference_ms or 0.0) for side in row.sides), default=0.0) for row in rows]
    return sorted(range(len(rows)), key=lambda at: (-sizes[at], at))

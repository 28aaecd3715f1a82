"""What it means that all layers take longer alike: the GPU was in another state, not another engine."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.numbers import format_number

#: How many rows there are at least, and which part of the candidate's time they take.
_LEAST_ROWS, _LEAST_PART = 10, 0.8
#: How far all layers differ at least, and how far the slowest and fastest tenth may be from the middle.
_LEAST_RATIO, _EVEN = 1.1, 1.15
_TENTH = 0.1


def evenly_changed(comparison: Comparison, index: int) -> str:
    """Return that all layers of an engine differ alike from the baseline's; nothing where they do not.

    Args:
        comparison: The comparison.
        index: Of the engine.
    """
    baseline, engine = comparison.engines[comparison.baseline], comparison.engines[index]
    if len({each.identity.gpu for each in (baseline, engine)} - {""}) > 1:
        return ""
    batches = baseline.identity.batch, engine.identity.batch
    items = batches[1] / batches[0] if batches[0] and batches[1] else 1.0
    reasons = engine.verdict.reasons if engine.verdict else ()
    if any(reason.code == "unknown-work" for reason in reasons):
        return ""
    pairs = []
    for row in comparison.rows:
        side = row.sides[index]
        is_same = items != 1 or "different shapes" not in side.causes
        if side.ratio and side.time_ms and is_same and not side.changes:
            pairs.append((side.ratio / items, side.time_ms))
    total_ms = math.fsum(row.sides[index].time_ms or 0.0 for row in comparison.rows)
    if len(pairs) < _LEAST_ROWS or math.fsum(time for _, time in pairs) < _LEAST_PART * total_ms:
        return ""
    low, middle, high = (_weighted(sorted(pairs), part) for part in (_TENTH, 0.5, 1 - _TENTH))
    if max(middle, 1 / middle) < _LEAST_RATIO or high > _EVEN * middle or middle > _EVEN * low:
        return ""
    if items != 1 and (middle > 1) != (items > 1):
        return ""  # more items use the GPU better
    per_item = " per item" if items != 1 else ""
    if middle > 1:
        return (
            f"All layers take {format_number(middle, 3)} times as long{per_item}, alike: a lower clock, a "
            "power limit or other work on the GPU is more likely than a worse engine."
        )
    return (
        f"All layers take {format_number(middle, 3)} of the time{per_item}, alike: a higher clock, or other "
        "work on the GPU beside the baseline, is more likely than a better engine."
    )


def _weighted(pairs: Sequence[tuple[float, float]], part: float) -> float:
    """Return the ratio up to which a part of the time is, of pairs of a ratio and a time in order."""
    limit, reached = part * math.fsum(time for _, time in pairs), 0.0
    for ratio, time in pairs:
        reached += time
        if reached >= limit:
            return ratio
    return pairs[-1][0]

"""Percentiles and medians as trtexec defines them, so that figures can be compared with its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise

from trexreport.analyzer.analysis.timing import Percentiles

_RANKS = (90, 95, 99)


def percentile(ordered: Sequence[float], rank: float) -> float:
    """Return the value below which `rank` percent lie, of values in ascending order, at least one.

    Source: findPercentile in trtexec's sampleReporting.cpp: index n - 1 - floor((1 - rank / 100) n).
    """
    # floor() of the exact product: 0.1 * 10 in binary is a little more than 1 or less, as it happens.
    excluded = math.floor(round((1 - rank / 100) * len(ordered), 9))
    return ordered[max(len(ordered) - 1 - excluded, 0)]


def median(ordered: Sequence[float]) -> float:
    """Return the middle value, or the mean of the two middle ones, of values in ascending order."""
    middle = len(ordered) // 2
    return ordered[middle] if len(ordered) % 2 else (ordered[middle - 1] + ordered[middle]) / 2


def mean_and_deviation(values: Sequence[float]) -> tuple[float, float]:
    """Return the mean of values and their standard deviation, as of a whole population."""
    mean = math.fsum(values) / len(values)
    return mean, math.sqrt(math.fsum((value - mean) ** 2 for value in values) / len(values))


def keep_extremes(
    rows: Sequence[int], max_rows: int, low: Callable[[int], float], high: Callable[[int], float]
) -> list[int]:
    """Return at most `max_rows` rows: of each of equal stretches the first smallest and the first largest.

    Args:
        rows: Ascending.
        max_rows: The most that stay.
        low: Returns the value of a row of which the smallest stays.
        high: Returns the value of a row of which the largest stays.
    """
    if len(rows) <= max_rows:
        return list(rows)
    stretches = max_rows // 2
    bounds = [len(rows) * stretch // stretches for stretch in range(stretches + 1)]
    parts = [rows[start:end] for start, end in pairwise(bounds)]
    return sorted({*(min(part, key=low) for part in parts), *(max(part, key=high) for part in parts)})


def describe(values: Sequence[float], source: str) -> Percentiles:
    """Return the distribution of at least one value in milliseconds."""
    ordered = sorted(values)
    return Percentiles(
        source=source,
        count=len(ordered),
        min_ms=ordered[0],
        mean_ms=math.fsum(ordered) / len(ordered),
        median_ms=median(ordered),
        max_ms=ordered[-1],
        percentiles={f"{rank:g}": percentile(ordered, rank) for rank in _RANKS},
    )

"""Percentiles and medians as trtexec defines them, so that figures can be compared with its own."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Percentiles

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

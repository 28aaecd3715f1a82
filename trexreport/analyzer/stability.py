"""Judge from the single queries how far the measurement can be trusted."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.timing import Stability
from trexreport.analyzer.drift import find_drift
from trexreport.analyzer.modes import find_two_modes
from trexreport.analyzer.percentiles import describe, keep_extremes, mean_and_deviation, median, percentile
from trexreport.analyzer.states import find_states
from trexreport.analyzer.thresholds import MIN_QUERIES, STEADY_PERCENT, includes_warm_up
from trexreport.model import QueryTimes

_MAX_POINTS = 1200
_MAX_BINS = 60
#: Levels of times that change once.
_ONE_STEP = 2


def describe_stability(queries: QueryTimes | None, version: str = "") -> Stability | None:
    """Return variation, drift and distribution of GPU compute time; None without queries.

    Args:
        queries: The times of the single queries.
        version: Of TensorRT; empty if not known.
    """
    if queries is None or not len(queries):
        return None
    times = queries.compute_ms or queries.latency_ms
    positions = keep_extremes(range(len(times)), _MAX_POINTS, times.__getitem__, times.__getitem__)
    mean, deviation = mean_and_deviation(times)
    variation = 100 * deviation / mean if mean else 0.0
    edges, counts, outliers = _histogram(times)
    drift, two_modes = _drift(times), find_two_modes(times)
    percentiles = describe(times, "query times")
    is_drifting = two_modes is None and find_drift(times) * drift > 0
    return Stability(
        queries=len(times),
        variation_percent=variation,
        drift_percent=drift,
        percentiles=percentiles,
        positions=positions,
        times_ms=[times[position] for position in positions],
        histogram_edges_ms=edges,
        histogram_counts=counts,
        outliers=outliers,
        can_judge=len(times) >= MIN_QUERIES,
        is_steady=variation <= STEADY_PERCENT
        or (percentiles.tail_percent <= STEADY_PERCENT and not is_drifting and two_modes is None),
        includes_warm_up=includes_warm_up(version),
        is_drifting=is_drifting,
        two_modes=two_modes,
        steps_ms=_steps(times) if two_modes else (),
    )


def levels_ms(queries: QueryTimes | None, stability: Stability | None) -> tuple[float, float] | None:
    """Return the fastest and the slowest level of times that change during the run; None if they do not."""
    if queries is None or stability is None:
        return None
    if stability.two_modes is not None:
        return stability.two_modes.fast_ms, stability.two_modes.slow_ms
    first, last = _ends(queries.compute_ms or queries.latency_ms)
    return (min(first, last), max(first, last)) if stability.is_drifting else None


def _steps(times: Sequence[float]) -> list[float]:
    """Return the levels of times that rise or fall in several steps, in order; empty if they do not."""
    levels = [each.ms for each in find_states(times)]
    is_one_way = levels in (sorted(levels), sorted(levels, reverse=True))
    return levels if is_one_way and len(levels) > _ONE_STEP else []


def _drift(times: Sequence[float]) -> float:
    """Return by how many percent the last tenth's median exceeds the first tenth's; 0 below 20 queries."""
    first, last = _ends(times)
    return 100 * (last / first - 1) if first > 0 else 0.0


def _ends(times: Sequence[float]) -> tuple[float, float]:
    """Return the medians of the first and the last tenth; zeros below 20 queries."""
    tenth = len(times) // 10
    if tenth < 2:
        return 0.0, 0.0
    return median(sorted(times[:tenth])), median(sorted(times[-tenth:]))


def _histogram(times: Sequence[float]) -> tuple[list[float], list[int], int]:
    """Return bin edges and counts up to a little above the 99th percentile, and how many lie beyond.

    The bin width follows Freedman and Diaconis (1981): twice the interquartile range over the cube root
    of the count.
    """
    ordered = sorted(times)
    low, high = ordered[0], percentile(ordered, 99)
    high += 0.1 * (high - low)
    if high <= low:
        return [low, low + max(abs(low), 1e-6) * 1e-3], [len(ordered)], 0
    spread = percentile(ordered, 75) - percentile(ordered, 25)
    width = 2 * spread / len(ordered) ** (1 / 3)
    bins = min(_MAX_BINS, max(5, math.ceil((high - low) / width))) if width > 0 else _MAX_BINS
    counts = [0] * bins
    for time in ordered:
        counts[min(bins - 1, int((time - low) / (high - low) * bins))] += 1
    edges = [low + (high - low) * step / bins for step in range(bins + 1)]
    return edges, counts, sum(time > high for time in ordered)

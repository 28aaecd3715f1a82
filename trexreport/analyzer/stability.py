"""Judge from the single queries how far the measurement can be trusted."""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Sequence
from statistics import correlation

from trexreport.analyzer.analysis.timing import Percentiles, Stability
from trexreport.analyzer.modes import find_two_modes
from trexreport.analyzer.percentiles import describe, keep_extremes, mean_and_deviation, median, percentile
from trexreport.analyzer.states import find_change, find_states
from trexreport.analyzer.thresholds import MIN_QUERIES, STEADY_PERCENT, includes_warm_up
from trexreport.model import QueryTimes

_MAX_POINTS = 1200
_MAX_BINS = 60
#: Columns of fewer different times have no correlation.
_FEW_VALUES = 2
#: Levels of times that change once.
_ONE_STEP = 2
#: With fewer queries the means of tenths of autocorrelated times often have a trend by chance.
MIN_FOR_DRIFT = 200
_PARTS = 10
#: With fewer queries only a change is certain that leaves this gap, in percent, between the first and the
#: last fifth, both without a tenth of outliers: more than two clocks of one GPU usually differ. So is one in
#: which the medians of the tenths are in order but for few of their 45 pairs, as while a GPU gets warm:
#: below 1% of simulated runs without a drift are, autocorrelated up to 0.95 or in two states.
_CLEAR_GAP_PERCENT = 15.0
_MIN_FOR_ORDER = 50
_MOST_PAIRS_OUT_OF_ORDER = 2.5
#: So is a change of at least this, in percent, between the medians of the first and the last fifth, with most
#: of it between all but one query each, if the tenths are roughly in order, go back by a part of it at most,
#: and several queries lie in its middle half: hardly any do in a step from one clock to another.
_GRADUAL_PERCENT, _APART, _BACK, _FEW_FALLS = 5.0, 0.7, 0.2, 11
_MIDDLE, _MIN_BETWEEN, _PART_BETWEEN = (0.25, 0.75), 3, 1 / 15
#: Queries on each side over which a running median removes outliers.
_REACH = 2
#: Limits of the two statistics. In simulations (tests/analyzer/test_drift.py) at most 5% of runs without a
#: drift exceed them, whether independent, bimodal with any dwell, or autocorrelated up to 0.95.
_TREND_LIMIT, _FIRST_LIMIT = 4.9, 5.5
#: Largest autocorrelation of the parts that is allowed for.
_MAX_CORRELATION = 0.9
#: Bias of the estimated autocorrelation of ten values around a parabola, found by simulation.
_CORRELATION_BIAS = 0.1


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
        or (
            percentiles.tail_percent <= STEADY_PERCENT
            and not are_many_fast(percentiles, variation)
            and not is_drifting
            and two_modes is None
        ),
        includes_warm_up=includes_warm_up(version),
        is_drifting=is_drifting,
        two_modes=two_modes,
        change=find_change(times, two_modes, queries.start_ms),
        steps_ms=_steps(times) if two_modes else (),
        enqueue_correlation=_correlation(times, queries.enqueue_ms),
    )


def are_many_fast(times: Percentiles, variation_percent: float | None = None) -> bool:
    """Return whether the median is above the mean, so that many fast queries make the variation, if known.

    A part q of the queries that is faster than all others lowers the mean by the root of q / (1 - q) of the
    standard deviation: by a third if it is a tenth.
    """
    least = STEADY_PERCENT if variation_percent is None else min(STEADY_PERCENT, variation_percent / 3)
    return 100 * (times.median_ms - times.mean_ms) > least * times.mean_ms


def _correlation(times: Sequence[float], others: Sequence[float]) -> float | None:
    """Return how alike two columns of times are, from -1 to 1; None if one has a single value."""
    if len(times) != len(others) or min(len(set(times)), len(set(others))) < _FEW_VALUES:
        return None
    return round(correlation(times, others), 3)


def levels_ms(queries: QueryTimes | None, stability: Stability | None) -> tuple[float, float] | None:
    """Return the fastest and the slowest level of times that change during the run; None if they do not."""
    if queries is None or stability is None:
        return None
    if (change := stability.change) is not None:
        return min(change.before_ms, change.after_ms), max(change.before_ms, change.after_ms)
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


def find_drift(times: Sequence[float]) -> int:
    """Return 1 if times increase over the run, -1 if they decrease, 0 if neither is certain.

    The means of ten parts of the run either have a trend, larger than their scatter around a parabola allows
    for if neighboring parts are correlated, or the first differs from all others, as after a short warm-up.
    Of fewer than 200 queries the first and the last fifth have no times in common, with 15% between them, or
    the tenths of the run are in order, or go gradually from one level to another.
    """
    if len(times) < MIN_FOR_DRIFT:
        return _clear_change(times)
    means = _means(times)
    trend, first = _trend(means), _first(means)
    if abs(trend) > _TREND_LIMIT:
        return 1 if trend > 0 else -1
    return 0 if abs(first) <= _FIRST_LIMIT else 1 if first > 0 else -1


def _clear_change(times: Sequence[float]) -> int:
    """Return what `find_drift` does for a short run, as of a slow engine, where the change is clear."""
    if len(times) < MIN_QUERIES:
        return 0
    if _rises_clearly(times):
        return 1
    return -1 if _rises_clearly(times[::-1]) else 0


def _rises_clearly(times: Sequence[float]) -> bool:
    """Return whether times rise from the first to the last fifth, at once or gradually."""
    fifth = len(times) // 5
    first, last = sorted(times[:fifth]), sorted(times[-fifth:])
    if percentile(last, 10) > (1 + _CLEAR_GAP_PERCENT / 100) * percentile(first, 90):
        return True
    falls = _falls(_medians(times))
    if len(times) >= _MIN_FOR_ORDER and falls <= _MOST_PAIRS_OUT_OF_ORDER:
        return True
    low, high = median(first), median(last)
    rise = high - low
    if falls > _FEW_FALLS or rise < _GRADUAL_PERCENT / 100 * low or last[1] - first[-2] <= _APART * rise:
        return False
    medians = _medians(_without_outliers(times))
    highest = itertools.accumulate(medians, max)
    if any(before - after > _BACK * rise for before, after in zip(highest, medians, strict=True)):
        return False
    least, most = (low + part * rise for part in _MIDDLE)
    return sum(least < each < most for each in times) >= max(_MIN_BETWEEN, _PART_BETWEEN * len(times))


def _medians(times: Sequence[float]) -> list[float]:
    """Return the median of each part of the run."""
    return [median(sorted(times[start:end])) for start, end in _parts(len(times))]


def _falls(values: Sequence[float]) -> float:
    """Return how many pairs of values decrease; a pair of equal ones is half of one."""
    return math.fsum((one > two) + (one == two) / 2 for one, two in itertools.combinations(values, 2))


def _parts(count: int) -> Iterator[tuple[int, int]]:
    """Return the start and the end of each of ten parts of a number of queries."""
    return itertools.pairwise(count * part // _PARTS for part in range(_PARTS + 1))


def _without_outliers(times: Sequence[float]) -> list[float]:
    """Return the running median."""
    last = len(times) - 1
    return [
        sorted(times[min(max(at + by, 0), last)] for by in range(-_REACH, _REACH + 1))[_REACH]
        for at in range(len(times))
    ]


def _means(times: Sequence[float]) -> list[float]:
    """Return the mean of each part of the run, without outliers that only a few queries in a row are."""
    cut = _without_outliers(times)
    return [math.fsum(cut[start:end]) / (end - start) for start, end in _parts(len(cut))]


def _trend(means: Sequence[float]) -> float:
    """Return the slope over its standard error, wider where neighboring parts are correlated."""
    linear = [part - (_PARTS - 1) / 2 for part in range(_PARTS)]
    squares = math.fsum(each * each for each in linear)
    curved = [each * each - squares / _PARTS for each in linear]
    slope = math.fsum(x * y for x, y in zip(linear, means, strict=True)) / squares
    bend = math.fsum(x * y for x, y in zip(curved, means, strict=True)) / math.fsum(x * x for x in curved)
    center = math.fsum(means) / _PARTS
    rest = [mean - center - slope * x - bend * z for mean, x, z in zip(means, linear, curved, strict=True)]
    scatter = math.fsum(each * each for each in rest)
    if scatter <= (1e-12 * center) ** 2:
        return math.copysign(math.inf, slope) if abs(slope) > abs(1e-9 * center) else 0.0
    found = math.fsum(one * two for one, two in itertools.pairwise(rest)) / scatter
    unbiased = found + (1 + 4 * found) / _PARTS + _CORRELATION_BIAS
    correlation = min(max(unbiased, 0.0), _MAX_CORRELATION)
    variance = scatter / (_PARTS - 3) / squares * (1 + correlation) / (1 - correlation)
    return slope / math.sqrt(variance)


def _first(means: Sequence[float]) -> float:
    """Return the others' mean minus the first part's, over the standard error of that difference."""
    others = means[1:]
    center = math.fsum(others) / len(others)
    variance = math.fsum((each - center) ** 2 for each in others) / (len(others) - 1)
    error = math.sqrt(variance * (1 + 1 / len(others)))
    difference = center - means[0]
    if error <= abs(1e-12 * center):
        return math.copysign(math.inf, difference) if abs(difference) > abs(1e-9 * center) else 0.0
    return difference / error

"""A few slow queries that trtexec's warning of unstable times is about, while all others agree."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

from trexreport.analyzer.analysis.timing import Percentiles, stated_variation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.stability import are_many_fast
from trexreport.analyzer.thresholds import STEADY_PERCENT
from trexreport.regex import regex

UNSTABLE = regex(r"unstable, with coefficient of variance = ([0-9.eE+-]+)%", re.ASCII)
#: A p99 this far above the median, in percent, is close to it if the variation is this many times as large.
_CLOSE_PERCENT, _OUTLIER_FACTOR = 5.0, 3.0
#: Part of the variance that a single query makes, if it is nearly the only slow one.
_MOSTLY = 0.8
#: Correlation of enqueue time and GPU compute time from which on the host makes a good part of the variation.
_WITH_HOST = 0.5
#: Percentages of percentiles that many queries make.
_RANKS = ("90", "95")
#: CUDA events resolve about half a microsecond, and a time is between two of them.
_TICKS_MS = 0.002


class SlowQueries(NamedTuple):
    """Slow queries that make most of the variation.

    Attributes:
        variation_percent: The coefficient of variation that trtexec states.
        times: GPU compute time.
        is_one: A single query makes it.
    """

    variation_percent: float
    times: Percentiles
    is_one: bool


def _is_of_outliers(variation_percent: float, tail_percent: float) -> bool:
    """Return whether a few queries of many times the median make a variation, and no others are slow."""
    return tail_percent <= STEADY_PERCENT or (
        tail_percent <= _CLOSE_PERCENT and variation_percent > _OUTLIER_FACTOR * tail_percent
    )


def known_tail(times: Percentiles | None, variation_percent: float | None = None) -> float | None:
    """Return how far p99 is above the median in percent.

    None where it is not known, that of one query, or says little as many queries are faster.
    """
    # The p99 of fewer than 100 queries is the maximum.
    if times is None or times.p99_ms in (None, times.max_ms) or are_many_fast(times, variation_percent):
        return None
    return times.tail_percent


def least_deviation_ms(times: Percentiles) -> float:
    """Return how large the standard deviation is at least, by the median, p90 and p95.

    A part q of the queries takes a time or longer; if that is d above the mean, the others are on average
    d q / (1 - q) below it, and the deviation is at least d times the root of q / (1 - q). A slow query only
    raises the mean.
    """
    known = {0.5: times.median_ms} | {
        1 - float(rank) / 100: times.percentiles[rank] for rank in _RANKS if rank in times.percentiles
    }
    return max((ms - times.mean_ms) * math.sqrt(part / (1 - part)) for part, ms in known.items())


def slow_queries(context: Context) -> SlowQueries | None:
    """Return the slow queries that trtexec's warning is about; None without a warning, or with many of them.

    Use `Context.cached`.
    """
    stated = stated_variation(context.analysis.measurement_warnings)
    stability = context.analysis.stability
    times = stability.percentiles if stability else context.analysis.latency.gpu_compute
    tail = known_tail(times, stated)
    if stated is None or times is None or tail is None or context.two_modes is not None:
        return None  # Two groups of many queries each are more than outliers.
    if stated <= STEADY_PERCENT or not _is_of_outliers(stated, tail):
        return None
    # What one query adds to the variance: the square of its distance, over the number of queries.
    of_one = (100 * (times.max_ms / times.mean_ms - 1)) ** 2 / times.count if times.count else 0.0
    return SlowQueries(stated, times, is_one=of_one >= _MOSTLY * stated**2)


def slow_tail(context: Context) -> Percentiles | None:
    """Return GPU compute time if nine of ten queries agree: other work, and not the clock, makes few slow."""
    stability = context.analysis.stability
    times = stability.percentiles if stability else context.analysis.latency.gpu_compute
    most = times.percentiles.get("90") if times is not None and not times.of_averages else None
    stated = stated_variation(context.analysis.measurement_warnings)
    if times is None or are_many_fast(times, stability.variation_percent if stability else stated):
        return None
    if most is None or most > (1 + STEADY_PERCENT / 100) * times.median_ms:
        return None
    return times


def vary_with_host(context: Context) -> bool | None:
    """Return whether GPU compute time is long where enqueuing takes long; None without single queries.

    Only where launches limit the GPU: else the host waits for what the GPU computes.
    """
    if context.enqueue_state != "bound":
        return False
    stability = context.analysis.stability
    found = stability.enqueue_correlation if stability is not None else None
    return None if found is None else found >= _WITH_HOST


def is_timer_coarse(context: Context) -> bool:
    """Return whether the deviation of GPU compute time is a few ticks of the events that measure it."""
    stability, times = context.analysis.stability, context.analysis.latency.gpu_compute
    stated = stated_variation(context.analysis.measurement_warnings)
    percent = stability.variation_percent if stability and stability.can_judge else stated
    return times is not None and percent is not None and percent / 100 * times.mean_ms <= _TICKS_MS

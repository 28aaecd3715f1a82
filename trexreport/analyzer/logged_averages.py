"""Judge from the averages in a log how far a measurement can be trusted, where there are no single times."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate

from trexreport.analyzer.analysis.timing import LoggedAverages
from trexreport.analyzer.percentiles import mean_and_deviation, median
from trexreport.model import TraceAverages

#: Averages on each side of a step, and how far the two levels are apart at least, as a part of the lower one.
_EACH_SIDE, _LEAST_STEP = 3, 0.05
#: All averages but a few lie nearer to their own level than to the middle between both.
_MOST_OFF = 0.05


def describe_averages(averages: TraceAverages | None) -> LoggedAverages | None:
    """Return how much averages vary, and whether they change once from one level to another."""
    if averages is None or not averages.gpu_ms:
        return None
    mean, deviation = mean_and_deviation(averages.gpu_ms)
    variation = 100 * deviation / mean if mean else 0.0
    copies = None
    if averages.latency_ms:
        copies = median(sorted(averages.latency_ms)) - median(sorted(averages.gpu_ms))
    found = LoggedAverages(averages.queries, len(averages.gpu_ms), variation, copies_ms=copies)
    if (step := _step(averages.gpu_ms)) is None:
        return found
    after, before_ms, after_ms = step
    return replace(found, step_after=after, before_ms=before_ms, after_ms=after_ms)


def _step(times: Sequence[float]) -> tuple[int, float, float] | None:
    """Return after how many averages the level changes, and both levels; None unless it does so once."""
    if len(times) < 2 * _EACH_SIDE:
        return None
    at = _split(times)
    before, after = median(sorted(times[:at])), median(sorted(times[at:]))
    middle = (before + after) / 2
    off = sum((time > middle) == (before < middle) for time in times[:at])
    off += sum((time > middle) == (after < middle) for time in times[at:])
    is_step = abs(after - before) >= _LEAST_STEP * min(before, after) > 0 and off <= _MOST_OFF * len(times)
    return (at, before, after) if is_step else None


def _split(times: Sequence[float]) -> int:
    """Return where two parts differ least from their own means: there may be as many averages as queries."""
    mean = math.fsum(times) / len(times)
    sums = list(accumulate(time - mean for time in times))

    def between(at: int) -> float:
        # The sums of both parts' distances from the common mean are opposite.
        return sums[at - 1] ** 2 * (1 / at + 1 / (len(times) - at))

    return max(range(_EACH_SIDE, len(times) - _EACH_SIDE + 1), key=between)

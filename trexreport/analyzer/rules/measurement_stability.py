"""Rules on how steady the times are: whether they scatter, drift, or fall into groups."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from trexreport.analyzer.analysis import Percentiles, Stability
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.thresholds import STEADY_PERCENT, trtexec_steady_percent
from trexreport.numbers import counted, format_count, format_ms, format_percent

_UNSTABLE = re.compile(r"unstable, with coefficient of variance = ([0-9.eE+-]+)%", re.ASCII)


@rule(
    "TRX801",
    "measurement.unstable",
    "warning",
    many="{count} figures say that the measurement is unsteady.",
    needs=("end-to-end",),
    section="timing",
    thresholds=(
        Threshold(
            "variation_percent",
            STEADY_PERCENT,
            0,
            1000,
            "Standard deviation of GPU compute time over its mean, in percent, above which it is unsteady.",
        ),
        Threshold(
            "unusable_percent",
            20.0,
            0,
            1000,
            "The same, above which the mean says nothing, if the 99th percentile is as far from the median.",
        ),
    ),
)
def unstable(context: Context, *, variation_percent: float, unusable_percent: float) -> Iterator[Hit]:
    """The GPU time varies from query to query.

    Cost:
        Differences smaller than the variation mean nothing: two engines, or two builds of one, cannot be
        told apart by such a measurement, and a service sees the slow queries as they are.

    Advice:
        Lock the clocks (nvidia-smi --lock-gpu-clocks and --lock-memory-clocks, jetson_clocks on Jetson),
        keep other work off the GPU, warm up longer (--warmUp=500 and more) and let the host spin
        (--useSpinWait, the default from TensorRT 11 on). Compare medians rather than means.

    False alarm:
        A few outliers raise the variation while the median holds; the 99th percentile then lies close to
        the median. trtexec itself warns from 1 % up to 10.13.0 and from 2.5 % on since 10.13.2; between the
        two the finding is information.

    Bound:
        None: a steadier measurement makes nothing faster.
    """
    stability = context.analysis.stability
    if stability is None or not stability.can_judge:
        yield from _trtexec_found_unstable(context)
        return
    variation = stability.variation_percent
    limit = min(variation_percent, trtexec_steady_percent(context.analysis.identity.tensorrt_version))
    if variation <= limit:
        return
    tail = _tail_percent(stability.percentiles)
    message = (
        f"GPU compute time varies by {format_percent(variation / 100)} (standard deviation over mean) in "
        f"{format_count(stability.queries)} queries"
    )
    if variation <= variation_percent:
        severity = "info"
        message += f"; trtexec itself warns from {format_percent(limit / 100)} on."
    elif tail <= variation_percent:
        severity = "warning"
        message += ", because of a few outliers: 99% take at most "
        message += f"{format_percent(tail / 100)} more than the median."
    else:
        severity = "error" if min(variation, tail) > unusable_percent else "warning"
        message += "."
    yield Hit(message, (), None, _distribution(stability.percentiles), severity=severity)


def _trtexec_found_unstable(context: Context) -> Iterator[Hit]:
    """Yield what trtexec's own warning says where the single queries are not at hand."""
    for warning in context.analysis.measurement_warnings:
        if found := _UNSTABLE.search(warning):
            message = f"GPU compute time varies by {found.group(1)}% (standard deviation over mean)."
            yield Hit(message, (), None, {"Source": "trtexec's warning"})


def _tail_percent(times: Percentiles) -> float:
    """Return by how many percent the 99th percentile exceeds the median."""
    high = times.p99_ms or times.max_ms
    return 100 * (high / times.median_ms - 1) if times.median_ms > 0 else math.inf


def _distribution(times: Percentiles) -> dict[str, str]:
    return {
        "Median": format_ms(times.median_ms),
        "99th percentile": format_ms(times.p99_ms),
        "Longest": format_ms(times.max_ms),
    }


@rule(
    "TRX802",
    "measurement.drift",
    "warning",
    many="The times drift in {count} ways.",
    needs=("queries",),
    section="timing",
    thresholds=(
        Threshold(
            "drift_percent",
            2.0,
            0,
            1000,
            "Change of the median from the first tenth of the queries to the last, in percent.",
        ),
    ),
)
def drift(context: Context, *, drift_percent: float) -> Iterator[Hit]:
    """The GPU time changes in the course of the measurement.

    Cost:
        The mean is that of two conditions: times that rise show a GPU that lowers its clocks as it gets
        warm or reaches its power limit, falling ones show that it was not warmed up when the measurement
        began.

    Advice:
        Where times rise: lock the clocks at what the GPU can hold (nvidia-smi --lock-gpu-clocks), mind the
        cooling, and look at nvidia-smi -q -d PERFORMANCE for the reasons of throttling. Where they fall:
        warm up longer (--warmUp=1000). Then measure again.

    False alarm:
        Times of TensorRT 8.4 and older include the queries of the warm-up, so that they fall. A drift
        within what the scatter of so few queries makes likely is not reported.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    stability = context.analysis.stability
    if stability is None or abs(stability.drift_percent) <= max(
        drift_percent, _likely_drift_percent(stability)
    ):
        return
    found = stability.drift_percent
    way = "slower" if found > 0 else "faster"
    cause = "clocks that fall with heat or power" if found > 0 else "a warm-up that was too short"
    yield Hit(
        f"The last tenth of {format_count(stability.queries)} queries is {format_percent(abs(found) / 100)} "
        f"{way} than the first (medians), which speaks for {cause}.",
    )


def _likely_drift_percent(stability: Stability) -> float:
    """Return the difference that two medians of a tenth of the queries may show by chance.

    Four standard errors; that of a median is 1.25 times that of a mean for normal times.
    """
    tenth = max(1, stability.queries // 10)
    return 4 * 1.25 * stability.variation_percent * math.sqrt(2 / tenth)


@rule(
    "TRX803",
    "measurement.bimodal",
    "warning",
    many="The times fall into groups in {count} ways.",
    needs=("queries",),
    section="timing",
    thresholds=(
        Threshold(
            "difference_percent",
            2.0,
            0,
            1000,
            "Difference between the medians of the two groups, in percent of the faster.",
        ),
    ),
)
def bimodal(context: Context, *, difference_percent: float) -> Iterator[Hit]:
    """The GPU times fall into two groups.

    Cost:
        The mean lies where no query is. Two groups that follow each other in time show a change of clocks
        or of what else the GPU does; groups that alternate show two ways of running, such as buffers or
        streams that lie differently in memory, or another process's time slices.

    Advice:
        Look at the times in order: a single step calls for locked clocks, alternation for a GPU without
        other work and for one stream (--infStreams=1). Then measure again.

    False alarm:
        Inputs whose cost depends on their content, measured in turn. The test wants at least 200 queries, a
        tenth of them in each group, and between the peaks of the density (Gaussian kernel, Silverman's
        bandwidth, at least the clock's step of 1 µs) a valley of half the lower peak or less.

    Bound:
        What is saved if all queries ran as fast as the median of the fast group, averaged over all queries.
    """
    modes = context.analysis.stability.two_modes if context.analysis.stability else None
    if modes is None or modes.slow_ms - modes.fast_ms < modes.fast_ms * difference_percent / 100:
        return
    part = modes.slow_percent / 100
    yield Hit(
        f"{format_percent(1 - part)} of the queries take about {format_ms(modes.fast_ms)}, the others about "
        f"{format_ms(modes.slow_ms)}, with few in between; they change sides "
        f"{counted(modes.changes, 'time')}.",
        (),
        part * (modes.slow_ms - modes.fast_ms),
    )

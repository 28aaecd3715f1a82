"""TRX801 measurement.unstable."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import Severity
from trexreport.analyzer.analysis.timing import FROM_AVERAGES, Percentiles, stated_variation
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.other_memory import memory_at_start
from trexreport.analyzer.rules.slow_queries import (
    UNSTABLE,
    SlowQueries,
    is_timer_coarse,
    known_tail,
    least_deviation_ms,
    slow_queries,
    slow_tail,
    vary_with_host,
)
from trexreport.analyzer.rules.streams import are_streams_filling, do_streams_overlap
from trexreport.analyzer.stability import MIN_FOR_DRIFT, are_many_fast
from trexreport.analyzer.thresholds import MIN_QUERIES, STEADY_PERCENT, UNUSABLE_PERCENT
from trexreport.numbers import counted, format_count, format_ms, format_number, format_percent

#: Fewer averages of several queries do not show how much they vary.
_LEAST_AVERAGES = 5
#: GPU compute time of less than this part of latency, in percent, hardly changes it.
_FEW_PERCENT = 5.0

#: Times that change once between two levels in the middle of a run are two standard deviations apart.
_MOSTLY_ENDS = 1.75


@built_in_rule(
    "warning",
    many="{count} figures show that the measurement is unstable.",
    needs=("end-to-end",),
    thresholds=(
        percent(
            "variation_percent",
            STEADY_PERCENT,
            "Maximum coefficient of variation (CV) of GPU compute time, in percent.",
            maximum=1000,
        ),
        percent(
            "unusable_percent",
            UNUSABLE_PERCENT,
            "CV, and p99 above the median, in percent, from which on it is an error.",
            maximum=1000,
        ),
        percent(
            "tail_percent",
            60.0,
            "Minimum p99 above the median, in percent, where trtexec states neither CV nor single times.",
            maximum=1000,
        ),
    ),
    explains={"engine": ("TRX807",)},
)
def unstable(
    context: Context, *, variation_percent: float, unusable_percent: float, tail_percent: float
) -> Hits:
    """GPU compute time varies from query to query.

    Cost:
        Differences smaller than the variation mean nothing: such a measurement cannot distinguish two
        engines, or two builds of one, and a service has the slow queries in production too.

    Recommendation:
        [if outliers: Compare medians, which a few slow queries hardly change.] [if coarse: Time larger
        batches, or judge by the throughput: single queries are too short for the timer.] [if with-host,
        unless filling, unless outliers, unless coarse: Keep other work off the CPU, which launches the
        kernels.] [if tail, unless filling, unless outliers, unless coarse, unless with-host: Keep other work
        off the GPU, such as a desktop or another process, and compare medians.] [unless jetson, unless
        filling, unless outliers, unless tail, unless coarse, unless with-host: Lock the clocks (nvidia-smi
        --lock-gpu-clocks and --lock-memory-clocks).] [if jetson, unless filling, unless outliers, unless
        coarse: Set the power mode (nvpmodel) and lock the clocks of GPU and CPU (jetson_clocks).] [unless
        filling, unless outliers, unless tail, unless coarse, unless with-host, unless slowing: Keep other
        work off the GPU, warm up longer (--warmUp, in ms) and compare medians rather than means.] [if
        slowing, unless filling, unless outliers, unless tail, unless coarse, unless with-host: Keep other
        work off the GPU, and choose clocks that power and cooling sustain. In service the times at the end of
        the run count, if they rise no further: measure for longer (--duration, in s).] [..10, unless spin,
        unless slowing, unless filling, unless outliers, unless tail, unless coarse: Let the host spin
        (--useSpinWait).] [11.0.., unless spin, unless slowing, unless filling, unless outliers, unless tail,
        unless coarse: Omit --noSpinWait.] [if filling: Compare medians, or measure with one stream
        (--streams=1, from TensorRT 8.6 on --infStreams=1), where each query has the GPU for itself.]

    False alarm:
        A few outliers raise the coefficient of variation while the median is stable: where p99 is close to
        the median it is information, if trtexec warns of the variation. trtexec itself warns from 1% up to
        10.13.0 and from 2.5% since 10.13.2; between the two there is nothing to do. Where several streams
        share the GPU and the first queries ran with fewer beside them, it is information as well; nothing is
        reported where TRX815 states that they do. A standard deviation of up to 2 µs is information, too:
        CUDA events resolve about 0.5 µs; so is GPU compute time of less than 5% of latency. Where a log
        states only a summary, its median, p90 and p95 show how much the times vary at least; single slow
        queries do not add to that.

    Est. savings:
        Not estimated: a steadier measurement makes nothing faster.
    """
    stability = context.analysis.stability
    if do_streams_overlap(context):
        return
    if few := context.cached(slow_queries):
        yield _outliers(few)
        return
    if stability is None or not stability.can_judge:
        found = list(_trtexec_found_unstable(context, variation_percent))
        if not any(UNSTABLE.search(each) for each in context.analysis.measurement_warnings):
            found += _averages_vary(context, variation_percent)
        found = found or list(_summary_varies(context, variation_percent))
        yield from found or _summary_is_unstable(context, tail_percent)
        return
    variation, tail = stability.variation_percent, stability.percentiles.tail_percent
    if context.two_modes is None and are_many_fast(stability.percentiles, variation):
        tail = variation  # p99 is near the median of many slow queries.
    if min(variation, tail) <= variation_percent:
        return
    message = (
        f"GPU compute time has a coefficient of variation of {format_percent(variation / 100)} over "
        f"{format_count(stability.queries)} queries"
    )
    severity: Severity = "error" if min(variation, tail) > unusable_percent else "warning"
    yield _hit(context, message, _distribution(stability.percentiles), severity)


def _outliers(few: SlowQueries) -> Hit:
    """Return the information that nearly all queries agree, although trtexec warns."""
    times = few.times
    what = "a single query" if few.is_one else "a few queries"
    up_to = "of" if few.is_one else "of up to"
    return Hit(
        f"trtexec warns of a coefficient of variation of {format_percent(few.variation_percent / 100)}: "
        f"{what} {up_to} {format_ms(times.max_ms)} make{'s' if few.is_one else ''} it, and p99 is "
        f"{format_percent(times.tail_percent / 100)} above the median of {format_ms(times.median_ms)}.",
        (),
        None,
        _distribution(times),
        severity="info",
    )


def _hit(context: Context, message: str, evidence: dict[str, str], severity: Severity | None) -> Hit:
    """Return the hit of a message; queries of streams that start one after another are information."""
    times = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    if times is not None and is_timer_coarse(context):
        short = f"a query of {format_ms(times.median_ms)} is short for a timer of about 0.0005\u00a0ms"
        return Hit(f"{message}: {short}.", (), None, evidence, severity="info")
    whole = context.analysis.latency.end_to_end
    if times is not None and whole is not None and 100 * times.median_ms < _FEW_PERCENT * whole.median_ms:
        severity = "info"
    if times is None or not are_streams_filling(context):
        used = memory_at_start(context)
        cause = f"; {used} of the GPU's memory were in use when the run began (TRX813)" if used else ""
        most = _tail(context) or _ends(context) or _step(context) or _slow_averages(context)
        return Hit(f"{message}{most}{_of_host(context)}{cause}.", (), None, evidence, severity=severity)
    filling = (
        f"{message}: several streams share the GPU, and the first queries ran with fewer beside them "
        f"(minimum {format_ms(times.min_ms)}, median {format_ms(times.median_ms)})."
    )
    return Hit(filling, (), None, evidence, severity="info")


def _trtexec_found_unstable(context: Context, variation_percent: float) -> Hits:
    """Yield the variation in trtexec's own warning where there are no times of single queries."""
    times = context.analysis.latency.gpu_compute
    tail = known_tail(times, stated_variation(context.analysis.measurement_warnings))
    for warning in context.analysis.measurement_warnings:
        if found := UNSTABLE.search(warning):
            known = stated_variation([warning])
            shown = f"{found.group(1)}%" if known is None else format_percent(known / 100)
            stated = variation_percent + 1 if known is None else known
            if min(stated, math.inf if tail is None else tail) <= variation_percent:
                continue
            message = f"GPU compute time has a coefficient of variation of {shown}"
            yield _hit(context, message, {"Source": "trtexec's warning"}, None)


def _of_host(context: Context) -> str:
    """Return that queries are slow where the host enqueues them slowly; empty where it does not show."""
    stability = context.analysis.stability
    if stability is None or not vary_with_host(context):
        return ""
    shown = format_number(stability.enqueue_correlation, 2)
    return f"; slow queries are those that the host enqueued slowly (correlation {shown})"


def _tail(context: Context) -> str:
    """Return that nine of ten queries agree, and up to what the others take; empty where they do not."""
    times = context.cached(slow_tail)
    if times is None:
        return ""
    above = times.percentiles["90"] / times.median_ms - 1
    return (
        f"; 90% of the queries take at most {format_percent(above)} more than the median of "
        f"{format_ms(times.median_ms)}, and the others up to {format_ms(times.max_ms)}"
    )


def _ends(context: Context) -> str:
    """Return how far the ends of a short run are apart, if that makes most of the variation; else empty."""
    stability = context.analysis.stability
    if stability is None or not MIN_QUERIES <= stability.queries < MIN_FOR_DRIFT:
        return ""
    if abs(stability.drift_percent) < _MOSTLY_ENDS * stability.variation_percent:
        return ""
    change = "slower" if stability.drift_percent > 0 else "faster"
    apart = format_percent(abs(stability.drift_percent) / 100)
    return f"; the last tenth of them is {apart} {change} than the first (medians)"


def _step(context: Context) -> str:
    """Return from where to where the averages in the log change, at once or gradually; empty without."""
    averages = context.analysis.latency.averages
    if averages is None or averages.before_ms is None or averages.after_ms is None:
        return ""
    rises = averages.after_ms > averages.before_ms
    how = "change once" if averages.step_after else f"{'rise' if rises else 'fall'} through the run"
    after = f" after {averages.step_after} of {format_count(averages.count)}" if averages.step_after else ""
    hot = ", as of clocks that heat or a power limit lowers" if rises and not after else ""
    return (
        f"; the averages of {counted(averages.queries, 'query', 'queries')} in the log {how}, from "
        f"{format_ms(averages.before_ms)} to {format_ms(averages.after_ms)}{after}{hot}"
    )


def _slow_averages(context: Context) -> str:
    """Return which averages in the log make the variation; empty where none do."""
    averages = context.analysis.latency.averages
    if averages is None or averages.slow is None:
        return ""
    slow = averages.slow
    number = "" if slow.are_first and slow.count == 1 else f" {slow.count}"
    which = f"the first{number}" if slow.are_first else number.strip()
    takes = "takes" if slow.count == 1 else "take up to"
    each = counted(averages.queries, "query", "queries")
    return (
        f"; of {format_count(averages.count)} averages of {each} {which} {takes} {format_ms(slow.max_ms)}, "
        f"and the others {format_ms(slow.others_ms)} (median)"
    )


def _averages_vary(context: Context, variation_percent: float) -> Hits:
    """Yield how much averages of several queries vary where trtexec states nothing, as up to 8.3."""
    averages = context.analysis.latency.averages
    if averages is None or context.analysis.stability is not None or averages.count < _LEAST_AVERAGES:
        return
    if averages.variation_percent > variation_percent:
        each = counted(averages.queries, "query", "queries")
        is_explained = averages.before_ms is not None or averages.slow is not None
        of_all = "Averages" if is_explained else f"The averages of {each}"
        message = (
            f"{of_all} in the log have a coefficient of variation of "
            f"{format_percent(averages.variation_percent / 100)}"
        )
        yield _hit(context, message, {"Source": FROM_AVERAGES}, None)


def _summary_varies(context: Context, variation_percent: float) -> Hits:
    """Yield how much GPU compute time varies at least by trtexec's summary, where nothing else says it."""
    times = context.analysis.latency.gpu_compute
    if times is None or times.of_averages or context.analysis.stability is not None or not times.mean_ms:
        return
    least = 100 * least_deviation_ms(times) / times.mean_ms
    if least > variation_percent:
        message = f"GPU compute time has a coefficient of variation of at least {format_percent(least / 100)}"
        shown = {"Minimum": format_ms(times.min_ms), "Mean": format_ms(times.mean_ms)}
        yield _hit(context, message, {**shown, **_distribution(times), "Source": times.source}, None)


def _summary_is_unstable(context: Context, tail_percent: float) -> Hits:
    """Yield the tail of GPU compute time in trtexec's summary where nothing else says how much it varies."""
    times = context.analysis.latency.gpu_compute
    tail = None if context.analysis.stability is not None else known_tail(times)
    if times is not None and tail is not None and tail >= tail_percent:
        message = f"p99 of GPU compute time is {format_percent(tail / 100)} above the median"
        yield _hit(context, message, {**_distribution(times), "Source": times.source}, None)


def _distribution(times: Percentiles) -> dict[str, str]:
    return {
        "Median": format_ms(times.median_ms),
        "Tail (p99)": format_ms(times.p99_ms),
        "Maximum": format_ms(times.max_ms),
    }

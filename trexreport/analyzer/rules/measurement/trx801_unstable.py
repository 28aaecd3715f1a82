"""TRX801 measurement.unstable."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from trexreport.analyzer.analysis import Severity
from trexreport.analyzer.analysis.timing import FROM_AVERAGES, Percentiles, stated_variation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.analyzer.rules.streams import are_streams_filling
from trexreport.analyzer.thresholds import STEADY_PERCENT
from trexreport.numbers import format_count, format_ms, format_percent
from trexreport.regex import regex

#: A p99 this far above the median, in percent, is close to it if the variation is this many times as large.
_CLOSE_PERCENT, _OUTLIER_FACTOR = 5.0, 3.0
_UNSTABLE = regex(r"unstable, with coefficient of variance = ([0-9.eE+-]+)%", re.ASCII)
#: Fewer averages of several queries do not show how much they vary.
_LEAST_AVERAGES = 5


@measurement_rule(
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
            20.0,
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
) -> Iterator[Hit]:
    """GPU compute time varies from query to query.

    Cost:
        Differences smaller than the variation mean nothing: such a measurement cannot distinguish two
        engines, or two builds of one, and a service has the slow queries in production too.

    Recommendation:
        [unless jetson, unless filling: Lock the clocks (nvidia-smi --lock-gpu-clocks and
        --lock-memory-clocks).] [if jetson, unless filling: Set the power mode (nvpmodel) and lock the clocks
        (jetson_clocks).] [unless filling: Keep other work off the GPU, warm up longer (--warmUp=500 and more)
        and compare medians rather than means.] [..10, unless spin, unless filling: Let the host spin
        (--useSpinWait).] [11.0.., unless spin, unless filling: Omit --noSpinWait.] [if filling: Compare
        medians, or measure with one stream (--streams=1, from TensorRT 8.6 on --infStreams=1), where each
        query has the GPU for itself.]

    False alarm:
        A few outliers raise the coefficient of variation while the median is stable: nothing is reported
        where p99 is close to the median. trtexec itself warns from 1% up to 10.13.0 and from 2.5% since
        10.13.2; between the two there is nothing to do. Where several streams share the GPU and the first
        queries ran with fewer beside them, it is information.

    Est. savings:
        Not estimated: a steadier measurement makes nothing faster.
    """
    stability = context.analysis.stability
    if stability is None or not stability.can_judge:
        found = list(_trtexec_found_unstable(context, variation_percent))
        if not any(_UNSTABLE.search(each) for each in context.analysis.measurement_warnings):
            found += _averages_vary(context, variation_percent)
        yield from found or _summary_is_unstable(context, tail_percent)
        return
    variation, tail = stability.variation_percent, stability.percentiles.tail_percent
    if min(variation, tail) <= variation_percent:
        return
    message = (
        f"GPU compute time has a coefficient of variation of {format_percent(variation / 100)} over "
        f"{format_count(stability.queries)} queries"
    )
    severity: Severity = "error" if min(variation, tail) > unusable_percent else "warning"
    yield _hit(context, message, _distribution(stability.percentiles), severity)


def _hit(context: Context, message: str, evidence: dict[str, str], severity: Severity | None) -> Hit:
    """Return the hit of a message; queries of streams that start one after another are information."""
    times = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    if times is None or not are_streams_filling(context):
        return Hit(f"{message}{_step(context)}.", (), None, evidence, severity=severity)
    filling = (
        f"{message}: several streams share the GPU, and the first queries ran with fewer beside them "
        f"(minimum {format_ms(times.min_ms)}, median {format_ms(times.median_ms)})."
    )
    return Hit(filling, (), None, evidence, severity="info")


def _trtexec_found_unstable(context: Context, variation_percent: float) -> Iterator[Hit]:
    """Yield the variation in trtexec's own warning where there are no times of single queries."""
    times = context.analysis.latency.gpu_compute
    # The p99 of fewer than 100 queries is the maximum: a single one.
    is_known = times is not None and times.p99_ms not in (None, times.max_ms)
    tail = times.tail_percent if times is not None and is_known else None
    for warning in context.analysis.measurement_warnings:
        if found := _UNSTABLE.search(warning):
            known = stated_variation([warning])
            shown = f"{found.group(1)}%" if known is None else format_percent(known / 100)
            stated = variation_percent + 1 if known is None else known
            if min(stated, math.inf if tail is None else tail) <= variation_percent:
                continue
            # A single query of many times the median makes the variation, and no other is slow.
            if tail is not None and tail <= _CLOSE_PERCENT and stated > _OUTLIER_FACTOR * tail:
                continue
            message = f"GPU compute time has a coefficient of variation of {shown}"
            yield _hit(context, message, {"Source": "trtexec's warning"}, None)


def _step(context: Context) -> str:
    """Return from where to where the averages in the log change once; empty where they do not."""
    averages = context.analysis.latency.averages
    if averages is None or averages.before_ms is None or averages.after_ms is None:
        return ""
    return (
        f"; the averages of {format_count(averages.queries)} queries in the log change once, from "
        f"{format_ms(averages.before_ms)} to {format_ms(averages.after_ms)} after "
        f"{averages.step_after} of {format_count(averages.count)}"
    )


def _averages_vary(context: Context, variation_percent: float) -> Iterator[Hit]:
    """Yield how much averages of several queries vary where trtexec states nothing, as up to 8.3."""
    averages = context.analysis.latency.averages
    if averages is None or context.analysis.stability is not None or averages.count < _LEAST_AVERAGES:
        return
    if averages.variation_percent > variation_percent:
        message = (
            f"The averages of {format_count(averages.queries)} queries in the log have a coefficient of "
            f"variation of {format_percent(averages.variation_percent / 100)}"
        )
        yield _hit(context, message, {"Source": FROM_AVERAGES}, None)


def _summary_is_unstable(context: Context, tail_percent: float) -> Iterator[Hit]:
    """Yield the tail of GPU compute time in trtexec's summary where nothing else says how much it varies."""
    times = context.analysis.latency.gpu_compute
    # The p99 of fewer than 100 queries is the maximum: a single one.
    if context.analysis.stability is not None or times is None or times.p99_ms in (None, times.max_ms):
        return
    tail = times.tail_percent
    if tail >= tail_percent:
        message = f"p99 of GPU compute time is {format_percent(tail / 100)} above the median"
        yield _hit(context, message, {**_distribution(times), "Source": times.source}, None)


def _distribution(times: Percentiles) -> dict[str, str]:
    return {
        "Median": format_ms(times.median_ms),
        "Tail (p99)": format_ms(times.p99_ms),
        "Maximum": format_ms(times.max_ms),
    }

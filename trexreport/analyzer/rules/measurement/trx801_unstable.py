"""TRX801 measurement.unstable."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.analyzer.analysis import Severity
from trexreport.analyzer.analysis.timing import Percentiles, stated_variation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.analyzer.thresholds import STEADY_PERCENT, trtexec_steady_percent
from trexreport.numbers import format_count, format_ms, format_percent
from trexreport.regex import regex

_UNSTABLE = regex(r"unstable, with coefficient of variance = ([0-9.eE+-]+)%", re.ASCII)


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
        Lock the clocks (nvidia-smi --lock-gpu-clocks and --lock-memory-clocks, jetson_clocks on Jetson),
        keep other work off the GPU, warm up longer (--warmUp=500 and more) and compare medians rather than
        means. [..10, unless spin: Let the host spin (--useSpinWait).] [11.0.., unless spin: Omit
        --noSpinWait.]

    False alarm:
        A few outliers raise the coefficient of variation while the median is stable; p99 is then close to the
        median, and the finding is information. trtexec itself warns from 1% up to 10.13.0 and from 2.5% since
        10.13.2; between the two the finding is information, too.

    Est. savings:
        Not estimated: a steadier measurement makes nothing faster.
    """
    stability = context.analysis.stability
    if stability is None or not stability.can_judge:
        found = list(_trtexec_found_unstable(context, variation_percent))
        yield from found or _summary_is_unstable(context, tail_percent)
        return
    variation = stability.variation_percent
    limit = min(variation_percent, trtexec_steady_percent(context.analysis.identity.tensorrt_version))
    if variation <= limit:
        return
    tail = _tail_percent(stability.percentiles)
    message = (
        f"GPU compute time has a coefficient of variation of {format_percent(variation / 100)} over "
        f"{format_count(stability.queries)} queries"
    )
    severity: Severity
    if variation <= variation_percent:
        severity = "info"
        message += f"; trtexec itself warns from {format_percent(limit / 100)} on."
    elif tail <= variation_percent:
        severity = "info"
        message += f" because of a few outliers; p99 is only {format_percent(tail / 100)} above the median."
    else:
        severity = "error" if min(variation, tail) > unusable_percent else "warning"
        message += "."
    yield Hit(message, (), None, _distribution(stability.percentiles), severity=severity)


def _trtexec_found_unstable(context: Context, variation_percent: float) -> Iterator[Hit]:
    """Yield the variation in trtexec's own warning where there are no times of single queries."""
    times = context.analysis.latency.gpu_compute
    # The p99 of fewer than 100 queries is the maximum: a single one.
    is_known = times is not None and times.p99_ms not in (None, times.max_ms)
    tail = _tail_percent(times) if times is not None and is_known else None
    for warning in context.analysis.measurement_warnings:
        if found := _UNSTABLE.search(warning):
            known = stated_variation([warning])
            shown = f"{found.group(1)}%" if known is None else format_percent(known / 100)
            message = f"GPU compute time has a coefficient of variation of {shown}"
            stated = variation_percent + 1 if known is None else known
            severity: Severity | None = "info" if stated <= variation_percent else None
            if tail is not None and tail <= variation_percent:
                message += (
                    f" because of a few outliers; p99 is only {format_percent(tail / 100)} above the median"
                )
                severity = "info"
            yield Hit(f"{message}.", (), None, {"Source": "trtexec's warning"}, severity=severity)


def _summary_is_unstable(context: Context, tail_percent: float) -> Iterator[Hit]:
    """Yield the tail of GPU compute time in trtexec's summary where nothing else says how much it varies."""
    times = context.analysis.latency.gpu_compute
    # The p99 of fewer than 100 queries is the maximum: a single one.
    if context.analysis.stability is not None or times is None or times.p99_ms in (None, times.max_ms):
        return
    tail = _tail_percent(times)
    if tail >= tail_percent:
        message = f"p99 of GPU compute time is {format_percent(tail / 100)} above the median."
        yield Hit(message, (), None, {**_distribution(times), "Source": times.source})


def _tail_percent(times: Percentiles) -> float:
    """Return how far p99 is above the median, in percent."""
    high = times.p99_ms or times.max_ms
    return 100 * (high / times.median_ms - 1)


def _distribution(times: Percentiles) -> dict[str, str]:
    return {
        "Median": format_ms(times.median_ms),
        "Tail (p99)": format_ms(times.p99_ms),
        "Maximum": format_ms(times.max_ms),
    }

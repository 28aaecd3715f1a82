"""TRX801 measurement.unstable."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator

from trexreport.analyzer.analysis import Percentiles, Severity
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.thresholds import STEADY_PERCENT, trtexec_steady_percent
from trexreport.numbers import format_count, format_ms, format_percent

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
    severity: Severity
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

"""State the time of the whole engine, and why the sum of its layers differs from it."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Latency, LayerFacts, Percentiles
from trexreport.analyzer.percentiles import describe
from trexreport.analyzer.thresholds import is_held_back_by_host
from trexreport.model import Engine, Statistic
from trexreport.numbers import counted

#: Below this difference the two agree as well as such measurements can.
_AGREEMENT_PERCENT = 5.0

_EVENTS = (
    "Profiling puts a time stamp around each layer and lets no two overlap, so the layers' times add up "
    "to more than an undisturbed run takes."
)
_SINGLE = "The profile covers a single iteration, so each layer's time is one sample."
_ENQUEUE = (
    "Queuing the work takes the host about as long as the GPU computes, so the GPU waits between kernels."
)
_GAPS = "The whole also contains the gaps between kernels, which no layer is charged for."
#: What is known of the query times of trtexec up to 8.4.
WARM_UP = "Up to TensorRT 8.4 the query times in the file include the queries that warmed up."
_TRANSFERS = (
    "Only the end-to-end latency is known, which may also contain the transfers of inputs and outputs."
)


def describe_latency(engine: Engine, layers: Sequence[LayerFacts]) -> Latency:
    """Return end-to-end figures beside the sum of the layers, with the reasons for the gap."""
    summary = engine.measurement.summary
    times = [layer.avg_ms for layer in layers if layer.avg_ms is not None]
    latency = Latency(
        end_to_end=_stated(summary.get("Latency")) or _of_queries(engine, "latency_ms"),
        gpu_compute=_stated(summary.get("GPU Compute Time")) or _of_queries(engine, "compute_ms"),
        enqueue=_stated(summary.get("Enqueue Time")) or _of_queries(engine, "enqueue_ms"),
        h2d=_stated(summary.get("H2D Latency")) or _of_queries(engine, "h2d_ms"),
        d2h=_stated(summary.get("D2H Latency")) or _of_queries(engine, "d2h_ms"),
        throughput_qps=engine.measurement.throughput_qps,
        layer_sum_ms=math.fsum(times) if times else None,
        profiled_layers=len(times),
        profiled_iterations=engine.profiled_iterations,
    )
    latency.is_held_back_by_host = is_held_back_by_host(latency)
    whole = latency.gpu_compute or latency.end_to_end
    if whole is not None and whole.mean_ms > 0 and latency.layer_sum_ms is not None:
        latency.gap_percent = 100 * (latency.layer_sum_ms / whole.mean_ms - 1)
        latency.gap_reasons = _gap_reasons(engine, layers, latency, latency.gap_percent)
    return latency


def measurement_warnings(engine: Engine) -> list[str]:
    """Return trtexec's own warnings, and what its version is known to do to the query times."""
    warnings = list(engine.measurement.warnings)
    if engine.queries is not None and _counts_warm_up(engine.setup.tensorrt_version):
        warnings.append(WARM_UP)
    return warnings


def _counts_warm_up(version: str) -> bool:
    """Tell whether this version of trtexec is known to be older than 8.5.

    Source: printPerformanceReport in trtexec's sampleReporting.cpp of 8.4 and 8.5.
    """
    parts = version.split(".")
    if len(parts) < 2 or not (parts[0].isdecimal() and parts[1].isdecimal()):
        return False
    return (int(parts[0]), int(parts[1])) < (8, 5)


def _stated(statistic: Statistic | None) -> Percentiles | None:
    if statistic is None:
        return None
    return Percentiles(
        source="trtexec's summary",
        count=None,
        min_ms=statistic.min_ms,
        mean_ms=statistic.mean_ms,
        median_ms=statistic.median_ms,
        max_ms=statistic.max_ms,
        percentiles={f"{rank:g}": time for rank, time in sorted(statistic.percentiles.items())},
    )


def _of_queries(engine: Engine, column: str) -> Percentiles | None:
    times = getattr(engine.queries, column, ())
    # Zeros stand for what the file does not say, and for transfers that were left out.
    return describe(times, "query times") if any(times) else None


def _gap_reasons(
    engine: Engine, layers: Sequence[LayerFacts], latency: Latency, gap_percent: float
) -> list[str]:
    """Return what is known to make the sum of the layers larger or smaller than the whole."""
    if abs(gap_percent) < _AGREEMENT_PERCENT:
        return ["The two agree within 5%."]
    reasons = _reasons_for_more(layers) if gap_percent > 0 else _reasons_for_less(layers, latency)
    if engine.profiled_iterations == 1:
        reasons.append(_SINGLE)
    return reasons


def _reasons_for_more(layers: Sequence[LayerFacts]) -> list[str]:
    reasons = [_EVENTS]
    streams = {layer.stream for layer in layers if layer.stream is not None}
    if len(streams) > 1:
        reasons.append(
            f"Layers run on {len(streams)} streams at once; the sum counts them one after another."
        )
    return reasons


def _reasons_for_less(layers: Sequence[LayerFacts], latency: Latency) -> list[str]:
    reasons = []
    missing = sum(layer.avg_ms is None and not layer.structural for layer in layers)
    if missing:
        reasons.append(f"The profile has no time of {counted(missing, 'layer')}.")
    if latency.gpu_compute is None:
        reasons.append(_TRANSFERS)
    if latency.is_held_back_by_host:
        reasons.append(_ENQUEUE)
    else:
        reasons.append(_GAPS)
    return reasons

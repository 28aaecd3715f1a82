"""TRX508 fusion.tiny-kernels."""

from __future__ import annotations

import math

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_count, format_ms

_US_PER_MS = 1e3


@rule(
    "TRX508",
    "fusion.tiny-kernels",
    "warning",
    needs=("profile",),
    section="latency",
    many="{count} engines spend their time in tiny kernels.",
    thresholds=(
        Threshold("longest_us", 10.0, 0, 1000, "Time up to which a kernel is called tiny, in microseconds."),
        Threshold("least_count", 50, 1, 1_000_000, "Fewer tiny kernels are not told of."),
        Threshold("share_percent", 10.0, 0, 100, "Tiny kernels' share of the time from which they are told."),
    ),
)
def tiny_kernels(
    context: Context, *, longest_us: float, least_count: float, share_percent: float
) -> list[Hit]:
    """Much of the time goes into kernels that take a few microseconds each.

    Cost:
        Starting a kernel and waiting for it to drain takes a few microseconds whatever it does; in a tiny
        one that is most of its time, and the GPU is mostly idle.

    Advice:
        Run with a CUDA graph (`--useCudaGraph`; on by default since TensorRT 11), which takes the launches
        off the host. Give each kernel more to do: a larger batch, several streams, larger heads instead of
        many small ones. Raise `--builderOptimizationLevel` (TensorRT 8.6) and look at what the other rules
        of this family say could be fused.

    False alarm:
        Profiling puts a time stamp around each kernel, which adds about a microsecond to each and lets none
        overlap; compare with the end-to-end time.

    Bound:
        For each tiny kernel the time of the quickest kernel of the engine, taken to be what starting one
        costs.
    """
    timed = [layer for layer in context.layers if layer.avg_ms and not layer.structural]
    tiny = [layer for layer in timed if (layer.avg_ms or 0.0) * _US_PER_MS <= longest_us]
    time_ms = context.time_ms(tiny)
    if len(tiny) < least_count or context.share_percent(time_ms) < share_percent:
        return []
    quickest = min(layer.avg_ms or math.inf for layer in tiny)
    message = (
        f"{format_count(len(tiny))} of {format_count(len(timed))} kernels take at most {longest_us:g} µs each"
    )
    evidence = {"Quickest": format_ms(quickest), "Mean": format_ms(time_ms / len(tiny))}
    return [
        Hit(f"{message} and run{for_time(context, tiny)}.", tuple(tiny), quickest * len(tiny), evidence),
    ]

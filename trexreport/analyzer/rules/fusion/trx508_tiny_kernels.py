"""TRX508 fusion.tiny-kernels."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import estimate
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import layer_time
from trexreport.analyzer.rules.rule import Hit, Threshold, built_in_rule
from trexreport.numbers import format_count, format_ms

_US_PER_MS = 1e3


@built_in_rule(
    "warning",
    needs=("profile",),
    section="latency",
    thresholds=(
        Threshold("max_us", 10.0, 0, 1000, "Maximum time of a tiny kernel, in µs.", former_name="longest-us"),
        Threshold(
            "min_count", 50, 1, 1_000_000, "Minimum number of tiny kernels.", former_name="least-count"
        ),
        min_share(10.0, "tiny kernels"),
    ),
)
def tiny_kernels(context: Context, *, max_us: float, min_count: float, share_percent: float) -> Iterator[Hit]:
    """Kernels of a few microseconds take much of layer time.

    Cost:
        Launching a kernel and waiting for its end takes a few microseconds whatever it does; a tiny kernel
        spends most of its time on that, and the GPU is mostly idle.

    Recommendation:
        [unless graph: Run with a CUDA graph, which removes the launch overhead of the host.] [..10, unless
        graph: trtexec does so with --useCudaGraph.] [11.0.., unless graph: trtexec does so without
        --noCudaGraph.] Give each kernel more work: a larger batch, several streams, larger heads instead of
        many small ones. [8.6.., unless level-5: --builderOptimizationLevel=5 lets the builder try more
        kernels.] Look at the other rules of this family for what can be fused.

    False alarm:
        Profiling adds about a microsecond to each kernel and prevents overlap; compare with the end-to-end
        time.

    Est. savings:
        For each tiny kernel the time of the fastest kernel of the engine, which is assumed to be launch
        overhead.
    """
    measured = [layer for layer in context.layers if layer.avg_ms and not layer.structural]
    tiny = [layer for layer in measured if (layer.avg_ms or 0.0) * _US_PER_MS <= max_us]
    time_ms = context.time_ms(tiny)
    if len(tiny) < min_count or context.share_percent(time_ms) < share_percent:
        return
    fastest = min(layer.avg_ms or math.inf for layer in tiny)
    which = f"{format_count(len(tiny))} of {format_count(len(measured))} kernels"
    yield Hit(
        f"{which} run for {max_us:g} µs or less and take {layer_time(context, tiny)}.",
        tuple(tiny),
        estimate(0.0, fastest * len(tiny), "rule"),
        {"Fastest": format_ms(fastest), "Mean": format_ms(time_ms / len(tiny))},
    )

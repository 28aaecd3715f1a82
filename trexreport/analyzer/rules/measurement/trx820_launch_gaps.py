"""TRX820 measurement.launch-gaps."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule, estimate
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import format_ms, format_number, format_percentage

#: What the CPU causes: it launches late, or a launched kernel starts late.
_OF_LAUNCHES = ("host", "launch")


@built_in_rule(
    "warning",
    needs=("kernels",),
    thresholds=(
        percent("idle_percent", 10.0, "Minimum idle time inside queries, in percent of the traced time."),
    ),
)
def launch_gaps(context: Context, *, idle_percent: float) -> Hits:
    """The GPU is idle between the kernels of a query, because they are launched late.

    Cost:
        No kernel runs until the CPU has launched it. Where kernels are shorter than launches, the GPU waits
        after each of them. A trace of Nsight Systems shows these gaps.

    Recommendation:
        [unless no-capture: Run the engine as a CUDA graph, which launches all kernels at once: in code
        capture the call that enqueues, in a stream.] [unless no-capture, if dynamic-inputs: Each shape needs
        a graph of its own.] [..10, unless no-capture: trtexec does so with --useCudaGraph.] [11.0.., unless
        no-capture: trtexec does so without --noCudaGraph.] Fewer and larger kernels help too: larger batches,
        and fusion.

    False alarm:
        Tracing takes CPU time at each call, so that gaps are shorter without it. Compare with GPU compute
        time of a run without a trace.

    Est. savings:
        An estimate: up to the idle time of a query.
    """
    trace = context.analysis.kernels
    parts = [each for each in trace.idle if each.cause in _OF_LAUNCHES] if trace else []
    inside = {each.cause: each.percent - each.between_percent for each in parts}
    idle = inside.get("host", 0.0) + inside.get("launch", 0.0)
    if trace is None or trace.traced_ms is None or not parts or idle < idle_percent:
        return
    idle_ms = idle / 100 * trace.traced_ms / trace.traced_queries
    yield Hit(
        f"Inside queries, no kernel runs in {format_percentage(idle)} of the traced time because kernels are "
        f"launched late: {format_ms(idle_ms)} of a query.",
        (),
        estimate(0.0, idle_ms, "measured-gap"),
        {
            "CPU": format_percentage(inside.get("host", 0.0)),
            "Kernel start": format_percentage(inside.get("launch", 0.0)),
            "Kernels of a query": f"{format_number(trace.launches, 4)}",
        },
    )

"""TRX821 measurement.host-bound-phases."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.numbers import format_percentage

_LABELS = {
    "copy": "Copies",
    "synchronization": "Synchronization",
    "host": "CPU",
    "launch": "Kernel start",
    "unknown": "Unknown",
}


@built_in_rule(
    "info",
    needs=("kernels",),
    thresholds=(
        percent("idle_percent", 20.0, "Minimum idle time between queries, in percent of the traced time."),
    ),
)
def host_bound_phases(context: Context, *, idle_percent: float) -> Hits:
    """The GPU is idle between queries.

    Cost:
        Between the last kernel of a query and the first one of the next, the application synchronizes,
        copies or prepares data: the throughput is below what the engine allows.

    Recommendation:
        Keep several queries in flight, with several execution contexts and streams, and copy in streams of
        their own. Nsight Systems shows what the host does in the longest gaps.

    False alarm:
        An application that has less to do than the GPU can leaves it idle, too; and tracing takes CPU time.

    Est. savings:
        Not estimated: the throughput changes, and not the time of a query.
    """
    trace = context.analysis.kernels
    if trace is None or trace.between_percent is None or trace.between_percent < idle_percent:
        return
    parts = sorted(trace.idle, key=lambda each: -each.between_percent)
    yield Hit(
        f"Between queries, no kernel runs in {format_percentage(trace.between_percent)} of the traced time.",
        (),
        None,
        {
            _LABELS[each.cause]: format_percentage(each.between_percent)
            for each in parts
            if each.between_percent
        },
    )

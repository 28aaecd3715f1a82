"""From when to when the CPU put each query of a trace into its streams."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

from trexreport.model.kernel_trace import KernelTrace, Span


def enqueue_spans(trace: KernelTrace) -> Sequence[Span]:
    """Return the queries without a wait at their end.

    `IExecutionContext::executeV2` waits for the GPU inside the range of the query, once all is launched; a
    query that is enqueued has no such wait.
    """
    launched: dict[int, int] = {}
    for run in trace.runs:
        if run.query is not None and run.call_end_ns is not None:
            launched[run.query] = max(launched.get(run.query, run.call_end_ns), run.call_end_ns)
    waits = sorted((each.begin_ns, each.end_ns) for each in trace.waits)
    found = []
    for number, query in enumerate(trace.queries):
        end_ns = query.end_ns
        if number in launched:
            place = bisect_left(waits, (launched[number], 0))
            if place < len(waits) and waits[place][1] <= query.end_ns:
                end_ns = waits[place][0]
        found.append(Span(query.begin_ns, end_ns))
    return found

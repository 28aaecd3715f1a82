"""One query of a trace as it ran: kernels, copies, what the CPU did, and times without a kernel.

The query is the one whose time on the GPU is the median. Its timeline begins where the last kernel of the
query before it ended, so that it shows what is between queries; the first query begins with its call.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import kernels as facts
from trexreport.analyzer.kernel_trace.enqueued import enqueue_spans
from trexreport.analyzer.kernel_trace.idle import Gap
from trexreport.analyzer.kernel_trace.spans import Times
from trexreport.model.kernel_trace import KernelRun, KernelTrace

_NS_PER_MS = 1e6
#: Twice the kernels of the largest engines; a page has all of them.
MOST_RUNS = 20_000
_MOST_COPIES = 2_000
_KINDS: Mapping[int, facts.CopyKind] = {
    1: "host-to-device",
    2: "device-to-host",
    8: "device-to-device",
    -1: "memset",
}


def describe_timeline(
    trace: KernelTrace, gaps: Sequence[Gap], entries: Mapping[int, int]
) -> facts.KernelTimeline | None:
    """Return the timeline of the median query; None where no kernel is known to be of a query.

    Args:
        trace: The trace.
        gaps: Of the whole trace.
        entries: The kernel of each run, by the place of the run.
    """
    spans = _gpu_spans(trace.runs)
    if not spans or not entries:
        return None
    ordered = sorted(spans, key=lambda query: (spans[query][1] - spans[query][0], query))
    query = ordered[(len(ordered) - 1) // 2]
    window = _window(trace, spans, query)
    inside = [place for place, run in enumerate(trace.runs) if _overlaps((run.begin_ns, run.end_ns), window)]
    inside.sort(key=lambda place: (trace.runs[place].begin_ns, trace.runs[place].end_ns, place))
    runs = [
        facts.TimelineRun(
            entries.get(place),
            *_times((trace.runs[place].begin_ns, trace.runs[place].end_ns), window),
            trace.runs[place].stream,
        )
        for place in inside[:MOST_RUNS]
    ]
    return facts.KernelTimeline(
        query=sorted(spans).index(query) + 1,
        total_ms=(window[1] - window[0]) / _NS_PER_MS,
        runs=runs,
        left_out=len(inside) - len(runs),
        copies=[
            facts.TimelineCopy(
                _KINDS.get(each.kind, "other"),
                *_times((each.begin_ns, each.end_ns), window),
                each.size_bytes,
                each.stream,
            )
            for each in trace.copies
            if _overlaps((each.begin_ns, each.end_ns), window)
        ][:_MOST_COPIES],
        gaps=[
            facts.TimelineGap(each.cause, *_times((each.begin_ns, each.end_ns), window))
            for each in gaps
            if _overlaps((each.begin_ns, each.end_ns), window)
        ],
        calls=list(_calls(trace, window)),
    )


def _gpu_spans(runs: Iterable[KernelRun]) -> dict[int, Times]:
    """Return from when to when each query ran kernels."""
    spans: dict[int, Times] = {}
    for run in runs:
        if run.query is not None:
            begin, end = spans.get(run.query, (run.begin_ns, run.end_ns))
            spans[run.query] = (min(begin, run.begin_ns), max(end, run.end_ns))
    return spans


def _window(trace: KernelTrace, spans: Mapping[int, Times], query: int) -> Times:
    begin, end = spans[query]
    before = [last for other, (_, last) in spans.items() if other < query]
    called = trace.queries[query].begin_ns if query < len(trace.queries) else begin
    # Queries may overlap on the GPU.
    return min(begin, max(before) if before else called), end


def _calls(trace: KernelTrace, window: Times) -> Iterable[facts.TimelineCall]:
    for each in enqueue_spans(trace):
        if _overlaps((each.begin_ns, each.end_ns), window):
            yield facts.TimelineCall("query", *_times((each.begin_ns, each.end_ns), window))
    for each in trace.waits:
        if _overlaps((each.begin_ns, each.end_ns), window):
            yield facts.TimelineCall("wait", *_times((each.begin_ns, each.end_ns), window))


def _overlaps(span: Times, window: Times) -> bool:
    return span[0] < window[1] and span[1] > window[0]


def _times(span: Times, window: Times) -> tuple[float, float]:
    """Return from when to when it is in the window, in ms from its beginning."""
    begin, end = max(span[0], window[0]), min(span[1], window[1])
    return (begin - window[0]) / _NS_PER_MS, (end - window[0]) / _NS_PER_MS

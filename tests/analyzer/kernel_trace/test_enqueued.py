"""How long the CPU takes for a query, without waiting for the GPU."""

from trexreport.analyzer.kernel_trace.enqueued import enqueue_spans
from trexreport.model.kernel_trace import KernelConfig, KernelRun, KernelTrace, Span


def ends(waits, queries=((0, 100), (200, 300))):
    """Return when each query is enqueued: each launches a kernel until 20 ns after its beginning."""
    runs = [
        KernelRun(0, begin + 30, begin + 90, query=number, call_begin_ns=begin + 10, call_end_ns=begin + 20)
        for number, (begin, _) in enumerate(queries)
    ]
    trace = KernelTrace(
        configs=(KernelConfig("k", "k"),),
        runs=tuple(runs),
        waits=tuple(Span(*each) for each in waits),
        queries=tuple(Span(*each) for each in queries),
        query_kind="enqueue",
    )
    return [each.end_ns for each in enqueue_spans(trace)]


def test_a_wait_at_the_end_of_a_query_is_not_its_enqueue_time():
    assert ends([(22, 98), (225, 299)]) == [22, 225]


def test_waits_before_the_last_launch_and_after_the_query_change_nothing():
    assert ends([(2, 8), (110, 150), (295, 320)]) == [100, 300]
    assert ends([]) == [100, 300]

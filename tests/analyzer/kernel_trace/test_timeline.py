"""The timeline of one traced query: what it holds is what the trace has between two queries' ends."""

import itertools
import math
import random

import pytest

from trexreport.analyzer.kernel_trace.describe import describe_kernels
from trexreport.analyzer.kernel_trace.timeline import MOST_RUNS
from trexreport.model.kernel_trace import DeviceCopy, KernelConfig, KernelRun, KernelTrace, Span
from trexreport.wording.kernels import timeline_sentence

CONFIG = (KernelConfig("k", "k"),)


def run(begin, end, query, stream=7, call=None):
    return KernelRun(0, begin, end, stream, query, None, None, call, None if call is None else call + 10)


def timeline(runs, queries, **more):
    trace = KernelTrace(
        configs=CONFIG, runs=tuple(runs), queries=tuple(queries), query_kind="enqueue", **more
    )
    return describe_kernels(trace, ())


QUERIES = (Span(0, 100), Span(1_000, 1_200), Span(2_000, 2_100))
RUNS = (
    run(50, 150, 0, call=20),
    run(1_100, 1_150, 1, call=1_050),
    run(1_160, 1_400, 1, 8, call=1_100),
    run(1_390, 1_410, None),
    run(2_050, 2_450, 2, call=2_010),
)


def test_the_median_query_is_shown_from_the_end_of_the_one_before_it():
    facts = timeline(
        RUNS,
        QUERIES,
        copies=(DeviceCopy(1_010, 1_060, 1, 600), DeviceCopy(2_000, 2_010, -1)),
        waits=(Span(1_300, 1_500),),
    )
    found = facts.timeline
    assert (found.query, found.left_out) == (2, 0)
    assert found.total_ms == pytest.approx(0.00125)
    times = [(round(1e6 * each.begin_ms), round(1e6 * each.end_ms), each.stream) for each in found.runs]
    assert times == [(950, 1_000, 7), (1_010, 1_250, 8), (1_240, 1_250, 7)]
    assert [each.kernel for each in found.runs] == [0, 0, None]
    assert [(each.kind, round(1e6 * each.begin_ms), each.size_bytes) for each in found.copies] == [
        ("host-to-device", 860, 600)
    ]
    assert [(each.kind, round(1e6 * each.begin_ms), round(1e6 * each.end_ms)) for each in found.calls] == [
        ("query", 850, 1_050),
        ("wait", 1_150, 1_250),
    ]
    assert [(round(1e6 * each.begin_ms), round(1e6 * each.end_ms)) for each in found.gaps] == [
        (0, 950),
        (1_000, 1_010),
    ]
    assert timeline_sentence(facts).startswith("Query 2 of 3, whose GPU time is the median, as it was traced")


def test_the_first_query_begins_with_its_call():
    facts = timeline(RUNS[:1], QUERIES[:1])
    assert facts.timeline.total_ms == pytest.approx(0.00015)
    assert "from its call on" in timeline_sentence(facts)


def test_without_queries_there_is_no_timeline():
    trace = KernelTrace(configs=CONFIG, runs=(run(0, 5, None),))
    facts = describe_kernels(trace, ())
    assert facts.timeline is None
    assert timeline_sentence(facts) == ""


def test_what_is_left_out_is_counted():
    runs = [run(10 * place, 10 * place + 5, 0) for place in range(MOST_RUNS + 3)]
    facts = timeline(runs, QUERIES[:1])
    assert (len(facts.timeline.runs), facts.timeline.left_out) == (MOST_RUNS, 3)
    assert "3 more runs are not shown" in timeline_sentence(facts)


@pytest.mark.parametrize("seed", range(20))
def test_kernels_and_gaps_fill_the_whole_timeline(seed):
    pick = random.Random(seed)
    runs, queries, now = [], [], 0
    for query in range(pick.randint(1, 7)):
        queries.append(Span(now, now + 40))
        for _ in range(pick.randint(1, 30)):
            begin = now + pick.choice((0, 0, 5, 60))
            took = pick.randint(1, 50)
            runs.append(run(begin, begin + took, query, pick.choice((7, 8)), call=max(begin - 20, 0)))
            now = begin + (took if pick.random() < 0.8 else took // 2)
        now = max(now, *(each.end_ns for each in runs)) + pick.randint(0, 90)
    found = timeline(sorted(runs, key=lambda each: each.begin_ns), queries).timeline
    ends = [each for item in (*found.runs, *found.gaps) for each in (item.begin_ms, item.end_ms)]
    moments = sorted({round(2e6 * each) for each in ends})
    free = [
        (begin, end)
        for begin, end in itertools.pairwise(moments)
        if not any(2e6 * e.begin_ms < (begin + end) / 2 < 2e6 * e.end_ms for e in found.runs)
    ]
    idle = math.fsum(each.end_ms - each.begin_ms for each in found.gaps)
    assert idle == pytest.approx(math.fsum(end - begin for begin, end in free) / 2e6)
    assert found.total_ms == pytest.approx(max(each.end_ms for each in found.runs))

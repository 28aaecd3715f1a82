"""Gaps, idle time and its causes equal a count of single moments."""

from random import Random

import pytest

from trexreport.analyzer.kernel_trace.idle import concurrent_ns, find_gaps, stream_waits_ns
from trexreport.analyzer.kernel_trace.spans import Coverage, union, without
from trexreport.model.kernel_trace import DeviceCopy, KernelConfig, KernelRun, KernelTrace, Span

END = 400


def random_trace(seed):
    rng = Random(seed)
    runs = []
    for _ in range(rng.randrange(1, 25)):
        begin = rng.randrange(END - 40)
        call = rng.choice([None, max(begin - rng.randrange(60), 0)])
        took = rng.randrange(0, 15)
        runs.append(
            KernelRun(
                config=0,
                begin_ns=begin,
                end_ns=begin + rng.randrange(0, 30),
                stream=rng.choice([7, 13]),
                call_begin_ns=call,
                call_end_ns=None if call is None else min(call + took, begin),
            )
        )
    spans = [(begin, begin + rng.randrange(30)) for begin in rng.sample(range(END), 8)]
    return KernelTrace(
        configs=(KernelConfig("k", "k"),),
        runs=tuple(runs),
        copies=tuple(DeviceCopy(begin, end, 1) for begin, end in spans[:4]),
        waits=tuple(Span(begin, end) for begin, end in spans[4:]),
    )


def inside(spans, moment):
    return any(begin <= moment < end for begin, end in spans)


def counted_moments(trace):
    """Return cause to number of moments, each of which is decided by itself."""
    spans = [(run.begin_ns, run.end_ns) for run in trace.runs]
    order = sorted(trace.runs, key=lambda run: (run.begin_ns, run.end_ns))
    counts = {}
    for moment in range(order[0].begin_ns, max(run.end_ns for run in trace.runs)):
        if inside(spans, moment):
            continue
        after = next(run for run in order if run.begin_ns > moment)
        if inside([(each.begin_ns, each.end_ns) for each in trace.copies], moment):
            cause = "copy"
        elif after.call_begin_ns is None:
            cause = "unknown"
        elif moment >= after.call_end_ns:
            cause = "launch"
        elif moment < after.call_begin_ns and inside(
            [(each.begin_ns, each.end_ns) for each in trace.waits], moment
        ):
            cause = "synchronization"
        else:
            cause = "host"
        counts[cause] = counts.get(cause, 0) + 1
    return counts


@pytest.mark.parametrize("seed", range(60))
def test_causes_equal_those_of_single_moments(seed):
    trace = random_trace(seed)
    found = {}
    for gap in find_gaps(trace):
        # Kernels without a duration may split what one moment after the other does not.
        for cause, took in gap.parts.items():
            found[cause] = found.get(cause, 0) + took
        assert sum(gap.parts.values()) == gap.took_ns
    assert found == counted_moments(trace)


@pytest.mark.parametrize("seed", range(30))
def test_concurrent_time_equals_a_count_of_moments(seed):
    runs = random_trace(seed).runs
    moments = [sum(run.begin_ns <= moment < run.end_ns for run in runs) for moment in range(END + 100)]
    assert concurrent_ns(runs) == sum(running > 1 for running in moments)


def test_a_stream_waits_while_only_others_run():
    def run(begin, end, stream, call):
        return KernelRun(0, begin, end, stream, call_begin_ns=call - 5, call_end_ns=call)

    runs = (run(10, 50, 7, 5), run(60, 90, 13, 20), run(95, 99, 13, 70), run(100, 120, 7, 95))
    # Stream 13: from 20, when its kernel is launched, to 50; nothing ran from 50 to 60.
    # Stream 7: launched at 95, and stream 13 runs until 99.
    assert stream_waits_ns(runs) == {7: 4, 13: 30}


def test_unions_and_holes():
    spans = union([(5, 9), (0, 3), (8, 12), (3, 4), (20, 20)])
    assert spans == [(0, 4), (5, 12), (20, 20)]
    assert without([(0, 10), (20, 30)], [(2, 3), (8, 22), (29, 40)]) == [(0, 2), (3, 8), (22, 29)]
    covered = Coverage(spans)
    assert [covered.between(0, 20), covered.between(2, 6), covered.between(12, 19)] == [11, 3, 0]


@pytest.mark.parametrize(("begin", "end"), [(None, None), (5, None), (None, 15)])
def test_a_gap_before_a_kernel_whose_call_is_known_in_part_has_an_unknown_cause(begin, end):
    runs = (KernelRun(0, 0, 10), KernelRun(0, 20, 30, call_begin_ns=begin, call_end_ns=end))
    (gap,) = find_gaps(KernelTrace(configs=(KernelConfig("k", "k"),), runs=runs))
    assert (gap.begin_ns, gap.end_ns, gap.parts) == (10, 20, {"unknown": 10})

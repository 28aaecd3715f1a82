"""Averages of queries in a log show how much they vary, and a step from one level to another."""

from __future__ import annotations

import pytest

from trexreport.analyzer.logged_averages import describe_averages
from trexreport.model import TraceAverages
from trexreport.reader.trtexec_log import read_trtexec_log


def describe(*times):
    return describe_averages(TraceAverages(10, tuple(times)))


def test_clocks_that_rise_once_are_a_step():
    found = describe(7.2, 7.21, 7.19, 7.2, *[6.3, 6.29, 6.31] * 5)
    assert (found.queries, found.count, found.step_after) == (10, 19, 4)
    assert (found.before_ms, found.after_ms) == (7.2, 6.3)
    assert found.variation_percent == pytest.approx(5.66, abs=0.01)
    assert found.gpu_ms == pytest.approx(6.489, abs=0.001)
    assert found.host_ms is None


def test_latency_is_averaged_likewise():
    assert describe_averages(TraceAverages(10, (7.0, 8.0), (9.0, 10.0))).host_ms == 9.5


@pytest.mark.parametrize(
    "times",
    [
        [7.0] * 12,
        [7.0, 6.3] * 6,  # alternating
        [7.0, 7.0, *[6.3] * 8],  # two are too few
        [7.0] * 6 + [6.9] * 6,  # less than 5%
        [7.0, 7.0],
    ],
)
def test_other_changes_are_not_a_step(times):
    assert describe(*times).step_after is None


def test_without_averages_nothing_is_known():
    assert describe_averages(None) is None
    assert describe_averages(TraceAverages(10, ())) is None


def test_a_log_states_averages_of_one_number_of_queries():
    lines = [
        "[01/02/2025-03:04:05] [I] Average on 10 runs - GPU latency: 7.5 ms - Host latency: 8 ms",
        "[01/02/2025-03:04:05] [I] Average on 10 runs - GPU latency: 7 ms - Host latency: 8 ms (x)",
    ]
    stated = read_trtexec_log("\n".join(lines), "a.log").measurement.averages
    assert stated == TraceAverages(10, (7.5, 7.0), (8.0, 8.0))
    # Of older versions, and cut in the middle.
    cut = [lines[0], lines[1].partition(" - Host")[0]]
    assert read_trtexec_log("\n".join(cut), "a.log").measurement.averages == TraceAverages(10, (7.5, 7.0))
    lines.append(lines[0].replace("10 runs", "5 runs"))
    assert read_trtexec_log("\n".join(lines), "a.log").measurement.averages is None


def test_a_step_is_found_among_as_many_averages_as_queries():
    found = describe(*[7.2, 7.21] * 10_000, *[6.3, 6.31] * 40_000)
    assert (found.step_after, found.before_ms, found.after_ms) == (20_000, 7.205, 6.305)

"""Averages of queries in a log show how much they vary, and a step from one level to another."""

from __future__ import annotations

import json

import pytest

from tests.limits import processor_seconds
from trexreport.analyzer import analyze
from trexreport.analyzer.end_to_end import describe_averages
from trexreport.analyzer.transfers import find_transfers
from trexreport.model import TraceAverages
from trexreport.reader import read_engine
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.plain_text import write_plain_text
from trexreport.wording.latency import averages_note


def describe(*times):
    return describe_averages(TraceAverages(10, tuple(times)))


def test_clocks_that_rise_once_are_a_step():
    found = describe(7.2, 7.21, 7.19, 7.2, *[6.3, 6.29, 6.31] * 5)
    assert (found.queries, found.count, found.step_after) == (10, 19, 4)
    assert (found.before_ms, found.after_ms) == (7.2, 6.3)
    assert found.variation_percent == pytest.approx(5.66, abs=0.01)


def test_times_that_rise_all_the_time_are_no_step():
    found = describe(8.0, 8.3, 8.7, 9.0, 9.4, 9.7, 10.1, 10.4, 10.8, 11.1)
    assert (found.step_after, found.before_ms, found.after_ms) == (None, 8.0, 11.1)


@pytest.mark.parametrize("factor", [1, -1])
def test_times_that_rise_or_fall_in_steps_change_through_the_run(factor):
    found = describe(*([8.0] * 6 + [8.9] * 6 + [10.1] * 6)[::factor])
    assert (found.step_after, found.before_ms, found.after_ms) == (None, *(8.0, 10.1)[::factor])
    found = describe(*[8.0] * 6, *[10.1] * 6, *[8.0] * 6)
    assert found.before_ms is None


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


@pytest.mark.parametrize(
    ("times", "expected"),
    [
        ([9.0, 6.2, *[5.0] * 18], (2, 9.0, 5.0, True, True)),
        ([*[5.0] * 9, 8.1, *[5.0] * 10], (1, 8.1, 5.0, False, True)),
        ([7.0, 6.3] * 8, (8, 7.0, 6.3, False, False)),
        ([7.0, 6.3] * 4, None),  # too few for groups
        ([5.0, 5.05] * 6, None),  # they agree
        ([5.0, 5.5, 6.0, 6.5, 7.0] * 4, None),  # they scatter
        ([8.0] * 6 + [10.1] * 6, None),  # a step
        ([5.0], None),
    ],
)
def test_a_few_slow_averages_and_two_groups_are_distinguished(times, expected):
    slow = describe(*times).slow
    assert (slow and (slow.count, slow.max_ms, slow.others_ms, slow.are_first, slow.are_few)) == expected


def test_slow_ones_of_many_averages_are_found_at_once():
    scattered = [1 + number * 7919 % 20_000 / 10_000 for number in range(20_000)]
    with processor_seconds(5):
        assert describe(*scattered).slow is None
        assert describe(*[2.0, 1.0, 1.01, 0.99] * 5_000).slow.count == 5_000


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
    lines.append(lines[0].replace("10 runs", "5 runs"))
    assert read_trtexec_log("\n".join(lines), "a.log").measurement.averages is None


def lines(*times, ending=""):
    return "\n".join(
        f"[01/02/2025-03:04:05] [I] Average on 10 runs - GPU latency: {gpu} ms - Host latency: {gpu + 4} ms"
        f"{ending.format(gpu + 3.9)}"
        for gpu in times
    )


@pytest.mark.parametrize(
    "ending", [" (end to end 12.5 ms, enqueue {} ms)", " (enqueue {} ms)"], ids=["up to 8.4", "later"]
)
@pytest.mark.parametrize("prefix", ["[01/02/2025-03:04:05] [I] ", ""])
def test_a_log_of_averages_alone_states_latency_compute_and_enqueue_time(tmp_path, ending, prefix):
    text = lines(2.0, 2.5, 2.25, ending=ending).replace("[01/02/2025-03:04:05] [I] ", prefix)
    path = tmp_path / "averages.log"
    path.write_text(text)
    latency = analyze(read_engine(path)).latency
    figures = [latency.end_to_end, latency.gpu_compute, latency.enqueue]
    assert [each.median_ms for each in figures] == pytest.approx([6.25, 2.25, 6.15])
    assert all(each.of_averages for each in figures)
    found = find_transfers(latency)
    assert (found.total_ms, found.inward_ms, found.waiting) == (pytest.approx(4.0), None, None)


@pytest.mark.parametrize(("timed", "busy_percent"), [(31, 69.75), (300, None)])
def test_some_of_the_averages_are_no_mean_of_the_run(tmp_path, timed, busy_percent):
    count = f"[01/02/2025-03:04:05] [I] Timing trace has {timed} queries over {timed / 310:.6f} s\n"
    path = tmp_path / "averages.log"
    path.write_text(count + lines(2.0, 2.5, 2.25))
    latency = analyze(read_engine(path)).latency
    assert (latency.throughput_qps, latency.gpu_compute.count) == (pytest.approx(310, rel=1e-4), 30)
    assert latency.gpu_busy_percent == (busy_percent and pytest.approx(busy_percent, rel=1e-4))


def test_a_summary_is_believed_before_averages(tmp_path):
    path = tmp_path / "whole.log"
    summary = "[01/02/2025-03:04:05] [I] GPU Compute Time: min = 1 ms, max = 3 ms, mean = 2 ms, median = 2 ms"
    path.write_text(f"{lines(2.0, 2.5)}\n{summary}, percentile(99%) = 3 ms\n")
    latency = analyze(read_engine(path)).latency
    assert latency.gpu_compute.median_ms == 2
    assert not latency.gpu_compute.of_averages


def test_the_summary_says_between_which_levels_times_change(tmp_path):
    path = tmp_path / "step.log"
    path.write_text(lines(*[5.0] * 6, *[6.5] * 6))
    text = write_plain_text(engine_summary(analyze(read_engine(path)))).replace("\N{NO-BREAK SPACE}", " ")
    assert "from 5.00 ms to 6.50 ms during the run" in text
    path.write_text(lines(*[5.0] * 12))
    assert "during the run" not in write_plain_text(engine_summary(analyze(read_engine(path))))


def test_the_summary_says_that_figures_are_of_averages(tmp_path):
    for name, times in (("a_288.log", (2.0, 2.1)), ("a_480.log", (5.0, 5.1))):
        (tmp_path / name).write_text(lines(*times))
    analysis = analyze(read_engine(tmp_path))
    assert [each.file for each in analysis.logs] == ["a_288.log", "a_480.log"]
    assert averages_note(analysis.latency) == "of 2 averages of 10 queries each"
    assert averages_note(analysis.latency) in write_plain_text(engine_summary(analysis))
    (found,) = (each for each in analysis.lint.findings if each.code == "TRX817")
    assert "Shortest time: a_288.log, median latency 6.05\u00a0ms." in found.message


def test_a_step_is_found_among_as_many_averages_as_queries():
    found = describe(*[7.2, 7.21] * 10_000, *[6.3, 6.31] * 40_000)
    assert (found.step_after, found.before_ms, found.after_ms) == (20_000, 7.205, 6.305)


@pytest.mark.parametrize("state", ["Enabled", "Disabled"])
def test_the_summary_says_that_latency_is_without_transfers(tmp_path, state):
    path = tmp_path / "run.log"
    begin = "[01/02/2025-03:04:05] [I]"
    options = f"{begin} === Inference Options ===\n{begin} Data transfers: {state}\n{begin} "
    path.write_text(f"{options}\n{lines(2.0)}\n")
    text = " ".join(write_plain_text(engine_summary(analyze(read_engine(path)))).split())
    assert ("without data transfers" in text) is (state == "Disabled")


@pytest.mark.parametrize(("h2d", "d2h"), [(0, 0), (0, 0.1), (0.1, 0)])
def test_copies_that_take_no_time_are_none(tmp_path, h2d, d2h):
    path = tmp_path / "run.log"
    times = {"Latency": 2.9 + h2d + d2h, "H2D Latency": h2d, "GPU Compute Time": 2.9, "D2H Latency": d2h}
    figures = [
        f"{key}: min = {ms} ms, max = {ms} ms, mean = {ms} ms, median = {ms} ms" for key, ms in times.items()
    ]
    path.write_text("\n".join(["=== Performance summary ===", "Throughput: 344.474 qps", *figures]))
    text = " ".join(write_plain_text(engine_summary(analyze(read_engine(path)))).split())
    assert ("without data transfers" in text) is (h2d == d2h)


@pytest.mark.parametrize("h2d", [0, 0.125])
def test_queries_whose_copies_take_no_time_copy_nothing(tmp_path, h2d):
    path = tmp_path / "net.timing.json"
    path.write_text(json.dumps([{"latencyMs": 2.5 + h2d, "computeMs": 2.5, "h2dMs": h2d, "d2hMs": 0}] * 20))
    text = " ".join(write_plain_text(engine_summary(analyze(read_engine(path)))).split())
    assert ("without data transfers" in text) is (h2d == 0)

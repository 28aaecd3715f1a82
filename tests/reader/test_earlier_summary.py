"""The performance summary of trtexec 7 has a line for each figure."""

from __future__ import annotations

import pytest

from trexreport.model import Statistic
from trexreport.reader.earlier_summary import EarlierSummary
from trexreport.reader.trtexec_log import read_trtexec_log

LINES = [
    "Host Latency",
    "min: 1 ms (end to end 1.5 ms)",
    "max: 4 ms (end to end 4.5 ms)",
    "mean: 2 ms (end to end 2.5 ms)",
    "median: 3 ms (end to end 3.5 ms)",
    "percentile: 3.75 ms at 99% (end to end 4 ms at 99%)",
    "throughput: 479.452 qps",
    "walltime: 3.00343 s",
    "Enqueue Time",
    "min: 0.1 ms",
    "max: 0.3 ms",
    "median: 0.2 ms",
    "GPU Compute",
    "min: 0.5 ms",
    "max: 3.5 ms",
    "mean: 1.5 ms",
    "median: 2.5 ms",
    "percentile: 3 ms at 99%",
    "total compute time: 2.86978 s",
]
LATENCY, COMPUTE = Statistic(1, 4, 2, 3, {99.0: 3.75}), Statistic(0.5, 3.5, 1.5, 2.5, {99.0: 3})


def _read(*lines):
    found = EarlierSummary()
    for line in lines:
        found.take(line)
    return found


def test_figures_and_totals_have_the_names_of_later_versions():
    found = _read(*LINES)
    assert found.summary == {"Latency": LATENCY, "GPU Compute Time": COMPUTE}
    assert found.totals == {"throughput_qps": 479.452, "walltime_s": 3.00343, "gpu_time_s": 2.86978}


def test_a_log_of_it_is_measured():
    log = "".join(f"[02/21/2021-22:49:52] [I] {line}\n" for line in LINES)
    banner = "&&&& {} TensorRT.trtexec # trtexec --deploy=a.prototxt --batch=4\n"
    facts = read_trtexec_log(banner.format("RUNNING") + log + banner.format("PASSED"), "a.log")
    assert facts.measurement.summary == {"Latency": LATENCY, "GPU Compute Time": COMPUTE}
    assert facts.measurement.throughput_qps == 479.452
    assert facts.notes == ()


@pytest.mark.parametrize("end", range(len(LINES)))
def test_what_is_cut_is_left_out(end):
    found = _read(*LINES[:end])
    assert ("Latency" in found.summary) is (end >= 5)
    assert ("GPU Compute Time" in found.summary) is (end >= 17)
    assert ("throughput_qps" in found.totals) is (end >= 7)


def test_figures_that_are_none_are_left_out():
    found = _read(
        "Host Latency", "min: x ms", "max: 1 ms", "mean: nan ms", "median: 1 ms", "throughput: inf qps"
    )
    assert (found.summary, found.totals) == ({}, {})


def test_a_throughput_of_no_counted_queries_is_not_known():
    assert "throughput_qps" not in _read("throughput: 0 qps").totals


def test_what_a_summary_has_once_is_of_another_one():
    found = _read("throughput: 0 qps", "GPU Compute", "min: 1 ms", "max: 1 ms", "mean: 1 ms")
    assert found.repeats("throughput: 0 qps")
    assert not found.repeats("walltime: 3 s")
    assert not found.repeats("GPU Compute")
    found.take("median: 1 ms")
    assert found.repeats("GPU Compute")


@pytest.mark.parametrize(
    "lines",
    [["[I] GPU Compute", "[I] min: 7 ms"], ["Average over 10 runs is 4.5 ms (host walltime is 4.8 ms)."]],
)
def test_the_format_says_that_trtexec_is_an_early_one(lines):
    text = "\n".join(["trtexec --loadEngine=a.engine", *lines, "[I] end"])
    assert read_trtexec_log(text, "a.log").setup.build_facts["Log format"] == "trtexec 7 or earlier"


def test_averages_of_trtexec_5_are_read():
    line = "Average over 10 runs is 4.5 ms (host walltime is 4.8 ms, 99% percentile time is 4.6).\n"
    averages = read_trtexec_log(
        f"&&&& RUNNING TensorRT.trtexec # trtexec\n{2 * line}", "a.log"
    ).measurement.averages
    assert averages is not None
    assert (averages.queries, list(averages.gpu_ms), list(averages.latency_ms)) == (10, [4.5, 4.5], [])

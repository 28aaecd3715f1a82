"""Sentences about the state of the GPU during the measurement."""

from __future__ import annotations

import pytest

from trexreport.analyzer.analysis.gpu import GpuRun, GpuWatch
from trexreport.analyzer.gpu_watch import describe_gpu_watch
from trexreport.model import GpuProcess, GpuSamples
from trexreport.wording.gpu_watch import gpu_process, gpu_watch_sentence, gpu_watch_warnings


def watched(clocks=(1500.0, 1500.0), maximum=None, **changes) -> GpuWatch:
    facts = {} if maximum is None else {"max_sm_clock_mhz": maximum}
    return describe_gpu_watch(
        GpuSamples(tuple(map(float, range(len(clocks)))), clocks, facts=facts, **changes)
    )


def sentence(*arguments, **changes) -> str:
    return gpu_watch_sentence(watched(*arguments, **changes)).replace("\N{NO-BREAK SPACE}", " ")


@pytest.mark.parametrize(
    ("clocks", "text"),
    [
        ((None,), "1 sample of the GPU was taken, without its clock."),
        ((None, None), "2 samples of the GPU were taken, without its clock."),
        ((1500.0, 1500.0), "While queries were timed, the SM clock was 1,500 MHz."),
        (
            (1500.0, 1500.0, 1400.0),
            "While queries were timed, the SM clock was 1,500 MHz, at times 1,400 MHz.",
        ),
    ],
)
def test_the_clock_is_stated_with_its_lowest_where_that_is_lower(clocks, text):
    assert sentence(clocks) == text


def test_the_share_of_the_highest_clock_is_stated_where_it_is_known():
    assert sentence(maximum=2000.0).endswith("was 1,500 MHz, 75.0% of the board's maximum.")


@pytest.mark.parametrize(
    ("masks", "end"),
    [
        ((0, 0), "; it was not throttled."),
        ((4, 0), "; it was throttled in 50.0% of the samples."),
        ((), "MHz."),
    ],
)
def test_throttling_is_stated_where_it_is_known(masks, end):
    assert sentence(throttle_reasons=masks).endswith(end)


def test_a_run_without_reasons_is_no_warning():
    run = GpuRun(name="timing", samples=2, seconds=1.0, held_down_percent=50.0)
    assert gpu_watch_warnings(GpuWatch(samples=2, runs=[run])) == []


def test_a_process_is_named_with_what_is_known_of_it():
    assert gpu_process(GpuProcess(7, "", None)) == "a program (process 7)"
    assert gpu_process(GpuProcess(7, "python", 2**20)).startswith("python (process 7, 1")

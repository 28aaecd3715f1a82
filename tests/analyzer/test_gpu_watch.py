"""The summary of the samples of the GPU's state."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer import analyze
from trexreport.analyzer.gpu_watch import describe_gpu_watch
from trexreport.model import Engine, GpuPhase, GpuProcess, GpuSamples
from trexreport.renderer.charts.catalog import report_charts
from trexreport.wording.gpu_watch import gpu_watch_sentence, gpu_watch_warnings, locked_clock

POWER_CAP, THERMAL, IDLE, CHOSEN = 0x4, 0x40, 0x1, 0x2
SAMPLES = GpuSamples(
    time_s=(0, 1, 2, 3, 4, 5),
    sm_clock_mhz=(300, 1500, 1400, 300, 1700, 1600),
    memory_clock_mhz=(1593,) * 6,
    power_w=(50, 300, 310, 50, 200, 220),
    energy_j=(1000, 1200, 1500, 1600, 1800, 2000),
    temperature_c=(40, 50, 60, 55, 61, 59),
    gpu_utilization_percent=(0, 99, 97, 0, 98, 96),
    throttle_reasons=(IDLE, POWER_CAP, POWER_CAP | THERMAL, IDLE, CHOSEN, 0),
    phases=(GpuPhase("profile", 0, 2.5), GpuPhase("timing", 2.6, 5.5)),
    facts={"max_sm_clock_mhz": 2000.0, "power_limit_w": 350.0},
)


def test_a_run_is_described_by_the_samples_in_which_the_gpu_was_busy():
    profile, timing = describe_gpu_watch(SAMPLES).runs
    assert (profile.sm_clock_mhz, profile.lowest_sm_clock_mhz) == (1450, 1400)
    assert profile.power_w == 305
    assert profile.energy_j == 500, "of the whole run, idle or not"
    assert profile.temperature_c == 60
    assert (profile.held_down_percent, profile.reasons) == (
        100,
        ["software power cap", "hardware thermal slowdown"],
    )
    assert (timing.sm_clock_mhz, timing.lowest_sm_clock_mhz) == (1650, 1600)
    assert (timing.held_down_percent, timing.reasons) == (0, []), (
        "clocks that the user chose hold nothing down"
    )
    assert timing.seconds == pytest.approx(2.9)


def test_the_sentence_is_of_the_queries_that_were_timed():
    watch = describe_gpu_watch(SAMPLES)
    assert gpu_watch_sentence(watch).replace("\u00a0", " ") == (
        "While queries were timed, the SM clock was 1,650 MHz, at times 1,600 MHz, 82.5% of the board's "
        "maximum; it was not throttled."
    )
    assert gpu_watch_warnings(watch) == []


def test_locked_clocks_are_stated_in_place_of_the_highest():
    locked = describe_gpu_watch(replace(SAMPLES, locked_sm_clock="sustained"))
    assert (locked.is_clock_locked, locked.locked_clock_mhz) == (True, None)
    assert "it was locked to the highest clock that the board sustains" in gpu_watch_sentence(locked)
    assert "maximum" not in gpu_watch_sentence(locked)
    at_clock = describe_gpu_watch(replace(SAMPLES, locked_sm_clock=1410.0))
    assert (at_clock.is_clock_locked, at_clock.locked_clock_mhz) == (True, 1410)
    assert locked_clock(at_clock) == "1,410 MHz"
    assert locked_clock(describe_gpu_watch(SAMPLES)) == ""


def test_a_clock_that_was_held_down_and_others_on_the_gpu_are_warned_of():
    timed = replace(SAMPLES, phases=(GpuPhase("timing", 0, 2.5),))
    watch = describe_gpu_watch(replace(timed, other_processes=(GpuProcess(12, "/bin/train", 2**30),)))
    held, others = gpu_watch_warnings(watch)
    assert held.endswith("of the samples: software power cap, hardware thermal slowdown.")
    assert "/bin/train (process 12, 1" in others


def test_what_nvml_did_not_report_is_none():
    (run,) = describe_gpu_watch(GpuSamples((1.0, 2.0))).runs
    assert run.name == "measurement"
    assert run.sm_clock_mhz is run.power_w is run.energy_j is run.held_down_percent is None
    assert describe_gpu_watch(None) is describe_gpu_watch(GpuSamples(())) is None


def test_without_utilization_the_reasons_say_when_it_was_idle():
    profile, _ = describe_gpu_watch(replace(SAMPLES, gpu_utilization_percent=())).runs
    assert profile.sm_clock_mhz == 1450


def test_of_many_samples_the_lowest_clock_and_the_highest_power_are_drawn():
    count = 20_000
    clocks, powers = [1500.0] * count, [300.0] * count
    clocks[7_777], powers[12_345] = 900.0, 400.0
    watch = describe_gpu_watch(
        GpuSamples(tuple(each / 10 for each in range(count)), tuple(clocks), power_w=tuple(powers))
    )
    assert len(watch.time_s) == len(watch.sm_clock_mhz) == len(watch.power_w) <= 800
    assert min(watch.sm_clock_mhz) == 900
    assert max(watch.power_w) == 400
    assert watch.time_s == sorted(watch.time_s)


def test_the_counter_of_energy_that_began_again_states_nothing():
    def energy(*joules):
        samples = GpuSamples(tuple(map(float, range(len(joules)))), energy_j=joules)
        return describe_gpu_watch(samples).runs[0].energy_j

    assert energy(5.0, 5.0) == 0
    assert energy(5.0, 9.0, 7.0) == 2
    assert energy(5.0, 4.0) is energy(5.0) is None


def test_where_the_gpu_was_always_idle_its_clock_is_that_of_all_samples():
    idle = replace(SAMPLES, gpu_utilization_percent=(0,) * 6)
    assert describe_gpu_watch(idle).runs[0].sm_clock_mhz == 1400


def test_the_use_of_the_gpu_counts_before_its_reasons():
    watch = describe_gpu_watch(replace(SAMPLES, throttle_reasons=(IDLE,) * 6))
    assert watch.runs[0].sm_clock_mhz == 1450


def test_the_power_limit_that_was_set_counts_before_the_reported_one():
    assert describe_gpu_watch(SAMPLES).power_limit_w == 350
    assert describe_gpu_watch(replace(SAMPLES, set_power_limit_w=250.0)).power_limit_w == 250


def test_reasons_are_ordered_by_how_often_they_were_there():
    masks = (THERMAL, POWER_CAP | THERMAL, POWER_CAP | THERMAL, THERMAL, 0, 0)
    names = describe_gpu_watch(replace(SAMPLES, throttle_reasons=masks, phases=())).runs[0].reasons
    assert names == ["hardware thermal slowdown", "software power cap"]


def test_ten_other_processes_are_named():
    processes = tuple(GpuProcess(pid, "a", None) for pid in range(12))
    watch = describe_gpu_watch(replace(SAMPLES, other_processes=processes))
    assert [each.pid for each in watch.other_processes] == list(range(10))


@given(
    st.lists(st.tuples(st.none() | st.floats(0, 3000), st.none() | st.integers(0, 0x7FF)), min_size=1),
    st.lists(st.tuples(st.floats(0, 50), st.floats(0, 50)), max_size=3),
)
def test_shares_are_shares_and_columns_fit(rows, phases):
    clocks, masks = zip(*rows, strict=True)
    samples = GpuSamples(
        tuple(map(float, range(len(rows)))),
        clocks,
        throttle_reasons=masks,
        phases=tuple(GpuPhase("timing", *sorted(phase)) for phase in phases),
    )
    watch = describe_gpu_watch(samples)
    assert len(watch.sm_clock_mhz) == len(watch.time_s)
    for run in watch.runs:
        assert run.held_down_percent is None or 0 <= run.held_down_percent <= 100
        assert bool(run.held_down_percent) == bool(run.reasons)
    assert len(gpu_watch_warnings(watch)) == bool(watch.timed.reasons)


def test_a_report_shows_what_there_is_to_show():
    charts = report_charts(analyze(Engine("x", (), gpu=SAMPLES)))
    assert {"gpu-clocks", "gpu-power", "gpu-temperature", "gpu-utilization"} <= set(charts)
    labels = [line.label for line in charts["gpu-clocks"].reference_lines]
    assert labels == ["profile", "timing", "max SM clock"]
    few = report_charts(analyze(Engine("x", (), gpu=GpuSamples((0, 1), power_w=(1.0, 2.0)))))
    assert [key for key in few if key.startswith("gpu")] == ["gpu-power"]

"""The GPU facts of the engines are compared."""

from __future__ import annotations

import dataclasses

from alignment_plans import convolution
from compared_engines import engine_of

from trexreport.analyzer.comparison.compare import compare
from trexreport.model import GpuPhase, GpuProcess, GpuSamples

LAYERS = [convolution("/a/Conv", ["input"], ["a"])]
WATCHED = GpuSamples(
    time_s=(0.0, 1.0, 2.0, 3.0, 4.0),
    sm_clock_mhz=(300.0, 1980.0, 1402.0, 1408.0, None),
    memory_clock_mhz=(2619.0,) * 5,
    throttle_reasons=(0x1, 0x20, 0x4, 0x6, None),
    phases=(GpuPhase("profile", 0.5, 1.5), GpuPhase("timing", 1.5, 3.5)),
    other_processes=(GpuProcess(7),),
    locked_sm_clock=1410.0,
    facts={"driver": "550.54.14", "power_limit_w": 350.0},
)


def values(*engines, **device):
    """Return the conditions of engines, and of one more of which the device is stated."""
    comparison = compare([*engines, engine_of(LAYERS, device=device)])
    return {each.name: each.values for each in comparison.conditions}


def watched(samples=WATCHED):
    return dataclasses.replace(engine_of(LAYERS), gpu=samples)


def test_samples_of_the_timing_count():
    found = values(watched())
    assert found["clock while measured"] == ["1,410\u00a0MHz", ""]
    assert found["memory clock while measured"] == ["2,625\u00a0MHz", ""]
    assert found["throttling"] == ["software power cap", ""]
    assert found["locked clock"] == ["1410 MHz", ""]
    assert found["other processes"] == ["1", ""]


def test_without_phases_all_samples_count():
    found = values(watched(dataclasses.replace(WATCHED, phases=(), throttle_reasons=(1, 2, 2, 1, 0))))
    assert found["clock while measured"] == ["1,410\u00a0MHz", ""]
    assert found["throttling"] == ["none", ""]


def test_driver_and_power_limit_are_taken_from_wherever_they_are_stated():
    found = values(watched(), **{"Driver": "535.1", "Power limit": "300 W"})
    assert found["driver"] == ["550.54.14", "535.1"]
    assert found["power limit"] == ["350 W", "300 W"]
    # Not a second time under the name of the option.
    assert not [name for name in found if "“" in name]
    lowered = dataclasses.replace(WATCHED, set_power_limit_w=250.0, locked_sm_clock=None)
    found = values(watched(lowered))
    assert (found["power limit"][0], found["locked clock"][0]) == ("250 W", "no")


def test_a_gpu_that_was_not_sampled_is_unknown():
    found = values(watched(GpuSamples(time_s=())))
    assert "driver" not in found
    assert "throttling" not in found
    assert not {"clock while measured", "power limit"} & set(values(engine_of(LAYERS)))

"""States of a run, one after the other, between steps of its times."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from trexreport.analyzer.modes import find_two_modes
from trexreport.analyzer.states import find_change, find_states, ramp_ends


def states_of(*parts, noise=0.003, slope=0.0):
    """Return the states of parts of a run, each a number of queries and their time in ms."""
    chance = random.Random(5)
    times = [
        ms * (1 + chance.gauss(0, noise) + slope * at / queries)
        for queries, ms in parts
        for at in range(queries)
    ]
    return find_states(times)


def test_each_step_is_found_where_it_is():
    found = states_of((800, 11.2), (600, 13.9), (750, 16.85))
    assert [each.begins for each in found] == pytest.approx([0, 800, 1400], abs=3)
    assert [each.ms for each in found] == pytest.approx([11.2, 13.9, 16.85], rel=0.002)


def test_outliers_between_do_not_end_a_state():
    assert len(states_of((400, 1.0), (12, 1.9), (400, 1.0), (500, 1.3), (500, 1.5))) == 3


@pytest.mark.parametrize("noise", [0.0, 0.003, 0.02])
@pytest.mark.parametrize("count", [12, 100, 5000])
def test_noise_alone_is_one_state(count, noise):
    assert [each.begins for each in states_of((count, 3.0), noise=noise)] == [0]


@pytest.mark.parametrize("counts", [(3, 7), (100, 200), (2500, 900)])
@pytest.mark.parametrize("after", [1.1, 0.9])
def test_one_step_is_two_states(counts, after):
    found = states_of((counts[0], 1.0), (counts[1], after))
    assert [each.begins for each in found] == pytest.approx([0, counts[0]], abs=counts[1] // 500)


@pytest.mark.parametrize(
    "parts",
    [
        [(20, 1.0 + at / 100) for at in range(100)],
        [(20, 1.0 + at / 1000) for at in range(100)],
        [(3, 1.0 if at % 2 else 1.3) for at in range(600)],
        [(100, 1.0), *((20, 1.0 + at / 50) for at in range(25)), (100, 1.5)],
        [],
    ],
    ids=["ramp", "slow ramp", "to and fro", "ramp between levels", "nothing"],
)
def test_gradual_changes_and_alternating_times_are_no_states(parts):
    assert len(states_of(*parts)) <= 1


def test_parts_that_drift_as_much_as_they_differ_are_no_states():
    assert states_of((700, 1.0), (700, 1.02), (700, 1.04), noise=0.0)
    assert not states_of((700, 1.0), (700, 1.02), (700, 1.04), noise=0.0, slope=0.018)


def test_cycles_are_no_ramp():
    # The parts have one median, but for a little that grows; the ends are at the top and at the bottom.
    times = [1 - 0.1 * math.sin(math.tau * 5 * at / 600) + at / 1e6 for at in range(600)]
    assert ramp_ends(times) is None
    assert ramp_ends([at / 1e3 + each for at, each in enumerate(times)]) is not None


@pytest.mark.parametrize("pace", [0.5, 2, 4])
def test_a_saturating_change_is_a_ramp(pace):
    times = [2 - math.exp(-pace * at / 200) for at in range(200)]
    for each in (times, times[::-1]):
        assert ramp_ends(each) == pytest.approx((each[10], each[-10]), rel=0.01)


def _change_of(times_ms, start_ms=()):
    return find_change(times_ms, find_two_modes(times_ms), start_ms)


def _wave(ms, queries):
    return [ms * (1 + 0.002 * (at % 3 - 1)) for at in range(queries)]


def test_a_step_has_levels_seconds_and_rates():
    times = [*_wave(4.0, 300), *_wave(5.0, 500)]
    starts = [50.0 + each for each in itertools.accumulate(times, initial=0.0)][:-1]
    found = _change_of(times, starts)
    assert (found.begins, found.ends, found.is_gradual) == (300, 300, False)
    assert (found.before_ms, found.after_ms) == pytest.approx((4.0, 5.0))
    assert (found.begins_s, found.ends_s) == pytest.approx((1.2, 1.2), rel=0.001)
    assert (found.before_qps, found.after_qps) == pytest.approx((250.0, 200.0), rel=0.001)


def test_rates_are_queries_over_time_and_not_those_of_the_median():
    after = [6.2 if at % 5 else 5.7 for at in range(500)]
    times = [*_wave(4.0, 300), *after]
    found = _change_of(times, list(itertools.accumulate(times, initial=0.0))[:-1])
    assert found.after_ms == 6.2
    assert found.after_qps == pytest.approx(1000 / 6.1, rel=0.002)
    assert (found.after_p5_ms, found.after_p95_ms) == (5.7, 6.2)


def test_the_levels_of_a_ramp_are_those_at_its_ends():
    ramp = [4.0 + 2.0 * at / 200 for at in range(200)]
    found = _change_of([*_wave(4.0, 600), *ramp, *_wave(6.0, 800)])
    assert found.is_gradual
    assert (found.begins, found.ends) == pytest.approx((600, 800), abs=35)
    assert (found.before_ms, found.after_ms) == pytest.approx((4.0, 6.0), rel=0.005)
    assert (found.begins_s, found.before_qps) == (None, None)


def test_alternating_times_do_not_change_for_good():
    assert _change_of([1.0 if at % 2 else 1.3 for at in range(600)]) is None
    assert _change_of([3.0] * 600) is None


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("is_reversed", [False, True])
def test_a_step_to_or_from_a_noisy_level_is_not_gradual(seed, is_reversed):
    chance = random.Random(seed)
    noisy = [1.3 * (1 + chance.uniform(-0.06, 0.06)) for _ in range(700)]
    times = [*_wave(1.0, 300), *noisy]
    found = _change_of(times[::-1] if is_reversed else times)
    assert found.begins == found.ends == (700 if is_reversed else 300)

"""Two groups of times are distinguished from one group, however skewed."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.modes import MIN_QUERIES_FOR_MODES, _density, find_two_modes

_STEP_MS = 0.001024  # of the events' clock on the GPUs of the real captures

ONE_GROUP = {
    "normal": lambda dice: dice.gauss(1, 0.02),
    "uniform": lambda dice: dice.uniform(1, 1.2),
    "triangular": lambda dice: dice.triangular(1, 2, 1),
    "exponential tail": lambda dice: 1 + dice.expovariate(10),
    "lognormal": lambda dice: dice.lognormvariate(0, 0.5),
    "one in twenty far off": lambda dice: (
        dice.gauss(1, 0.01) if dice.random() > 0.05 else dice.gauss(2, 0.01)
    ),
    "heavy tail": lambda dice: dice.paretovariate(1.5),
    "steps of the clock": lambda dice: round(dice.gauss(0.05, 0.0008) / _STEP_MS) * _STEP_MS,
    "two neighboring steps": lambda dice: 0.02 if dice.random() > 0.4 else 0.02 + _STEP_MS,
}
TWO_GROUPS = {
    "halves": lambda dice: dice.gauss(1 if dice.random() > 0.5 else 1.08, 0.01),
    "a fifth": lambda dice: dice.gauss(1 if dice.random() > 0.2 else 1.1, 0.01),
    "far apart": lambda dice: dice.gauss(1 if dice.random() > 0.3 else 3, 0.001),
    "two values": lambda dice: 1 if dice.random() > 0.3 else 1.1,
    "skewed both": lambda dice: dice.lognormvariate(0, 0.05) * (1 if dice.random() > 0.3 else 1.6),
}


def sample(draw, seed, count=600):
    dice = random.Random(seed)
    return [draw(dice) for _ in range(count)]


@pytest.mark.parametrize("name", ONE_GROUP)
@pytest.mark.parametrize("count", [MIN_QUERIES_FOR_MODES * 2, 3000])
def test_one_group_is_one(name, count):
    assert [find_two_modes(sample(ONE_GROUP[name], seed, count)) for seed in range(20)] == [None] * 20


@pytest.mark.parametrize("name", TWO_GROUPS)
def test_two_groups_are_two(name):
    for seed in range(20):
        assert find_two_modes(sample(TWO_GROUPS[name], seed)) is not None


def test_groups_are_described():
    found = find_two_modes([*[1.0, 1.01, 0.99] * 100, *[2.0] * 100])
    assert found is not None
    assert (found.fast_ms, found.slow_ms, found.slow_percent, found.changes) == (1.0, 2.0, 25.0, 1)


def test_changes_count_each_step_from_one_side_to_the_other():
    found = find_two_modes([1.0, 2.0] * 150)
    assert found is not None
    assert found.changes == 299


def test_few_queries_show_nothing():
    assert find_two_modes([1.0, 2.0] * (MIN_QUERIES_FOR_MODES // 2 - 1)) is None


def test_a_single_outlier_does_not_matter():
    times = [*[1.0, 1.2] * 200, 1e6]
    found = find_two_modes(times)
    assert found is not None
    assert found.slow_ms == 1.2


@given(
    st.lists(st.floats(0, 1e9), min_size=1, max_size=40),
    st.integers(MIN_QUERIES_FOR_MODES // 20, MIN_QUERIES_FOR_MODES // 2),
)
def test_groups_part_the_times(values, times):
    queries = values * times
    found = find_two_modes(queries)
    if found is not None:
        assert min(queries) <= found.fast_ms < found.slow_ms <= max(queries)
        assert 10 <= found.slow_percent <= 90
        assert 1 <= found.changes < len(queries)


@given(st.integers(0, 1000), st.floats(0.1, 50), st.sampled_from(sorted(TWO_GROUPS)))
def test_the_unit_does_not_matter(seed, factor, name):
    """Longer times have the same groups; the clock's step stays far below their distance."""
    times = sample(TWO_GROUPS[name], seed, 300)
    one, other = find_two_modes(times), find_two_modes([time * factor for time in times])
    assert one is not None
    assert other is not None
    assert other.slow_percent == pytest.approx(one.slow_percent, abs=3)


def test_the_density_counts_what_lies_within_four_bandwidths():
    """Of one time in the middle it is a Gaussian up to there, 1/3000 of its height, and nothing beyond."""
    density = _density([1.0], 0.0, 2.0, 0.1)
    width = 2.0 / len(density)
    middle = density.index(max(density))
    steps = [abs(cell - middle) * width / 0.1 for cell in range(len(density))]
    exact = [math.exp(-0.5 * step**2) for step in steps]
    assert density == pytest.approx(exact, abs=4e-4)
    reached = [step for step, value in zip(steps, density, strict=True) if value]
    assert 4.0 <= max(reached) <= 4.0 + width / 0.1
    assert min(reached) == 0

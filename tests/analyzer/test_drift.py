"""A drift is separated from chance, two groups and autocorrelation, by simulated runs."""

from __future__ import annotations

import math
import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.stability import describe_stability, find_drift
from trexreport.model import QueryTimes

RUNS = 40


def _scatter(percent):
    return lambda chance, count: [1 + percent / 100 * chance.gauss(0, 1) for _ in range(count)]


def _two_groups(apart, share, dwell):
    def times(chance, count):
        found, is_slow = [], chance.random() < share
        for _ in range(count):
            if chance.random() < 1 / dwell:
                is_slow = chance.random() < share
            found.append(1 + apart / 100 * is_slow + 0.002 * chance.gauss(0, 1))
        return found

    return times


def _correlated(factor, percent):
    def times(chance, count):
        value, found = chance.gauss(0, percent / 100), []
        for _ in range(count):
            value = factor * value + percent / 100 * math.sqrt(1 - factor**2) * chance.gauss(0, 1)
            found.append(1 + value)
        return found

    return times


def _heavy(chance, count):
    return [1 + 0.01 * chance.lognormvariate(0, 1.2) for _ in range(count)]


def _outliers(chance, count):
    return [
        1 + 0.01 * chance.gauss(0, 1) + 30 * chance.random() * (chance.random() < 0.01) for _ in range(count)
    ]


STEADY = {
    "scatter of 1%": _scatter(1),
    "scatter of 10%": _scatter(10),
    "heavy tail": _heavy,
    "outliers": _outliers,
    **{
        f"groups {apart}% apart, {share:.0%} slow, dwell {dwell}": _two_groups(apart, share, dwell)
        for apart, share in ((3, 0.5), (10, 0.2))
        for dwell in (1, 5, 50, 500)
    },
    "autocorrelation 0.5": _correlated(0.5, 2),
    "autocorrelation 0.95": _correlated(0.95, 2),
}
DRIFTING = {
    "5% slower in the end, scatter 1%": lambda at: 0.05 * at,
    "10% faster in the end, scatter 1%": lambda at: -0.1 * at,
    "10% slower at first, a tenth long": lambda at: 0.1 * math.exp(-at / 0.1),
    "5% slower at first, a fifth long": lambda at: 0.05 * math.exp(-at / 0.2),
}


def _judged(times):
    if not find_drift(times):
        return False  # the rest costs more
    queries = QueryTimes(
        compute_ms=tuple(times), latency_ms=tuple(times), h2d_ms=(), d2h_ms=(), enqueue_ms=()
    )
    stability = describe_stability(queries)
    return stability.is_drifting and abs(stability.drift_percent) > 2


@pytest.mark.parametrize("count", [300, 1000])
def test_steady_runs_do_not_drift(count):
    """At most 5% over all kinds of runs, and at most 10% (four of forty, 5% and chance) in each."""
    found = {}
    for name, make in STEADY.items():
        chance = random.Random(f"{name} {count}")
        found[name] = sum(_judged(make(chance, count)) for _ in range(RUNS))
    assert max(found.values()) <= RUNS // 10, found
    assert sum(found.values()) <= 0.05 * RUNS * len(STEADY), found


def test_short_runs_drift_only_where_the_change_is_clear():
    for name, make in STEADY.items():
        chance = random.Random(f"{name} short")
        assert not any(find_drift(make(chance, 100)) for _ in range(20)), name
    chance = random.Random(7)
    for count in (50, 170):
        ramp = [20 + 7 * min(1, at / count) + chance.gauss(0, 0.2) for at in range(count)]
        assert (find_drift(ramp), find_drift(ramp[::-1])) == (1, -1)
    warming = [20 + 2 * (1 - math.exp(-at / 20)) + chance.gauss(0, 0.05) for at in range(100)]
    assert (find_drift(warming), find_drift(warming[::-1])) == (1, -1)
    assert find_drift([1.0, 1.0, 1.0, 2.0, 2.0, 2.0] * 5) == find_drift([1.0] * 9 + [2.0] * 9) == 0
    assert find_drift([1.0] * 20 + [2.0] * 20) == 1


@pytest.mark.parametrize("count", [20, 30, 46])
def test_few_queries_drift_only_where_the_change_is_clear(count):
    """Of 1,000 runs of each kind below 1% seem to drift by chance, and 3% of strongly autocorrelated ones."""
    for name, make in STEADY.items():
        chance = random.Random(f"{name} {count}")
        found = sum(find_drift(make(chance, count)) != 0 for _ in range(1000))
        assert found <= (30 if name == "autocorrelation 0.95" else 9), (name, found)


@pytest.mark.parametrize(("count", "slowest"), [(20, 1.2), (46, 1.1), (120, 1.08)])
def test_few_queries_that_get_slower_and_stay_slow_drift(count, slowest):
    chance = random.Random(count)
    levels = [1 + (slowest - 1) * min(max((at / count - 0.2) / 0.35, 0.0), 1.0) for at in range(count)]
    times = [level + 0.005 * chance.gauss(0, 1) for level in levels]
    times[1] *= 1.15
    assert (find_drift(times), find_drift(times[::-1])) == (1, -1)
    # Of a step it is not certain that it is none between two clocks.
    assert find_drift([1.1 if level > 1.05 else 1.0 for level in levels]) == 0


def test_times_that_drift_are_not_called_steady():
    warming = tuple(290 + 42 * (1 - math.exp(-at / 15)) + at % 3 / 10 for at in range(100))
    for times, is_drifting in ((warming, True), (warming[::2] + warming[1::2], False)):
        queries = QueryTimes(compute_ms=times, latency_ms=times, h2d_ms=(), d2h_ms=(), enqueue_ms=())
        found = describe_stability(queries)
        # Without their order many are faster than the median.
        assert (found.is_drifting, found.is_steady) == (is_drifting, False)
        assert found.variation_percent > 2.5 > found.percentiles.tail_percent


@pytest.mark.parametrize("name", DRIFTING)
def test_drifts_are_found(name):
    chance = random.Random(name)
    shape, scatter = DRIFTING[name], _scatter(1)
    runs = [[time + shape(at / 600) for at, time in enumerate(scatter(chance, 600))] for _ in range(30)]
    assert sum(map(_judged, runs)) >= 27


@given(st.floats(0.01, 100), st.integers(200, 400))
def test_constant_times_do_not_drift_and_the_unit_does_not_matter(factor, count):
    assert find_drift([factor] * count) == 0
    ramp = [factor * (1 + place / 1000) for place in range(count)]
    assert find_drift(ramp) == 1
    assert find_drift(ramp[::-1]) == -1

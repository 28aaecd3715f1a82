"""Levels within a run are found, and widen what is known of its time; noise alone has none."""

from __future__ import annotations

import math
import random

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times
from trexreport.analyzer.comparison.verdict_cycles import cycle_range
from trexreport.analyzer.comparison.verdict_levels import find_levels
from trexreport.analyzer.comparison.verdict_spread import spread_between
from trexreport.analyzer.percentiles import median


def levels(times):
    return find_levels(times, math.log(median(sorted(times))))


def shaped(shape, count=1000, seed=1, **kind):
    """Return noisy times of which the level at each part of the run is a logarithm."""
    times = run(seed, count, variation=0.004, **kind)
    return [time * math.exp(shape(place / count)) for place, time in enumerate(times)]


@pytest.mark.parametrize("count", [300, 3000])
@pytest.mark.parametrize(
    ("shape", "pattern", "height"),
    [
        (lambda at: 0.05 * (at > 0.3), "clock-step", 0.05),
        (lambda at: -0.05 * (at > 0.7), "clock-step", 0.05),
        (lambda at: 0.1 * at, "slow-drift", 0.08),
        # From the median to the end: what a warm-up falls from does not count.
        (lambda at: 0.1 * math.exp(-at / 0.3), "long-warm-up", 0.019),
        (lambda at: 0.05 * (0.3 < at < 0.6), "changing-level", 0.05),
    ],
)
def test_changes_of_the_level_are_found_with_their_height(shape, pattern, height, count):
    found = levels(shaped(shape, count))
    assert found.pattern == pattern
    assert 0.8 * height < found.below + found.above < 1.6 * height


@pytest.mark.parametrize(("count", "expected"), [(25, "clock-step"), (400, "steady")])
def test_one_fast_query_begins_a_step_of_a_short_run_only(count, expected):
    times = shaped(lambda _: 0, count)
    assert levels([0.9 * times[0], *times[1:]]).pattern == expected
    assert levels([1.1 * times[0], *times[1:]]).pattern == "steady"


@pytest.mark.parametrize("count", [25, 40, 60])
@pytest.mark.parametrize("height", [0.1, -0.1])
@pytest.mark.parametrize("is_late", [False, True])
def test_a_step_next_to_the_ends_of_a_short_run_is_found(height, count, is_late):
    after = count - 4 if is_late else 4
    found = levels(
        [math.exp(height * (place >= after)) * t for place, t in enumerate(shaped(lambda _: 0, count))]
    )
    assert found.pattern == "clock-step"
    assert found.below + found.above == pytest.approx(0.1, abs=0.01)
    assert found.place == pytest.approx(after / count, abs=2 / count)


@pytest.mark.parametrize("height", [0.1, -0.1])
def test_a_step_that_fills_no_block_is_found(height):
    found = levels([math.exp(height * (place >= 4)) * t for place, t in enumerate(shaped(lambda _: 0, 400))])
    assert found.pattern == "clock-step"
    assert found.place == 4 / 400
    # A slower beginning of several runs is a warm-up.
    assert found.is_early == (height < 0)


@pytest.mark.parametrize("length", [0.5, 1, 2, 5, 12])
def test_first_queries_of_a_warm_up_are_no_step(length):
    times = [math.exp(0.2 * math.exp(-place / length)) * t for place, t in enumerate(shaped(lambda _: 0, 35))]
    assert levels(times).pattern != "clock-step"


@pytest.mark.parametrize("kind", [{}, {"outliers": 0.05}, {"correlation": 0.5}])
@pytest.mark.parametrize("count", [20, 100, 1000])
def test_noise_has_one_level(kind, count):
    found = [levels(run(seed, count, variation=0.01, **kind)) for seed in range(20)]
    assert sum(each.below + each.above for each in found) / len(found) < 0.003


@pytest.mark.parametrize("height", [0.03, 0.1, 0.2])
def test_a_short_warm_up_does_not_matter(height):
    assert levels(shaped(lambda at: height * math.exp(-at / 0.02))).pattern == "steady"


def test_a_beginning_that_does_not_fade_may_be_another_clock_in_one_run_and_is_a_warm_up_in_several():
    def early(seed):
        return shaped(lambda at: 0.1 * (at < 0.06), seed=seed)

    assert levels(early(1)).is_early
    for count, low, codes in ((1, 0.99, {"clock-step"}), (3, 1.06, set())):
        baseline, candidate = ([early(seed + side) for seed in range(count)] for side in (1, 11))
        slower = [[1.1 * time for time in times] for times in candidate]
        verdict = compare_times(baseline, slower)
        assert verdict.median_ratio.low == pytest.approx(low, abs=0.06 if count == 1 else 0.01)
        assert verdict.verdict == ("inconclusive" if count == 1 else "slower")
        assert {each.code for each in verdict.reasons} & {"clock-step"} == codes


@pytest.mark.parametrize("part", [0.3, 0.5, 1.0])
def test_a_warm_up_that_goes_on_after_the_run_is_followed_to_its_end(part):
    """The level of the warm engine is 0; the run ends above it."""
    times = shaped(lambda at: 0.1 * math.exp(-at / part))
    found, middle = levels(times), math.log(median(sorted(times)))
    assert found.still_falls
    assert middle - found.below == pytest.approx(0.0, abs=0.015)


@pytest.mark.parametrize("place", [0.2, 0.45, 0.5, 0.55, 0.8])
def test_a_step_down_has_no_further_levels(place):
    found = levels(shaped(lambda at: -0.05 * (at > place)))
    assert not found.still_falls
    assert found.below + found.above == pytest.approx(0.05, abs=0.005)


def sawtooth(height, period):
    return lambda at: height * (at / period % 1)


@pytest.mark.parametrize("periods", [2.5, 4.3, 12])
@pytest.mark.parametrize("count", [100, 400, 3000])
def test_cycles_reach_from_their_lowest_to_their_highest_level(periods, count):
    found = levels(shaped(sawtooth(0.1, 1 / periods), count))
    assert found.pattern == "changing-level"
    assert 0.08 < found.below + found.above < 0.11


@pytest.mark.parametrize("correlation", [0.5, 0.9, 0.95])
def test_times_that_depend_on_each_other_have_no_cycles(correlation):
    found = [cycle_range(run(seed, 100, correlation=correlation)) for seed in range(100)]
    assert sum(each is not None for each in found) <= 4


@pytest.mark.parametrize("shape", [sawtooth(0.1, 0.1), lambda at: 0.1 * math.exp(-at)])
def test_what_moves_in_all_runs_of_one_side_is_no_difference(shape):
    steady, moving = ([shaped(each, 300, seed) for seed in range(3)] for each in (lambda at: 0 * at, shape))
    for sides in ((steady, moving), (moving, steady)):
        assert compare_times(*sides).verdict == "inconclusive"
    farther = [[1.25 * time for time in times] for times in moving]
    assert compare_times(steady, farther).verdict == "slower"


@pytest.mark.parametrize(("counts", "holds"), [((2, 2), True), ((2, 3), True), ((3, 3), False)])
def test_two_runs_may_both_be_at_one_of_two_levels(counts, holds):
    baseline, candidate = ([level] * count for level, count in zip((0.0, 0.02), counts, strict=True))
    assert (spread_between(baseline, candidate, 0.01, 0.95).allowance > 0.024) == holds


@pytest.mark.parametrize(
    ("baseline", "candidate", "recognized"),
    [
        ([0.0, 0.02], [0.05, 0.07], True),
        ([0.02, 0.0], [0.05, 0.0703], True),
        ([0.0, 0.02], [0.07, 0.07], True),
        ([0.0, 0.0], [0.05, 0.07], True),
        # Not equally far apart, and farther apart than levels are assumed to be.
        ([0.0, 0.02], [0.05, 0.065], False),
        ([0.0, 0.04], [0.05, 0.09], False),
        # Two runs of one side alone show less.
        ([0.0, 0.02], [0.05, 0.07, 0.07], False),
    ],
)
def test_runs_at_two_levels_are_compared_as_such(baseline, candidate, recognized):
    """The ratio is then off by what the levels are apart at most, however few runs there are."""
    for sides in ((baseline, candidate), (candidate, baseline)):
        found = spread_between(*sides, 0.01, 0.95)
        width = max(found.allowance, found.student)
        assert (width == pytest.approx(0.025)) == recognized
        assert width >= 0.0245


def test_a_throttled_run_is_not_slower_than_its_own_beginning():
    steady, throttled = shaped(lambda at: 0 * at), shaped(lambda at: 0.15 * (at > 0.2), seed=2)
    for assumed in (0.0, 1.0):
        settings = VerdictSettings(assumed_run_spread_percent=assumed)
        verdict = compare_times([steady], [throttled], settings)
        assert verdict.verdict == "inconclusive"
        assert verdict.median_ratio.low < 1.01
        assert "clock-step" in [reason.code for reason in verdict.reasons]


class TestSittings:
    def test_many_runs_of_one_sitting_know_as_little_of_the_next_as_few(self):
        for count in (2, 3, 10):
            found = spread_between([0.0] * count, [0.0] * count, 0.01, 0.95).sittings
            assert found == pytest.approx(2.22814 * 0.01 * math.sqrt(2), rel=1e-5)

    @pytest.mark.parametrize(
        ("counts", "sittings", "expected"),
        [
            ((3, 3), (3, 3), 0.0),
            ((3, 3), (3, 1), 1.0),
            ((6, 3), (2, 1), 1.5),
            ((1, 3), (1, 1), 1.0),
            ((1, 1), (1, 1), 0.0),
        ],
    )
    def test_runs_of_a_sitting_each_show_its_deviation(self, counts, sittings, expected):
        sides = [[0.0] * count for count in counts]
        found = spread_between(*sides, 0.01, 0.95, sittings).sittings
        assert found == pytest.approx(2.22814 * 0.01 * math.sqrt(expected), rel=1e-5)
        mirrored = spread_between(*sides[::-1], 0.01, 0.95, sittings[::-1])
        assert mirrored.sittings == pytest.approx(found)


class TestAllowance:
    def test_one_run_of_each_is_allowed_students_quantile_of_two_degrees(self):
        found = spread_between([0.0], [0.05], 0.01, 0.95)
        assert found.measured is None
        assert found.allowance == pytest.approx(4.30265 * 0.01 * math.sqrt(2), rel=1e-5)

    def test_more_runs_that_agree_narrow_it_and_runs_that_differ_widen_it(self):
        one, three = (spread_between([0.0] * count, [0.05] * count, 0.01, 0.95) for count in (1, 3))
        apart = spread_between([-0.04, 0.0, 0.04], [0.0, 0.05, 0.1], 0.01, 0.95)
        assert three.allowance < 0.3 * one.allowance
        assert apart.student > one.allowance

    def test_five_runs_of_a_side_teach_the_other(self):
        three, five = (spread_between([0.0] * count, [0.05], 0.01, 0.95).allowance for count in (3, 5))
        assert five < 0.5 * three

    def test_a_steadier_side_does_not_vouch_for_a_single_run(self):
        assert spread_between([0.0] * 3, [0.05], 0.01, 0.95).allowance > 0.04


def in_turns(low, high, length):
    """Return a shape of two levels in turns within parts of the run, three quarters of each at the first."""
    return lambda at: low if at / length % 1 < 0.75 else high


class TestLevelsToAndFro:
    @pytest.mark.parametrize("count", [1, 3])
    def test_runs_between_the_same_two_levels_are_compared_level_by_level(self, count):
        shape = in_turns(0, 0.2, 0.11)
        baseline, candidate = (
            [shaped(shape, 600, side + 7 * each) for each in range(count)] for side in (1, 2)
        )
        slower = [[1.1 * time for time in times] for times in candidate]
        assert compare_times(baseline, slower).verdict == "slower"
        assert compare_times(slower, baseline).verdict == "faster"
        assert compare_times(baseline, candidate).verdict == ("inconclusive" if count == 1 else "no-change")

    def test_levels_that_only_one_side_has_may_be_those_of_the_other(self):
        baseline, candidate = (
            [shaped(in_turns(0, high, 0.11), 600, seed) for seed in range(3)] for high in (0.2, 0.1)
        )
        slower = [[1.1 * time for time in times] for times in candidate]
        assert compare_times(baseline, slower).verdict == "inconclusive"


def test_what_a_warm_up_falls_from_does_not_count():
    """Steady runs that are 5% faster than the end of the warm-up are found."""
    warming, steady = (
        [shaped(shape, 600, seed) for seed in range(3)]
        for shape in (lambda at: 0.08 * math.exp(-at / 0.15), lambda at: 0 * at - 0.06)
    )
    assert {levels(times).pattern for times in warming} == {"long-warm-up"}
    assert compare_times(warming, steady).verdict == "faster"


def two_modes(slow_part, count, seed):
    """Return times of which each is 10% longer with this probability."""
    dice = random.Random(f"modes {seed}")
    return [time * (1.1 if dice.random() < slow_part else 1) for time in run(seed, count, variation=0.004)]


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("count", [40, 150, 600])
def test_runs_of_which_another_part_is_slow_are_not_another_engines(count, runs):
    """The median of one side is in its fast mode, that of the other in its slow mode."""
    fast, slow = ([two_modes(part, count, f"{part} {each}") for each in range(runs)] for part in (0.25, 0.75))
    verdict = compare_times(fast, slow)
    assert verdict.verdict == "inconclusive"
    assert verdict.median_ratio.low <= 1 <= verdict.median_ratio.high


@pytest.mark.parametrize("part", [0.25, 0.75])
def test_engines_with_the_same_modes_are_compared_mode_by_mode(part):
    baseline = [two_modes(part, 600, seed) for seed in range(3)]
    candidate = [[1.05 * time for time in two_modes(part, 600, seed)] for seed in range(3, 6)]
    assert compare_times(baseline, candidate).verdict == "slower"

"""Levels within a run are found, and widen what is known of its time; noise alone has none."""

from __future__ import annotations

import math

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times
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
        (lambda at: 0.1 * math.exp(-at / 0.3), "long-warm-up", 0.05),
        (lambda at: 0.05 * (0.3 < at < 0.6), "changing-level", 0.05),
    ],
)
def test_changes_of_the_level_are_found_with_their_height(shape, pattern, height, count):
    found = levels(shaped(shape, count))
    assert found.pattern == pattern
    assert 0.8 * height < found.below + found.above < 1.6 * height


@pytest.mark.parametrize("kind", [{}, {"outliers": 0.05}, {"correlation": 0.5}])
@pytest.mark.parametrize("count", [20, 100, 1000])
def test_noise_has_one_level(kind, count):
    found = [levels(run(seed, count, variation=0.01, **kind)) for seed in range(20)]
    assert sum(each.below + each.above for each in found) / len(found) < 0.003


def test_a_short_warm_up_does_not_matter():
    assert levels(shaped(lambda at: 0.2 * (at < 0.05))).pattern == "steady"


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

"""What verdicts are made of, each against an independent computation or a table."""

from __future__ import annotations

import functools
import itertools
import math
import random
import statistics
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.bootstrap_blocks import doubled_ranks, measure_dependence
from trexreport.analyzer.comparison.significance import _judge
from trexreport.analyzer.comparison.verdict_interval import (
    CONFIDENCES,
    Evidence,
    Interval,
    _by_bootstrap,
    weigh,
)
from trexreport.analyzer.comparison.verdict_reasons import rank_test
from trexreport.analyzer.comparison.verdict_run import (
    MAX_ITERATIONS,
    PARTS,
    Level,
    describe_run,
    draw_percentiles,
    seed_of,
)
from trexreport.analyzer.comparison.verdict_spread import RunSpread, student_quantile
from trexreport.analyzer.percentiles import median

#: What the iterations show, without an assumption about runs.
QUICK = VerdictSettings(resamples=200, assumed_run_spread_percent=0)


@functools.cache
def equal_runs(number):
    """Two runs of equal engines, described; what is asked of their difference changes nothing of them."""
    return [describe_run(tuple(run(f"{number} {side}", 400, correlation=0.6)), QUICK) for side in "ab"]


class TestDependence:
    @pytest.mark.parametrize("correlation", [0.0, 0.3, 0.6, 0.9])
    def test_the_effective_sample_size_of_an_autoregression_is_known(self, correlation):
        """It is n (1 - r) / (1 + r), a little more for ranks; halves and doubles are far off."""
        found = [
            measure_dependence(run(seed, 5000, correlation=correlation)).independent_iterations
            for seed in range(9)
        ]
        expected = 5000 * (1 - correlation) / (1 + correlation)
        assert 0.85 < statistics.median(found) / expected < 1.25

    def test_blocks_grow_with_the_correlation(self):
        lengths = [measure_dependence(run(1, 5000, correlation=r)).block_length for r in (0.0, 0.7, 0.95)]
        assert lengths[0] == math.ceil(5000 ** (1 / 3))
        assert lengths[0] < lengths[1] < lengths[2]

    @given(st.lists(st.floats(1e-3, 1e3), min_size=1, max_size=80))
    def test_both_stay_in_their_bounds(self, times):
        found = measure_dependence(times)
        assert 1 <= found.block_length <= max(1, len(times) // 10)
        assert 0 < found.independent_iterations <= len(times)

    def test_constant_times_are_independent(self):
        assert measure_dependence([1.0] * 100).independent_iterations == 100

    def test_outliers_hide_nothing(self):
        times = run(1, 5000, correlation=0.9)
        wild = [time * 100 if place % 97 == 0 else time for place, time in enumerate(times)]
        steady, found = measure_dependence(times), measure_dependence(wild)
        assert found.independent_iterations < 1.3 * steady.independent_iterations

    @given(st.lists(st.integers(1, 9), min_size=1, max_size=40))
    def test_ranks_are_shared_among_equals(self, values):
        ranks = doubled_ranks([float(value) for value in values]).tolist()
        ordered = sorted(values)
        assert ranks == [2 * (ordered.index(value) + 1) + ordered.count(value) - 1 for value in values]


class TestDrawing:
    def test_blocks_are_what_was_measured(self):
        """With blocks as long as the run, each drawing is the run itself, turned around."""
        times = run(1, 101)
        drawn = draw_percentiles(times, 101, (0, 50, 100), 50, 7)
        assert drawn.tolist() == [[min(times), median(sorted(times)), max(times)]] * 50

    def test_neighbors_stay_together(self):
        """Each block of four holds as many of one kind as of the other; so the middle stays."""
        times = [1.0, 1.0, 2.0, 2.0] * 25
        alone, paired = (
            statistics.pstdev(draw_percentiles(times, length, (49,), 400, 3)[:, 0].tolist())
            for length in (1, 4)
        )
        assert alone > 0.4
        assert paired == 0

    def test_medians_vary_as_theory_has_it(self):
        """The standard error of a normal sample's median is 1.2533 sigma over the root of n."""
        times = run(5, 4000, variation=0.01)
        drawn = draw_percentiles(times, 5, (2000,), 1000, 1)[:, 0].tolist()
        assert statistics.pstdev(drawn) == pytest.approx(1.2533 * 0.01 / math.sqrt(4000), rel=0.2)

    def test_the_same_seed_draws_the_same(self):
        times = run(1, 300)
        one, same, other = (draw_percentiles(times, 8, (150,), 100, seed).tolist() for seed in (1, 1, 2))
        assert one == same != other

    def test_first_figures_are_fixed(self):
        """Neither another version of Python nor of NumPy draws anything else."""
        drawn = draw_percentiles([float(value) for value in range(50)], 5, (25,), 6, 42)
        assert drawn[:, 0].tolist() == [13.0, 27.0, 29.0, 27.0, 20.0, 18.0]

    def test_runs_have_seeds_of_their_own(self):
        assert seed_of([1.0, 2.0], 1) == seed_of([1.0, 2.0], 1)
        assert len({seed_of([1.0, 2.0], 1), seed_of([2.0, 1.0], 1), seed_of([1.0, 2.0], 2)}) == 3


class TestRun:
    def test_a_long_run_is_thinned_at_random(self):
        """Of two streams that take turns, every other iteration would show one."""
        times = tuple([1.0, 2.0] * MAX_ITERATIONS)
        found = describe_run(times, QUICK)
        assert len(found.times) == MAX_ITERATIONS
        assert found.iterations == 2 * MAX_ITERATIONS
        assert 0.45 < found.times.count(1.0) / MAX_ITERATIONS < 0.55
        assert found.median_ms == 1.5

    @pytest.mark.parametrize(
        ("times", "step_ms"),
        [
            ([1.0, 1.0004, 1.0004, 1.0008], 0.0004),
            ([1.0, 1.0000001, 1.0005, 1.0005, 1.0005001], 0.0005),
            ([1.0, 1.1, 1.2], 0.001),
            ([1.0, 1.0], 0.001),
        ],
    )
    def test_the_clock_is_as_coarse_as_the_neighbors_of_the_median_are_far(self, times, step_ms):
        found = describe_run(tuple(times), QUICK)
        assert found.clock_step * found.median_ms == pytest.approx(step_ms, rel=1e-3)

    def test_the_course_ends_with_all(self):
        found = describe_run(tuple(run(1, 333)), QUICK)
        assert math.exp(found.medians.course[-1]) == pytest.approx(found.median_ms)
        assert math.exp(found.p99s.course[-1]) == pytest.approx(found.p99_ms)


class TestInterval:
    @pytest.mark.parametrize(
        ("freedom", "expected"),
        [(1, 12.7062), (2, 4.30265), (3, 3.18245), (4, 2.77645), (5, 2.57058), (30, 2.04227), (98, 1.98447)],
    )
    def test_students_quantiles_are_those_of_the_tables(self, freedom, expected):
        assert student_quantile(0.975, freedom) == pytest.approx(expected, rel=2e-6)

    @pytest.mark.parametrize("confidence", CONFIDENCES)
    def test_holds_the_truth_as_often_as_it_says(self, confidence):
        """Wider than needed is meant: three intervals are put over one another."""
        held, asked = 0, replace(QUICK, confidence=confidence)
        for number in range(120):
            one, other = equal_runs(number)
            whole = weigh([one], [other], lambda each: each.medians, asked).whole
            held += whole.low <= 0 <= whole.high
        assert held / 120 >= confidence - 0.03

    @pytest.mark.parametrize(("confidence", "out"), [(0.9, 49), (0.95, 24), (0.99, 4)])
    def test_the_bootstraps_is_between_percentiles_of_what_was_drawn(self, confidence, out):
        still = [Level(0.0, [0.0] * 999, [0.0] * PARTS)]
        around = [Level(0.3, [(at - 499) / 1000 for at in range(999)], [0.0] * PARTS)]
        found = _by_bootstrap(still, around, 0.3, confidence)
        assert found.low == pytest.approx(0.3 + (out - 499) / 1000)
        assert found.high == pytest.approx(0.3 + (499 - out) / 1000)

    @pytest.mark.parametrize("sign", [1, -1])
    def test_the_bootstraps_holds_the_value_itself(self, sign):
        """Where all that was drawn is to one side of it."""
        still = [Level(0.0, [0.0] * 100, [0.0] * PARTS)]
        aside = [Level(0.3, [sign * 0.1] * 100, [0.0] * PARTS)]
        found = _by_bootstrap(still, aside, 0.3, 0.95)
        assert sorted((found.low, found.high), key=lambda end: abs(end - 0.3)) == [
            0.3,
            pytest.approx(0.3 + sign * 0.1),
        ]

    @pytest.mark.parametrize("settings", [QUICK, VerdictSettings(resamples=200)])
    def test_exchanging_the_sides_turns_each_of_them_round(self, settings):
        """Each by itself: the widest would hide what the others do."""
        runs = [describe_run(tuple(run(side, 400, correlation=0.5)), QUICK) for side in "abc"]
        one = weigh(runs[:2], runs[2:], lambda each: each.medians, settings)
        other = weigh(runs[2:], runs[:2], lambda each: each.medians, settings)
        for chosen in itertools.product((False, True), repeat=5):
            left_out = tuple(itertools.compress(("drift", "runs", "sittings", "levels", "timer"), chosen))
            interval, turned = one.without(*left_out), other.without(*left_out)
            assert (turned.log, turned.low, turned.high) == (-interval.log, -interval.high, -interval.low)

    def test_runs_widen_it_as_students_interval(self):
        one, other = (
            [describe_run(tuple([level] * 30), QUICK) for level in levels] for levels in ((1.0, 2.0), (4.0,))
        )
        found = weigh(one, other, lambda each: each.medians, QUICK)
        spread = math.log(2) / math.sqrt(2)
        assert found.spread.measured == pytest.approx(spread)
        half = 1.15 * 12.7062 * spread * math.sqrt(1 / 2 + 1)
        by_runs = found.without("timer")
        assert by_runs.high - by_runs.log == pytest.approx(half, rel=1e-5)
        assert found.without("timer", "runs").high == by_runs.log


class TestJudging:
    @pytest.mark.parametrize(
        ("log", "low", "high", "p_value", "expected"),
        [
            (0.05, 0.03, 0.07, 0.001, "slower"),
            (-0.05, -0.07, -0.03, 0.001, "faster"),
            (0.05, 0.03, 0.07, 0.06, "inconclusive"),  # the rank test does not agree
            (0.05, -0.01, 0.11, 0.001, "inconclusive"),  # no difference would fit
            (0.015, 0.01, 0.025, 0.001, "inconclusive"),  # below the minimum effect, but perhaps not
            (0.01, 0.005, 0.015, 0.001, "no-change"),
            (-0.001, -0.0198, 0.0198, 0.5, "no-change"),
            (0.0, -0.0199, 0.01, 0.9, "inconclusive"),
        ],
    )
    def test_all_conditions_must_hold(self, log, low, high, p_value, expected):
        """The minimum effect of 2% is a logarithm of 0.0198026."""
        nothing_else = Evidence(Interval(log, low, high), 0.0, RunSpread(None, 0.0, 0.0), 0.0, 0.0, 0.0)
        assert _judge(nothing_else, p_value, QUICK) == expected

    @pytest.mark.parametrize(
        ("log", "alone", "in_one_sitting"),
        [(0.025, "slower", "inconclusive"), (0.035, "slower", "slower"), (0.01, "no-change", "no-change")],
    )
    def test_only_a_difference_needs_more_than_what_a_sitting_may_share(self, log, alone, in_one_sitting):
        interval = Interval(log, log - 0.002, log + 0.002)
        for shared, expected in ((0.0, alone), (0.03, in_one_sitting)):
            evidence = Evidence(interval, 0.0, RunSpread(0.0, 0.0, 0.0, shared), 0.0, 0.0, 0.0)
            assert _judge(evidence, 0.001, QUICK) == expected


class TestRanks:
    @given(
        st.lists(st.integers(1, 9), min_size=2, max_size=12),
        st.lists(st.integers(1, 9), min_size=2, max_size=12),
    )
    @settings(max_examples=40)
    def test_is_mann_and_whitneys(self, one, other):
        sides = [describe_run(tuple(float(value) for value in side), QUICK) for side in (one, other)]
        size, more = (side.independent_iterations for side in sides)
        wins = [(right > left) + (right == left) / 2 for left, right in itertools.product(one, other)]
        ties = [[*one, *other].count(value) for value in {*one, *other}]
        count = len(one) + len(other)
        untied = 1 - sum(tie**3 - tie for tie in ties) / (count**3 - count)
        expected = 1.0
        if untied > 1e-9:
            deviation = math.sqrt(untied * (size + more + 1) / (12 * size * more))
            z = (statistics.mean(wins) - 0.5) / deviation
            expected = 2 * statistics.NormalDist().cdf(-abs(z))
        assert rank_test(sides[:1], sides[1:]) == pytest.approx(expected)

    def test_rejects_as_often_as_its_level_though_iterations_are_correlated(self):
        rejected = 0
        for number in range(150):
            runs = [
                describe_run(tuple(run(f"{number} {side}", 500, correlation=0.8)), QUICK) for side in "ab"
            ]
            rejected += rank_test(runs[:1], runs[1:]) < 0.05
        assert rejected <= 0.1 * 150

    def test_shuffled_iterations_would_mislead(self):
        """The same times without their correlation give a far smaller probability."""
        sides = [run(1, correlation=0.95), run(2, correlation=0.95, level_ms=1.003)]
        dice = random.Random(1)
        shuffled = [dice.sample(side, len(side)) for side in sides]
        true, naive = (
            rank_test(*([describe_run(tuple(side), QUICK)] for side in each)) for each in (sides, shuffled)
        )
        assert naive < 0.01 * true

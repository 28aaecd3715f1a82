"""Verdicts on times: what decides them, what makes them inconclusive, and that they mirror each other."""

from __future__ import annotations

import json
import math
import statistics
from dataclasses import asdict, replace
from typing import get_args

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from significance_samples import run

from trexreport.analyzer.analysis.verdict import Outcome, VerdictSettings
from trexreport.analyzer.comparison.significance import compare_averages, compare_times
from trexreport.analyzer.percentiles import median, percentile
from trexreport.errors import UsageError
from trexreport.wording.verdict import reason_sentences

MIRRORED = {"faster": "slower", "slower": "faster", "no-change": "no-change", "inconclusive": "inconclusive"}
#: What the iterations show, without an assumption about runs; `TestAllowance` has those.
QUICK = VerdictSettings(resamples=200, assumed_run_spread_percent=0)

TIMES = st.floats(1e-3, 1e3)
RUNS = st.lists(st.lists(TIMES, min_size=1, max_size=60), max_size=3)


def text(verdict):
    return " ".join(reason_sentences(verdict))


def assert_mirrored(one, other):
    """Check that exchanging the sides changes nothing but the side."""
    assert other.verdict == MIRRORED[one.verdict]
    assert other.basis == one.basis
    assert other.p_value == one.p_value
    assert other.run_spread_percent == one.run_spread_percent
    assert (other.baseline, other.candidate) == (one.candidate, one.baseline)
    for ratio, mirrored in ((one.median_ratio, other.median_ratio), (one.p99_ratio, other.p99_ratio)):
        assert (ratio is None) == (mirrored is None)
        if ratio is not None:
            assert_inverse(ratio.value, mirrored.value)
            assert_inverse(ratio.low, mirrored.high)
            assert_inverse(ratio.high, mirrored.low)


def assert_inverse(one, other):
    """Check that the larger is the smaller one's inverse to the last bit; rounding forbids the reverse."""
    low, high = sorted((one, other))
    assert high == 1 / low


class TestVerdict:
    @pytest.mark.parametrize(
        ("ratio", "expected"), [(1.05, "slower"), (1 / 1.05, "faster"), (1.0, "no-change")]
    )
    def test_clear_cases(self, ratio, expected):
        verdict = compare_times([run(1)], [run(2, level_ms=ratio)], QUICK)
        assert verdict.verdict == expected
        assert verdict.basis == "iterations"
        assert verdict.median_ratio.low <= ratio <= verdict.median_ratio.high
        assert verdict.median_ratio.high / verdict.median_ratio.low < 1.01

    def test_a_real_difference_below_the_minimum_effect_does_not_count(self):
        sides = [run(1)], [run(2, level_ms=1.01)]
        assert compare_times(*sides, QUICK).verdict == "no-change"
        sharp = compare_times(*sides, replace(QUICK, minimum_effect_percent=0.5))
        assert sharp.verdict == "slower"
        assert sharp.p_value < 1e-6

    def test_an_interval_that_reaches_the_minimum_effect_leaves_it_open(self):
        verdict = compare_times([run(1, 300, variation=0.05)], [run(2, 300, 1.012, variation=0.05)], QUICK)
        assert (
            abs(math.log(verdict.median_ratio.value)) < math.log(1.02) < math.log(verdict.median_ratio.high)
        )
        assert verdict.verdict == "inconclusive"
        assert "within the minimum effect of 2%" in text(verdict).replace("\u00a0", " ")

    def test_the_rank_test_must_agree(self):
        # Two groups of a half each: the medians lie in different ones, the distributions are nearly the same.
        one, other = ([1.0] * 510 + [1.1] * 490), ([1.0] * 490 + [1.1] * 510)
        verdict = compare_times([one[::-1]], [other[::-1]], QUICK)
        assert verdict.median_ratio.value == pytest.approx(1.1)
        assert verdict.p_value > 0.05
        assert verdict.verdict == "inconclusive"

    def test_confidence_widens_the_interval(self):
        widths = []
        for confidence in (0.9, 0.95, 0.99):
            asked = replace(QUICK, confidence=confidence)
            ratio = compare_times([run(1)], [run(2)], asked).median_ratio
            widths.append(ratio.high / ratio.low)
        assert widths[0] < widths[1] < widths[2]

    def test_the_figures_are_those_of_the_times(self):
        one, other = run(1, 1500), run(2, 700, 1.2)
        verdict = compare_times([one], [other], QUICK)
        assert verdict.baseline.median_ms == median(sorted(one))
        assert verdict.baseline.p99_ms == percentile(sorted(one), 99)
        assert (verdict.baseline.iterations, verdict.candidate.iterations) == (1500, 700)
        assert verdict.median_ratio.value == pytest.approx(median(sorted(other)) / median(sorted(one)))
        assert verdict.p99_ratio.value == pytest.approx(
            percentile(sorted(other), 99) / percentile(sorted(one), 99)
        )
        assert verdict.settings == QUICK

    def test_few_iterations_have_no_99th_percentile(self):
        verdict = compare_times([run(1, 499)], [run(2, 700)], QUICK)
        assert verdict.p99_ratio is None
        assert verdict.baseline.p99_ms is None

    def test_a_tail_that_does_not_follow_is_named(self):
        steady = run(2, level_ms=0.9)
        with_tail = [time * 1.5 if place % 30 == 0 else time for place, time in enumerate(steady)]
        assert "p99" not in text(compare_times([run(1)], [steady], QUICK))
        verdict = compare_times([run(1)], [with_tail], QUICK)
        assert verdict.verdict == "faster"
        assert "p99 does not follow the median: it is 3" in text(verdict)

    def test_a_tail_of_which_nothing_is_certain_is_not_named(self):
        steady = run(2, level_ms=0.9)
        ragged = [time * 1.5 if place % 100 == 0 else time for place, time in enumerate(steady)]
        verdict = compare_times([run(1)], [ragged], QUICK)
        assert verdict.verdict == "faster"
        assert verdict.p99_ratio.low < 1 < verdict.p99_ratio.high
        assert "p99" not in text(verdict)

    def test_is_plain_json(self):
        verdict = compare_times([run(1), run(2)], [run(3)], QUICK)
        document = json.loads(json.dumps(asdict(verdict), allow_nan=False))
        assert document["verdict"] in get_args(Outcome)
        assert document["settings"]["seed"] == QUICK.seed

    @pytest.mark.parametrize(
        ("ratio", "words"),
        [
            (0.95, "takes 5.02% less time than the baseline (95% CI: 4.99% to 5.05% less)."),
            (3.0, "takes 3.00 times as long as the baseline (95% CI: 3.00 to 3.00 times)."),
            (1 / 3, "is 3.00 times as fast as the baseline (95% CI: 3.00 to 3.00 times)."),
        ],
    )
    def test_reads_well(self, ratio, words):
        verdict = compare_times([run(1, variation=0.003)], [run(2, level_ms=ratio, variation=0.003)], QUICK)
        assert words in reason_sentences(verdict)[0].replace("\u00a0", " ")


class TestObstacles:
    def test_correlated_iterations_say_less(self):
        independent = compare_times([run(1)], [run(2)], QUICK)
        correlated = compare_times([run(1, correlation=0.97)], [run(2, correlation=0.97)], QUICK)
        assert correlated.baseline.independent_iterations < 0.1 * independent.baseline.independent_iterations
        assert math.log(correlated.median_ratio.high / correlated.median_ratio.low) > 3 * math.log(
            independent.median_ratio.high / independent.median_ratio.low
        )

    def test_a_drift_of_one_side_leaves_it_open(self):
        verdict = compare_times([run(1)], [run(2, level_ms=1.03, drift=0.08)], QUICK)
        assert verdict.verdict == "inconclusive"
        assert "The candidate's times drift from " in text(verdict)

    def test_a_drift_that_both_share_does_not_matter(self):
        alike = compare_times([run(1, drift=0.03)], [run(2, level_ms=1.04, drift=0.03)], QUICK)
        apart = compare_times([run(1, drift=-0.03)], [run(2, level_ms=1.04, drift=0.03)], QUICK)
        assert apart.median_ratio.low < alike.median_ratio.low - 0.01

    def test_outliers_do_not_matter(self):
        steady = compare_times([run(1)], [run(2)], QUICK).median_ratio
        wild = compare_times([run(1, outliers=0.05)], [run(2, outliers=0.05)], QUICK)
        assert wild.verdict == "no-change"
        assert wild.median_ratio.high / wild.median_ratio.low < 1.5 * steady.high / steady.low

    def test_two_clocks_are_named(self):
        def clocks(seed, first, last):
            times = run(seed, variation=0.002)
            return [time * (1.1 if first <= place < last else 1.0) for place, time in enumerate(times)]

        verdict = compare_times([clocks(1, 900, 2000)], [clocks(2, 1100, 2000)], QUICK)
        assert verdict.verdict == "inconclusive"
        shown = text(verdict).replace("\u00a0", " ")
        assert "The baseline's times step from 1.00 ms to 1.10 ms after 45.0% of the run" in shown
        assert "The candidate's times step from 1.00 ms to 1.10 ms after 55.0% of the run" in shown

    def test_a_coarse_clock_is_allowed_for(self):
        verdict = compare_times([[0.010] * 1000], [[0.0108] * 1000], QUICK)
        assert verdict.verdict == "inconclusive"
        assert "Without the limited resolution of the timer, the verdict would be" in text(verdict)
        assert compare_times([[10.0] * 1000], [[11.0] * 1000], QUICK).verdict == "slower"


class TestRuns:
    def test_one_run_each_knows_nothing_of_the_spread(self):
        verdict = compare_times([run(1)], [run(2)], QUICK)
        assert verdict.run_spread_percent is None
        assert "There is one run of each, which does not show how much runs differ." in text(verdict)

    def test_the_spread_of_runs_decides(self):
        one = [run(seed, level_ms=level) for seed, level in ((1, 0.97), (2, 1.0), (3, 1.03))]
        other = [run(seed, level_ms=1.04 * level) for seed, level in ((4, 0.97), (5, 1.0), (6, 1.03))]
        verdict = compare_times(one, other, QUICK)
        assert verdict.run_spread_percent == pytest.approx(3, abs=0.2)
        assert verdict.verdict == "inconclusive"
        assert "Without the spread between runs of one engine (" in text(verdict)
        assert compare_times(one[1:2], other[1:2], QUICK).verdict == "slower"

    def test_steady_runs_agree_with_one(self):
        one, other = (
            [run(seed, level_ms=level) for seed in seeds] for seeds, level in (("abc", 1), ("def", 1.05))
        )
        verdict = compare_times(one, other, QUICK)
        assert verdict.verdict == "slower"
        assert verdict.run_spread_percent < 0.2
        assert verdict.baseline.runs == 3

    def test_the_spread_of_one_side_serves_both(self):
        verdict = compare_times([run(1), run(2), run(3), run(4)], [run(5, level_ms=1.05)], QUICK)
        assert verdict.verdict == "slower"
        assert verdict.run_spread_percent is not None

    def test_the_order_of_runs_does_not_matter(self):
        one, other = [run(1), run(2), run(3)], [run(4), run(5)]
        assert compare_times(one, other, QUICK) == compare_times(one[::-1], other[::-1], QUICK)

    def test_a_run_counts_once(self):
        once = compare_times([run(1)], [run(2)], QUICK)
        twice = compare_times([run(1), run(1)], [run(2)], QUICK)
        assert twice.median_ratio == once.median_ratio
        assert twice.baseline.runs == 1
        assert "Identical runs of the" in text(twice)


class TestLittleData:
    @pytest.mark.parametrize(
        ("one", "other"), [([], []), ([[]], [[1.0]]), ([[1.0] * 100], []), ([[0.0, math.nan]], [[1.0]])]
    )
    def test_no_times_show_nothing(self, one, other):
        verdict = compare_times(one, other)
        assert (verdict.verdict, verdict.basis) == ("inconclusive", "none")
        assert "No time of the" in reason_sentences(verdict)[0]

    @pytest.mark.parametrize(
        ("ratio", "expected"),
        [(1.09, "inconclusive"), (1.45, "inconclusive"), (1.6, "slower"), (0.5, "faster")],
    )
    def test_too_few_iterations_need_a_large_difference(self, ratio, expected):
        verdict = compare_times([[1.0, 1.001, 0.999] * 6], [[ratio, 1.001 * ratio]], QUICK)
        assert verdict.verdict == expected
        assert verdict.median_ratio is None
        assert verdict.basis == "averages"
        assert "candidate has 2 iterations, too few to estimate the variation: 20 are needed" in text(verdict)

    @pytest.mark.parametrize(
        ("slow", "expected"), [(12, "inconclusive"), (17, "inconclusive"), (18, "slower")]
    )
    def test_few_iterations_at_two_levels_show_nothing(self, slow, expected):
        verdict = compare_times([[1.0, 1.001] * 9], [[1.0] * (18 - slow) + [1.3] * slow], QUICK)
        assert verdict.verdict == expected
        overlap = "but the times of both sides overlap."
        assert (overlap in text(verdict)) == (expected == "inconclusive")

    def test_cold_queries_and_outliers_of_many_are_at_no_level(self):
        many = [1.0, 1.001] * 50
        for one in ([2.5, 1.6, *many[:9]], [*many, 3.0, 0.5, 3.0]):
            assert compare_times([one], [[1.3] * 10], QUICK).verdict == "slower"
        assert compare_times([[*many[:9], 1.6]], [[1.3] * 10], QUICK).verdict == "inconclusive"

    @pytest.mark.parametrize(("count", "expected"), [(9, "inconclusive"), (10, "slower")])
    def test_fewer_than_ten_iterations_may_all_be_at_one_clock(self, count, expected):
        verdict = compare_times([[1.0, 1.001] * 5], [[1.3] * count], QUICK)
        assert verdict.verdict == expected
        assert ("may all be at one of the GPU's clocks" in text(verdict)) == (expected == "inconclusive")

    def test_few_iterations_may_be_of_the_warm_up_that_a_longer_run_begins_with(self):
        warm = [1 + 0.3 * math.exp(-place / 100) for place in range(1000)]
        for times, expected in ((warm, "inconclusive"), ([1.0, 1.001] * 500, "slower")):
            assert compare_times([times], [warm[:15]], QUICK).verdict == expected

    def test_a_single_iteration_is_named_as_one(self):
        verdict = compare_times([[1.0] * 18], [[2.0]], QUICK)
        assert "candidate has 1 iteration, too few to estimate the variation: 20 are needed" in text(verdict)

    def test_twenty_iterations_are_enough(self):
        verdict = compare_times([run(1, 20, variation=0.001)], [run(2, 20, 1.05, variation=0.001)], QUICK)
        assert (verdict.verdict, verdict.basis) == ("slower", "iterations")

    def test_what_cannot_be_a_time_is_left_out(self):
        one = run(1, 500)
        verdict = compare_times([[0.0, *one, math.inf, -1.0]], [run(2, 500)], QUICK)
        assert verdict.median_ratio == compare_times([one], [run(2, 500)], QUICK).median_ratio
        assert "Left out as not valid: 3 of 503 times of the baseline." in text(verdict)

    def test_runs_that_have_nothing_in_common_raise_nothing(self):
        strict = replace(QUICK, confidence=0.99)
        verdict = compare_times([[1e-6] * 50, [1e9] * 50], [[1.0] * 50], strict)
        assert verdict.verdict == "inconclusive"
        assert verdict.median_ratio.low == pytest.approx(1e-15)
        assert_mirrored(verdict, compare_times([[1.0] * 50], [[1e-6] * 50, [1e9] * 50], strict))

    def test_extreme_times_raise_nothing(self):
        for one, other in (
            ([5e-324] * 50, [1e308] * 50),
            ([1e-6] * 50, [1e9] * 50),
            ([10**400] * 50, [True] * 50),
        ):
            verdict = compare_times([one], [other], QUICK)
            assert verdict.verdict in get_args(Outcome)
            json.dumps(asdict(verdict), allow_nan=False)

    @pytest.mark.parametrize(
        ("one", "other", "expected"),
        [
            (1.0, 1.05, "inconclusive"),
            (1.0, 1.099, "inconclusive"),
            (1.0, 1.101, "slower"),
            (1.101, 1.0, "faster"),
            (1.0, 1.0, "inconclusive"),
            (None, 1.0, "inconclusive"),
            (1.0, 0.0, "inconclusive"),
            (None, None, "inconclusive"),
        ],
    )
    def test_averages(self, one, other, expected):
        verdict = compare_averages(one, other)
        assert verdict.verdict == expected
        assert verdict.median_ratio is None
        assert_mirrored(verdict, compare_averages(other, one))

    @pytest.mark.parametrize(("top", "expected"), [(1.1, "slower"), (1.2, "inconclusive")])
    def test_averages_of_times_that_overlap_show_nothing(self, top, expected):
        ranges = (0.9, top), (1.2, 1.3)
        verdict = compare_averages(1.0, 1.25, ranges=ranges)
        assert verdict.verdict == expected
        assert_mirrored(verdict, compare_averages(1.25, 1.0, ranges=ranges[::-1]))
        # Within the noise that is the reason.
        assert "assumed noise" in text(compare_averages(1.0, 1.05, ranges=ranges))

    def test_the_noise_of_averages_can_be_stated(self):
        assert compare_averages(1, 1.05, VerdictSettings(noise_percent=3)).verdict == "slower"
        stricter = VerdictSettings(noise_percent=3, minimum_effect_percent=6)
        assert compare_averages(1, 1.05, stricter).verdict == "inconclusive"


class TestSymmetry:
    @given(RUNS, RUNS)
    @settings(max_examples=60)
    def test_exchanging_the_sides_mirrors_all(self, one, other):
        quick = VerdictSettings(resamples=100)
        assert_mirrored(compare_times(one, other, quick), compare_times(other, one, quick))

    @pytest.mark.parametrize("ratio", [1.0, 1.02, 1.05, 0.9])
    def test_long_runs_mirror(self, ratio):
        one = [run(1, 3000, correlation=0.8), run(2, 1000)]
        other = [run(3, 2500, ratio, correlation=0.5, outliers=0.02, drift=0.01)]
        assert_mirrored(compare_times(one, other, QUICK), compare_times(other, one, QUICK))

    @given(st.lists(st.lists(TIMES, min_size=1, max_size=60), min_size=1, max_size=3))
    @example([[1.0] * 20])
    @settings(max_examples=60)
    def test_an_engine_is_the_same_as_itself(self, runs):
        verdict = compare_times(runs, runs, QUICK)
        # Where all times are equal, the timer may be coarse.
        is_coarse = "coarse-timer" in {reason.code for reason in verdict.reasons}
        assert verdict.verdict == ("inconclusive" if is_coarse else "no-change")
        assert (verdict.median_ratio.value, verdict.p_value) == (1.0, 1.0)

    def test_the_noisiest_engine_is_the_same_as_itself(self):
        times = run(1, 30, variation=2.0)
        assert compare_times([times], [list(times)]).verdict == "no-change"
        assert compare_times([times], [run(2, 30, variation=2.0)]).verdict == "inconclusive"

    def test_the_seed_decides_the_figures(self):
        one, other = [run(1, 300)], [run(2, 300)]
        first = compare_times(one, other, QUICK)
        assert compare_times(one, other, QUICK) == first
        another = compare_times(one, other, replace(QUICK, seed=2))
        assert another.median_ratio.value == first.median_ratio.value
        assert another.verdict == first.verdict


class TestSettings:
    @pytest.mark.parametrize(
        ("change", "words"),
        [
            ({"confidence": 0.5}, "Choose one of 0.9, 0.95, 0.99"),
            ({"minimum_effect_percent": -1}, "minimum effect"),
            ({"noise_percent": math.nan}, "noise of averages"),
            ({"resamples": 10}, "resamples"),
        ],
    )
    def test_nonsense_is_refused(self, change, words):
        nonsense = VerdictSettings(**change)
        with pytest.raises(UsageError, match=words):
            compare_times([], [], nonsense)
        with pytest.raises(UsageError, match=words):
            compare_averages(1, 2, nonsense)


class TestEnginesOfTheWalkthrough:
    @pytest.fixture
    def compute_ms(self, engines_folder):
        def read(name):
            path = next((engines_folder / f"a100-resnet18-{name}").glob("*.timing.json"))
            return [query["computeMs"] for query in json.loads(path.read_text())]

        return read

    @pytest.mark.parametrize(
        ("pair", "expected", "ratio"),
        [
            (("fp32", "fp16"), "faster", 0.433),
            (("fp16", "qat"), "slower", 1.024),
            (("qat", "qat-residual"), "faster", 0.618),
            (("qat-residual", "qat-residual-qgap"), "faster", 0.916),
        ],
    )
    def test_the_a100_walkthrough(self, compute_ms, engine_source, pair, expected, ratio):
        before, after = map(compute_ms, pair)
        verdict = compare_times([before], [after], replace(QUICK, resamples=1000))
        assert verdict.verdict == expected
        allowed = compare_times([before], [after])
        assert allowed.verdict == (expected if abs(ratio - 1) > 0.07 else "inconclusive")
        assert allowed.provisional == (allowed.verdict != "inconclusive")
        medians = statistics.median(after) / statistics.median(before)
        assert verdict.median_ratio.value == pytest.approx(medians)
        if engine_source == "real":
            assert medians == pytest.approx(ratio, abs=0.001)

    def test_halves_of_one_run_are_never_different(self, compute_ms):
        for name in ("fp16", "qat", "qat-residual", "qat-residual-qgap"):
            times = compute_ms(name)
            half = len(times) // 2
            verdict = compare_times([times[:half]], [times[half:]], QUICK)
            # Where a half starts at a clock of its own, its level is uncertain.
            assert verdict.verdict in ({"no-change"} if "qat" in name else {"no-change", "inconclusive"})

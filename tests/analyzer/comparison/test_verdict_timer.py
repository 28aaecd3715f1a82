"""A timer of coarse steps is recognized by its times, and the verdict allows for it."""

from __future__ import annotations

import math
import random

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times
from trexreport.analyzer.comparison.verdict_run import describe_run, with_timer
from trexreport.analyzer.comparison.verdict_timer import timer_steps
from trexreport.wording.verdict import reason_sentences

QUICK = VerdictSettings(resamples=100)
PAIRS = 40


def in_steps(times, step_ms):
    return [max(round(time / step_ms), 1) * step_ms for time in times]


def text(verdict):
    return " ".join(reason_sentences(verdict)).replace("\xa0", " ")


def written(times):
    """Return times with the six digits of trtexec."""
    return [float(f"{time:.6g}") for time in times]


@pytest.mark.parametrize("step_ms", [0.002, 0.05, 0.1, 1 / 60, 1.0])
@pytest.mark.parametrize("steps", [6, 60, 1000])
def test_the_step_is_the_least_difference_of_which_times_are_multiples(step_ms, steps):
    times = in_steps(run(1, 300, steps * step_ms, variation=0.05), step_ms)
    assert timer_steps([times], [times]) == pytest.approx((step_ms, step_ms), rel=1e-5)


def test_digits_that_are_not_written_do_not_hide_the_step():
    times = written(in_steps(run(1, 300, 1.0, variation=0.05), 1 / 60))
    assert timer_steps([times], [times])[0] == pytest.approx(1 / 60, rel=1e-3)


@pytest.mark.parametrize("level_ms", [0.02, 0.3, 5.0, 100.0, 2000.0])
def test_times_of_a_fine_timer_have_no_coarse_step(level_ms):
    times = written(in_steps(run(2, 300, level_ms), 0.000488281))
    assert timer_steps([times], [times[:25]]) == (None, None)


def test_a_few_odd_times_do_not_hide_the_step():
    times = [*in_steps(run(3, 200, 1.0, variation=0.1), 0.05), 1.013, 1.0171, 1.0371]
    assert timer_steps([times], [times]) == (0.05, 0.05)
    mostly_odd = in_steps(run(3, 50, 1.0, variation=0.1), 0.05) + run(4, 50)
    assert timer_steps([mostly_odd], [mostly_odd]) == (None, None)


def test_few_times_show_no_step():
    assert timer_steps([[1.0, 1.1, 1.2]], [[1.0, 1.1]]) == (None, None)


def test_each_side_has_a_timer_of_its_own():
    coarse, fine = in_steps(run(5, 200, 1.0, variation=0.1), 0.05), run(6, 200)
    assert timer_steps([coarse], [fine]) == (0.05, None)
    assert timer_steps([fine], [coarse]) == (None, 0.05)


def test_runs_of_equal_times_show_the_step_together():
    assert timer_steps([[0.3] * 50], [[0.35] * 50]) == (0.05, 0.05)
    assert timer_steps([[0.3] * 50, [0.35] * 50], [[1.013] * 15 + [1.0137] * 15])[0] == 0.05


@pytest.mark.parametrize(
    ("value", "step_ms"), [(0.3, 0.1), (0.30000000000000004, 0.1), (0.35, 0.05), (12.0, 2.0), (0.01024, None)]
)
def test_times_that_are_all_equal_are_multiples_of_a_round_step(value, step_ms):
    assert timer_steps([[value] * 50], [[value] * 60]) == (step_ms, step_ms)


def test_levels_one_step_apart_are_the_timer():
    times = tuple([0.3] * 300 + [0.35] * 200)
    found = describe_run(times, QUICK)
    assert found.levels.pattern == "clock-step"
    assert with_timer(found, 0.05).levels.pattern == "steady"
    assert with_timer(found, 0.05).clock_step == pytest.approx(0.05 / 0.3)
    assert with_timer(found, 0.01).levels == found.levels
    assert with_timer(found, None) is found


def test_the_verdict_states_the_step_and_what_it_prevents():
    one, other = (
        [in_steps(run(f"{side} {at}", 200, level, variation=0.04), 0.05) for at in range(3)]
        for side, level in (("one", 0.3), ("other", 0.315))
    )
    verdict = compare_times(one, other, QUICK)
    assert verdict.verdict == "inconclusive"
    shown = text(verdict)
    assert "All times are multiples of 0.0500 ms, so the median is known to within half of that." in shown
    mixed = compare_times(one, [run(7, 200, 0.6)], QUICK)
    assert mixed.verdict == "slower"
    assert "The baseline's times are multiples of 0.0500 ms" in text(mixed)


def test_a_step_that_does_not_matter_is_not_stated():
    times = in_steps(run(8, 500, 30.0), 0.05)
    verdict = compare_times([times], [in_steps(run(9, 500, 40.0), 0.05)], QUICK)
    assert timer_steps([times], [times]) == (0.05, 0.05)
    assert verdict.verdict == "slower"
    assert "coarse-timer" not in [reason.code for reason in verdict.reasons]


def test_equal_times_of_a_coarse_timer_are_not_one_measurement():
    assert compare_times([[1.0] * 100], [[1.0] * 100], QUICK).verdict == "inconclusive"
    times = run(10, 100)
    assert compare_times([times], [times], QUICK).verdict == "no-change"


@pytest.mark.parametrize(("runs", "ratio"), [(1, 1.1), (3, 1.05)])
def test_verdicts_on_times_of_a_coarse_timer_hold_the_truth(runs, ratio):
    held, found = 0, []
    for number in range(PAIRS):
        dice = random.Random(number)
        level, variation = math.exp(dice.uniform(math.log(0.1), math.log(10))), dice.uniform(0.002, 0.02)
        one, other = (
            [
                in_steps(run(f"{number} {side} {at}", 150, factor * level, variation=variation), 0.05)
                for at in range(runs)
            ]
            for side, factor in (("one", 1.0), ("other", ratio))
        )
        verdict = compare_times(one, other, QUICK)
        found.append(verdict.verdict)
        held += verdict.median_ratio.low <= ratio <= verdict.median_ratio.high
    assert held >= 0.95 * PAIRS
    assert {*found} == {"slower", "inconclusive"}

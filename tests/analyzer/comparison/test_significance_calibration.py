"""The error rates of verdicts on simulated pairs are within their documented bounds.

The benchmark verdict_calibration.py does the same with thousands of pairs and more kinds of them.
"""

from __future__ import annotations

import math
import random
from functools import cache

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times

PAIRS = 24
QUICK = VerdictSettings(resamples=100)


def steady(dice, place):
    return 0.0


def spread(dice, place):
    return dice.gauss(0, 0.01)


def two_levels(dice, place):
    """Return the level of a run that stays in one of two clock states, 4% apart."""
    return 0.04 * (dice.random() < 0.5)


@cache
def verdicts(level, runs, ratio):
    """Judge pairs whose runs have levels that `level` draws."""
    found = []
    for number in range(PAIRS):
        dice = random.Random(f"{level.__name__} {number}")
        kind = {"variation": dice.choice([0.003, 0.01]), "correlation": dice.choice([0.0, 0.9])}
        one, other = (
            [
                run(f"{number} {side} {place}", 200, factor * math.exp(level(dice, place)), **kind)
                for place in range(runs)
            ]
            for side, factor in (("one", 1.0), ("other", ratio))
        )
        found.append(compare_times(one, other, QUICK))
    return found


@pytest.mark.parametrize(
    ("level", "runs"), [(steady, 1), (steady, 3), (spread, 1), (spread, 3), (two_levels, 1)]
)
def test_equal_engines_rarely_get_a_verdict_of_a_difference(level, runs):
    found = verdicts(level, runs, 1.0)
    false = [each for each in found if each.verdict in {"faster", "slower"}]
    assert len(false) <= 0.05 * PAIRS
    held = [each for each in found if each.median_ratio.low <= 1 <= each.median_ratio.high]
    assert len(held) >= 0.93 * PAIRS


@pytest.mark.parametrize(("runs", "ratio"), [(1, 1.1), (3, 1.05)])
@pytest.mark.parametrize("level", [steady, spread])
def test_differences_are_found_of_10_percent_in_one_run_and_of_5_percent_in_three(level, runs, ratio):
    found = verdicts(level, runs, ratio)
    assert sum(each.verdict == "slower" for each in found) >= 0.93 * PAIRS
    assert all(each.provisional == (runs == 1) for each in found if each.verdict == "slower")
    assert not any(each.verdict in {"faster", "no-change"} for each in found)


def test_three_steady_runs_show_that_there_is_no_change_and_one_does_not():
    assert sum(each.verdict == "no-change" for each in verdicts(steady, 3, 1.0)) >= 0.7 * PAIRS
    assert all(each.verdict == "inconclusive" for each in verdicts(steady, 1, 1.0))

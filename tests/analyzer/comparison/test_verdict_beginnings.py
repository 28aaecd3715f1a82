"""A short run may be of a warm-up that only longer runs show."""

from __future__ import annotations

import math

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_times
from trexreport.wording.verdict import reason_sentences

QUICK = VerdictSettings(resamples=100, assumed_run_spread_percent=0)


def warming(seed, count, height):
    """Return times that approach their level within a few hundred queries."""
    times = run(seed, count, variation=0.003)
    return [time * math.exp(height * math.exp(-place / 100)) for place, time in enumerate(times)]


@pytest.mark.parametrize("runs", [1, 3])
@pytest.mark.parametrize("height", [0.1, -0.1])
def test_a_run_that_ends_within_a_warm_up_has_no_verdict(height, runs):
    short = [warming(f"short {seed}", 30, height) for seed in range(runs)]
    long = [warming(f"long {seed}", 1000, height) for seed in range(runs)]
    verdict = compare_times(short, long, QUICK)
    assert verdict.verdict == "inconclusive"
    assert verdict.median_ratio.low < 1 < verdict.median_ratio.high
    sentence = "The baseline's times are of so few iterations that these may end in a warm-up"
    assert sentence in " ".join(reason_sentences(verdict))
    # A longer run of the same side shows it as well.
    assert compare_times([*short, long[0]], [run("steady", 1000)], QUICK).verdict == "inconclusive"


@pytest.mark.parametrize("count", [30, 100, 1000])
def test_a_warm_up_does_not_matter_where_runs_are_about_as_long(count):
    sides = [[warming(f"{side} {seed}", count, 0.1) for seed in range(3)] for side in ("one", "other")]
    slower = [[1.3 * time for time in each] for each in sides[1]]
    assert compare_times(sides[0], slower, QUICK).verdict == "slower"


def test_a_short_run_beside_a_steady_longer_one_is_as_it_is():
    for seed in range(5):
        verdict = compare_times([run(seed, 30)], [run(f"long {seed}", 3000, 1.05)], QUICK)
        assert verdict.verdict == "slower"

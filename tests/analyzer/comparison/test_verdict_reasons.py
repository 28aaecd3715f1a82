"""Which reasons a verdict states, and which it leaves out."""

from __future__ import annotations

import pytest
from significance_samples import run

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.significance import compare_averages, compare_times

QUICK = VerdictSettings(resamples=200, assumed_run_spread_percent=0)


def codes(verdict):
    return {reason.code for reason in verdict.reasons}


@pytest.mark.parametrize(("level_ms", "verdict"), [(1.02, "inconclusive"), (1.5, "slower")])
def test_iterations_that_depend_on_each_other_are_a_reason_only_where_nothing_is_decided(level_ms, verdict):
    slow = {"correlation": 0.995, "variation": 0.04}
    found = compare_times([run(1, 2000, **slow)], [run(2, 2000, level_ms, **slow)], QUICK)
    assert found.verdict == verdict
    assert ("dependent-iterations" in codes(found)) == (verdict == "inconclusive")


def test_averages_are_of_one_run_each():
    found = compare_averages(1.0, 2.0)
    assert (found.baseline.runs, found.candidate.runs) == (1, 1)


def test_a_spread_that_alone_prevents_a_verdict_is_assumed_or_measured():
    assumed = VerdictSettings(resamples=200, assumed_run_spread_percent=5)
    one = compare_times([run(1)], [run(2, level_ms=1.05)], assumed)
    assert "only-assumed-run-spread-prevents" in codes(one)
    several = compare_times(
        [run(each, level_ms=1 + each / 50) for each in range(3)],
        [run(each, level_ms=1.05 + each / 50) for each in range(3)],
        assumed,
    )
    assert several.verdict == one.verdict == "inconclusive"
    assert "only-run-spread-prevents" in codes(several)
    assert "only-assumed-run-spread-prevents" not in codes(several)


@pytest.mark.parametrize(
    ("ratio", "in_one_sitting", "in_turns"),
    [
        (1.025, ("inconclusive", "only-sittings-prevent"), "slower"),
        (1.0, ("no-change", "one-sitting"), "no-change"),
    ],
)
def test_runs_of_one_sitting_may_share_a_deviation(ratio, in_one_sitting, in_turns):
    sides = [run(each) for each in (1, 2, 3)], [run(each, level_ms=ratio) for each in (4, 5, 6)]
    usual = VerdictSettings(resamples=200)
    found, turns = compare_times(*sides, usual), compare_times(*sides, usual, (3, 3))
    verdict, reason = in_one_sitting
    assert found.verdict == verdict
    assert [each.figures for each in found.reasons if each.code == reason] == [
        {"allowance_percent": pytest.approx(3.19, abs=0.01)}
    ]
    assert turns.verdict == in_turns
    assert not codes(turns) & {"only-sittings-prevent", "one-sitting"}


def test_the_spread_of_a_single_run_is_assumed_also_beside_several():
    """Three runs that agree do not show how much those of the other engine differ."""
    one, three = [run(1)], [run(each, level_ms=1.04) for each in (2, 3, 4)]
    usual = VerdictSettings(resamples=200)
    for found in (compare_times(one, three, usual), compare_times(three, one, usual)):
        assert found.verdict == "inconclusive"
        assert found.run_spread_percent is not None
        assert "only-assumed-run-spread-prevents" in codes(found)
    assert "only-assumed-run-spread-prevents" not in codes(compare_times(one, three, QUICK))

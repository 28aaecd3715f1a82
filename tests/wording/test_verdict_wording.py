"""The reasons of a verdict, each as its sentence: figures of the right side and in the right unit."""

from __future__ import annotations

import pytest

from trexreport.analyzer.analysis.verdict import Ratio, Reason, TimesUsed, Verdict, VerdictSettings
from trexreport.numbers import UNIT_SPACE
from trexreport.wording.verdict import reason_sentences, verdict_text

BASELINE = TimesUsed(2, 1200, median_ms=2.0, independent_iterations=345.6)
CANDIDATE = TimesUsed(1, 7, median_ms=3.0, independent_iterations=5.4)
TIMES = {"first_ms": 2.5, "last_ms": 2.0, "runs": 1}


def sentence(reason, ratio=(1.0, 1.0, 1.0), **changes):
    stated = {
        "verdict": "inconclusive",
        "basis": "iterations",
        "reasons": (reason,),
        "baseline": BASELINE,
        "candidate": CANDIDATE,
        "median_ratio": Ratio(*ratio),
        "p99_ratio": Ratio(0.9, 0.8, 1.0),
        "p_value": 0.1234,
        "run_spread_percent": 1.5,
        "run_allowance_percent": 2.5,
        "settings": VerdictSettings(minimum_effect_percent=3.0, confidence=0.9),
    }
    (text,) = reason_sentences(Verdict(**{**stated, **changes}))
    return text.replace(UNIT_SPACE, " ")


@pytest.mark.parametrize(
    ("ratio", "expected"),
    [
        ((1.05, 1.04, 1.06), "takes 5.00% more time than the baseline (90% CI: 4.00% to 6.00% more)."),
        ((0.95, 0.94, 0.96), "takes 5.00% less time than the baseline (90% CI: 4.00% to 6.00% less)."),
        ((1.01, 0.99, 1.03), "takes 1.00% more time than the baseline (90% CI: 1.00% less to 3.00% more)."),
        ((1.01, 1.0, 1.02), "takes 1.00% more time than the baseline (90% CI: 0% more to 2.00% more)."),
        ((1.99, 1.9, 2.1), "takes 99.0% more time than the baseline (90% CI: 90.0% to 110% more)."),
        ((2.0, 1.9, 2.1), "takes 2.00 times as long as the baseline (90% CI: 1.90 to 2.10 times)."),
        ((0.5, 0.4, 0.625), "is 2.00 times as fast as the baseline (90% CI: 1.60 to 2.50 times)."),
        ((0.51, 0.5, 0.52), "takes 49.0% less time than the baseline (90% CI: 48.0% to 50.0% less)."),
        (
            (1e7, 1e6, 1e8),
            "takes 1,000,000 times as long as the baseline (90% CI: 1,000,000 to 1,000,000 times).",
        ),
    ],
)
def test_the_interval_is_in_the_unit_of_the_difference(ratio, expected):
    assert sentence(Reason("interval"), ratio) == f"The candidate {expected}"


def test_equal_medians_are_equal():
    assert sentence(Reason("interval"), (1.0, 0.98, 1.03)) == (
        "Both medians are equal (90% CI: 2.00% less to 3.00% more)."
    )


@pytest.mark.parametrize("ratio", [(1.01, 0.98, 1.015), (0.99, 1 / 1.0204, 1.02)])
def test_the_largest_difference_is_that_of_the_farther_end(ratio):
    assert sentence(Reason("within-minimum-effect"), ratio) == (
        "The times differ by up to 2.04% (90% CI), within the minimum effect of 3%."
    )


SENTENCES = [
    (
        Reason("beyond-noise"),
        "The candidate takes 50.0% more time than the baseline, more than the assumed noise of 10%.",
    ),
    (Reason("ranks-not-different"), "The rank test finds no significant difference (p = 0.12)."),
    (Reason("p99-differs"), "The p99 does not follow the median: it is 10.0% less."),
    (
        Reason("dependent-iterations", "baseline"),
        (
            "The baseline's 1,200 iterations are autocorrelated: they carry as much information as 350 "
            "independent ones."
        ),
    ),
    (
        Reason("dependent-iterations", "candidate"),
        (
            "The candidate's 7 iterations are autocorrelated: they carry as much information as 5.4 "
            "independent ones."
        ),
    ),
    (
        Reason("few-iterations", "candidate", figures={"required": 1000}),
        "The candidate has 7 iterations, too few to estimate the variation: 1,000 are needed.",
    ),
    (
        Reason("unusable-times", "baseline", figures={"left_out": 1, "total": 1201}),
        "Left out as not valid: 1 of 1,201 times of the baseline.",
    ),
    (
        Reason("one-run", "candidate"),
        (
            "There is one run of the candidate, which does not show how much its runs differ. The "
            "interval allows 2.50% for the spread between runs."
        ),
    ),
    (
        Reason("one-run-each"),
        (
            "There is one run of each, which does not show how much runs differ. The interval allows "
            "2.50% for it, as runs are assumed to differ by 1%."
        ),
    ),
    (
        Reason("only-run-spread-prevents", would_be="no-change"),
        "Without the spread between runs of one engine (1.50%), the verdict would be “no change detected”.",
    ),
    (
        Reason("only-sittings-prevent", would_be="slower", figures={"allowance_percent": 3.2}),
        (
            "Without the deviation that runs of one sitting may share (3.20%), the verdict would be "
            "“slower”: measure the engines in turns."
        ),
    ),
    (
        Reason("one-sitting", figures={"allowance_percent": 3.2}),
        (
            "Runs of one sitting may share a deviation that none of them shows, assumed to be up to 3.20%: "
            "measure the engines in turns."
        ),
    ),
    (
        Reason("long-warm-up", "candidate", figures={**TIMES, "still_falls": 1.0}),
        (
            "The candidate's times fall from 2.50 ms to 2.00 ms during the run, as in a long warm-up, and "
            "still fall at its end, for which the interval allows."
        ),
    ),
    (
        Reason("coarse-timer", "baseline", figures={"step_ms": 0.05}),
        "The baseline's times are multiples of 0.0500 ms, so the median is known to within half of that.",
    ),
    (
        Reason("coarse-timer", figures={"step_ms": 0.05}),
        "All times are multiples of 0.0500 ms, so the median is known to within half of that.",
    ),
    (
        Reason("clock-step", "baseline", figures={**TIMES, "after_percent": 40}),
        (
            "The baseline's times step from 2.50 ms to 2.00 ms after 40.0% of the run, as when the GPU "
            "changes its clock. 1 of 2 runs do."
        ),
    ),
    (
        Reason("slow-drift", "candidate", figures={**TIMES, "first_ms": 1.0263, "last_ms": 1.0319}),
        "The candidate's times drift from 1.026 ms to 1.032 ms during the run.",
    ),
    (
        Reason("slow-drift", "candidate", figures=TIMES),
        "The candidate's times drift from 2.50 ms to 2.00 ms during the run.",
    ),
    (
        Reason("changing-level", "candidate", figures={"range_percent": 4.5, "runs": 1}),
        "The level of the candidate's times changes by 4.50% during the run.",
    ),
    (
        Reason("different-model-by-weights", figures={"common": 0.25}, values={"multiply-adds": ("1", "")}),
        (
            "Different models: 25.0% of the weights are in layers that both have. Multiply-adds of an "
            "inference: 1 "
            "in the baseline, unknown in the candidate."
        ),
    ),
    (
        Reason("different-work", values={"batch": ("1", "2"), "items": ("3", "4")}),
        "Different amounts of work: batch 2 vs. 1 and items 4 vs. 3.",
    ),
]


@pytest.mark.parametrize(("reason", "expected"), SENTENCES, ids=[each.code for each, _ in SENTENCES])
def test_the_sentence_of_a_reason(reason, expected):
    assert sentence(reason) == expected


def test_the_noise_is_at_least_the_minimum_effect():
    settings = VerdictSettings(minimum_effect_percent=12.0)
    assert sentence(Reason("within-noise"), settings=settings).endswith("within the assumed noise of 12%.")


@pytest.mark.parametrize(
    ("baseline_ms", "candidate_ms", "expected"),
    [(None, 1.0, "baseline"), (1.0, None, "candidate"), (None, None, "baseline and the candidate")],
)
def test_the_sides_without_a_time_are_named(baseline_ms, candidate_ms, expected):
    sides = {"baseline": TimesUsed(median_ms=baseline_ms), "candidate": TimesUsed(median_ms=candidate_ms)}
    assert sentence(Reason("no-times"), **sides) == f"No time of the {expected} is known."


def test_a_provisional_verdict_says_so():
    assert verdict_text(Verdict("no-change", "iterations", (), BASELINE, CANDIDATE)) == "no change detected"
    provisional = Verdict("faster", "iterations", (), BASELINE, CANDIDATE, provisional=True)
    assert verdict_text(provisional) == "faster (provisional)"

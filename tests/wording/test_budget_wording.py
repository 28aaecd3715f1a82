"""Every limit has a title, and every code of a reason a sentence."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.budget import (
    CheckRemark,
    MetricReason,
    MetricReasonCode,
    VerdictReason,
    VerdictReasonCode,
)
from trexreport.analyzer.analysis.verdict import Ratio, Reason
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.parts import PART_FIGURES
from trexreport.analyzer.budget.phases import TOTAL_FIGURES
from trexreport.analyzer.budget.regression import REGRESSION_METRICS
from trexreport.analyzer.comparison.compare import compare
from trexreport.reader import read_engine
from trexreport.wording import budget

SAMPLES = Path(__file__).parents[2] / "samples"


def test_every_limit_has_a_title():
    titles = {table: list(titles) for table, titles in budget._TITLES.items()}
    tables = {
        "engine": FIGURES,
        "regression": REGRESSION_METRICS,
        "part": PART_FIGURES,
        "total": TOTAL_FIGURES,
    }
    assert titles == {table: list(figures) for table, figures in tables.items()}


def test_every_code_has_a_sentence():
    assert set(budget._SENTENCES) == set(get_args(MetricReasonCode))
    assert set(budget._VERDICT_SENTENCES) == set(get_args(VerdictReasonCode))
    assert set(budget._REMARKS) == set(get_args(CheckRemark))


@pytest.mark.parametrize("code", get_args(MetricReasonCode))
def test_a_reason_is_whole_sentences(code):
    reason = MetricReason(code, 2, 3, ["TRX101", "TRX102."], [MetricReason("no-profile")])
    text = budget.reasons_text([reason])
    assert text[0].isupper() or text[0].isdigit() or text.startswith("trtexec")
    assert text.endswith(".")
    assert budget.reasons_text([reason, MetricReason("nothing-fits")]) == f"{text} Nothing fits the pattern."


def test_one_is_singular():
    assert budget.reasons_text([MetricReason("tensors-of-unknown-size", 1)]) == "1 tensor is of unknown size."
    text = budget.reasons_text([MetricReason("weights-of-unknown-size", 2)])
    assert text == "2 parts of the weights are of unknown size."


def test_of_many_rules_a_few_are_named():
    rules = [f"TRX{number}" for number in range(101, 108)]
    text = budget.reasons_text([MetricReason("found-by", names=rules)])
    assert text == "Found by TRX101, TRX102, TRX103, TRX104, TRX105 and 2 more."


def test_what_is_not_known_of_a_part_gives_its_reason():
    of = [MetricReason("layers-not-measured", 1)]
    texts = [
        budget.reasons_text([MetricReason("blocks-not-known-in-full", 1, 6, of=of)]),
        budget.reasons_text([MetricReason("not-known-of-baseline", of=of)]),
    ]
    assert texts == [
        "Not fully known for 1 of 6 blocks: The profile lacks 1 layer.",
        "Baseline: The profile lacks 1 layer.",
    ]


@pytest.fixture(scope="module")
def verdict():
    """The verdict on a candidate that is slower than the baseline."""
    engines = [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("after", "before")]
    return compare(engines, analyses=[analyze(engine) for engine in engines]).engines[1].verdict


@pytest.mark.parametrize(
    ("code", "text"),
    [
        ("median", "Latency: +10.0% to +20.0% with 95% confidence."),
        ("p99", "Latency: \u22125.00% to +30.0% with 95% confidence."),
        (
            "p99-inconclusive",
            "The result is inconclusive. Latency: \u22125.00% to +30.0% with 95% confidence.",
        ),
        (
            "not-slower",
            "The verdict is “no change detected{}”. Latency: +10.0% to +20.0% with 95% confidence.",
        ),
    ],
)
@pytest.mark.parametrize(
    ("of_verdict", "basis"), [("", ""), (" (provisional)", " Provisional: one run of a side.")]
)
def test_a_verdict_gives_its_interval(verdict, code, text, of_verdict, basis):
    ratios = {"median_ratio": Ratio(1.15, 1.1, 1.2), "p99_ratio": Ratio(1.1, 0.95, 1.3)}
    found = replace(verdict, verdict="no-change", provisional=bool(basis), **ratios)
    stated = budget.reasons_text([VerdictReason(code, found, "latency")])
    assert stated == text.format(of_verdict) + basis


def test_a_verdict_without_an_interval_gives_its_own_reason(verdict):
    averages = replace(
        verdict, median_ratio=None, reasons=[Reason("equal-averages"), Reason("averages-only")]
    )
    own = "Both times are equal."
    assert budget.reasons_text([VerdictReason("median", averages, "latency")]) == own
    text = budget.reasons_text([VerdictReason("inconclusive", averages, "latency")])
    assert text == (
        f"The result is inconclusive. {own} Only summaries are known, not the times of single iterations."
    )

"""Every fact of a comparison has its words; sections that would compare nothing say so instead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.analysis.verdict import ReasonCode
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_conditions import INPUT_TRANSFERS
from trexreport.analyzer.comparison.compare_fields import FIELDS
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.wording import conditions, verdict
from trexreport.wording.comparison import why

SAMPLES = Path(__file__).parents[2] / "samples"


@pytest.fixture(scope="module")
def pair():
    engines = [read_engine(SAMPLES / f"resnet18-int8-{name}") for name in ("before", "after")]
    analyses = [analyze(engine) for engine in engines]
    return compare(engines, analyses=analyses), analyses


def page_of(comparison, analyses):
    return render_comparison_html(comparison, analyses).decode("utf-8")


def test_every_reason_has_a_sentence():
    assert set(verdict._SENTENCES) == set(get_args(ReasonCode))


def test_every_condition_has_an_effect():
    assert {*(field.name for field in FIELDS), INPUT_TRANSFERS} == set(conditions._EFFECTS)


@pytest.mark.parametrize("values", [["", "NVIDIA L4"], ["", ""]])
def test_conditions_that_are_not_known_are_named(pair, values):
    comparison, _ = pair
    assert "Not known" not in conditions.conditions_sentence(comparison)
    (gpu,) = (each for each in comparison.conditions if each.name == "GPU")
    others = [each for each in comparison.conditions if each is not gpu]
    unknown = replace(comparison, conditions=[*others, replace(gpu, values=values)])
    assert conditions.conditions_sentence(unknown).endswith(" Not known for all engines: GPU.")


def test_another_model_blocks_the_comparison_though_no_listed_condition_does(pair):
    comparison, _ = pair
    assert not conditions.conditions_sentence(comparison).startswith("Different")
    baseline, candidate = comparison.engines
    other = replace(comparison, engines=[baseline, replace(candidate, blocking_conditions=["model"])])
    assert conditions.conditions_sentence(other) == "Different test conditions: model differs."


def test_operators_that_no_two_engines_share_are_not_compared(pair):
    comparison, analyses = pair
    alone = [Share(["/a/Conv"], [1, 0], [1.0, None]), Share(["Conv_1"], [0, 1], [None, 1.0])]
    page = page_of(replace(comparison, by_operator=alone), analyses)
    assert "have no operator names in common" in page
    assert 'aria-label="Time by operator"' not in page
    assert 'aria-label="Time by operator"' in page_of(comparison, analyses)


def test_modules_that_are_the_blocks_are_shown_once(pair):
    comparison, analyses = pair
    modules = [Share([row.block], [1, 1], [1.0, 1.0]) for row in comparison.rows]
    same = replace(comparison, by_module=modules, block_basis="modules")
    assert 'aria-label="Time by module"' not in page_of(same, analyses)
    other = replace(same, by_module=[*modules, Share(["elsewhere"], [1, 1], [1.0, 1.0])])
    assert 'aria-label="Time by module"' in page_of(other, analyses)


def test_the_total_is_stated_once_with_the_verdict(pair):
    page = page_of(*pair)
    assert page.count("Total layer time: ") == 1


def test_layers_that_go_the_other_way_explain_nothing(pair):
    _, candidate = pair[0].engines
    causes = next(each for each in candidate.waterfalls if each.by == "cause")
    found = candidate.verdict.median_ratio
    ratio = replace(found, value=2.0 if causes.difference_ms < 0 else 0.5)
    other = replace(candidate, verdict=replace(candidate.verdict, verdict="slower", median_ratio=ratio))
    assert why(other).endswith(
        "The layers do not explain the difference in GPU compute time, which goes the other way."
    )
    assert "other way" not in why(candidate)


def test_a_breakdown_of_different_models_says_so(pair):
    comparison, analyses = pair
    notice = "The engines run different models: steps compare unrelated layers."
    assert notice not in page_of(comparison, analyses)
    engines = [comparison.engines[0], replace(comparison.engines[1], blocking_conditions=["model"])]
    assert notice in page_of(replace(comparison, engines=engines), analyses)

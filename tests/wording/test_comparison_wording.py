"""Every fact of a comparison has its words; sections that would compare nothing say so instead."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import get_args

import pytest

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis.compared_rows import Share
from trexreport.analyzer.analysis.comparison import LayerScaling
from trexreport.analyzer.analysis.verdict import ReasonCode
from trexreport.analyzer.comparison.compare import compare
from trexreport.analyzer.comparison.compare_conditions import INPUT_TRANSFERS
from trexreport.analyzer.comparison.compare_fields import FIELDS
from trexreport.reader import read_engine
from trexreport.renderer.comparison.html import render_comparison_html
from trexreport.wording import conditions, verdict
from trexreport.wording.comparison import alike_facts, why

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


def why_with(comparison, enqueue_ms=(None, None), **fields):
    """Return the explanation with other fields of the candidate, and with enqueue times."""
    engines = [
        replace(engine, figures=replace(engine.figures, enqueue_ms=time))
        for engine, time in zip(comparison.engines, enqueue_ms, strict=True)
    ]
    text = why(replace(comparison, engines=[engines[0], replace(engines[1], **fields)]), 1)
    return text.replace("\xa0", " ")


def test_what_is_in_no_layer_is_not_explained_by_layers(pair):
    comparison, _ = pair
    assert "Main causes: " in why(comparison, 1)
    text = "Most of the difference in GPU compute time is outside of the layers (+0.900 ms)"
    assert why_with(comparison, outside_layers_ms=0.9).endswith(f" ms). {text}.")
    waits = why_with(comparison, (0.5, 3.0), outside_layers_ms=0.9)
    assert waits.endswith(f"{text}, and the median enqueue time differs: 0.500 ms → 3.00 ms.")
    # The load of the host differs as much between runs.
    assert why_with(comparison, (0.5, 0.6), outside_layers_ms=0.9).endswith(f"{text}.")


def test_steps_that_explain_nothing_are_no_main_causes(pair):
    comparison, _ = pair
    (steps,) = (each for each in comparison.engines[1].waterfalls if each.by == "cause")
    first, second, third = steps.steps[:3]
    tiny = replace(third, difference_ms=first.difference_ms / 200)
    shown = why_with(comparison, waterfalls=[replace(steps, steps=[first, second, tiny])])
    assert second.name in shown
    assert third.name not in shown


@pytest.mark.parametrize(
    ("scaling", "factor", "reason"),
    [
        (
            LayerScaling("all", 1.5, None, False),
            "All layers take 1.50 times as long, alike",
            "a lower clock, a power limit or other work on the GPU is",
        ),
        (
            LayerScaling("all", 0.7, None, True),
            "All layers take 0.700 times as long per item, alike",
            "a higher clock or other work on the GPU beside the baseline is",
        ),
        (
            LayerScaling("all", 1.5, None, False, is_one_gpu=False),
            "All layers take 1.50 times as long, alike",
            "a lower clock, a power limit, other work on the GPU or another GPU is",
        ),
        (
            LayerScaling("compute-bound", 1.41, 1.02, False),
            "Compute-bound layers take 1.41 times as long, memory-bound layers 1.02 times",
            "a lower SM clock is",
        ),
        (
            LayerScaling("memory-bound", 0.6, 0.99, False),
            "Memory-bound layers take 0.600 times as long, compute-bound layers 0.990 times",
            "a higher memory clock, or other work that uses the memory beside the baseline, is",
        ),
    ],
)
def test_layers_that_differ_alike_show_the_state_of_the_gpu(pair, scaling, factor, reason):
    engine = "a worse engine" if scaling.ratio > 1 else "a better engine"
    assert why_with(pair[0], scaling=scaling).endswith(f"{factor}: {reason} more likely than {engine}.")


def test_a_breakdown_of_different_models_says_so(pair):
    comparison, analyses = pair
    notice = "The engines run different models: steps compare unrelated layers."
    assert notice not in page_of(comparison, analyses)
    engines = [comparison.engines[0], replace(comparison.engines[1], blocking_conditions=["model"])]
    assert notice in page_of(replace(comparison, engines=engines), analyses)


@pytest.mark.parametrize(
    ("boards", "shown"), [(("Kit A", "Kit A"), ["Orin (Kit A)"]), (("Kit A", "Kit B"), [])]
)
def test_gpus_of_different_boards_are_not_what_engines_have_in_common(pair, boards, shown):
    engines = [
        replace(each, identity=replace(each.identity, gpu="Orin", board=board))
        for each, board in zip(pair[0].engines, boards, strict=True)
    ]
    facts = alike_facts(replace(pair[0], engines=engines))
    assert [each for each in facts if "Orin" in each] == shown


def test_few_operators_in_common_have_no_table(pair):
    comparison, analyses = pair
    alone = [Share([f"/a{at}/Conv"], [1, 0], [1.0, None]) for at in range(19)]
    both = Share(["/b/Conv"], [1, 1], [1.0, 2.0])
    page = page_of(replace(comparison, by_operator=[*alone, both]), analyses)
    assert "Only 5.00% of the operator names are in both" in page
    assert 'aria-label="Time by operator"' not in page
    page = page_of(replace(comparison, by_operator=[*alone[:8], both]), analyses)
    assert 'aria-label="Time by operator"' in page

"""Budgets limit the error of the outputs, and the increase of a layer's error."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest
from budget_engines import outcome

from trexreport.analyzer import analyze
from trexreport.reader import read_engine
from trexreport.wording.budget import limit_reason

LAYERS = [
    {
        "Name": f"conv{at}",
        "LayerType": "Convolution",
        "Inputs": [{"Name": f"t{at - 1}", "Dimensions": [1, 8]}],
        "Outputs": [{"Name": f"t{at}", "Dimensions": [1, 8]}],
    }
    for at in (1, 2)
]


@pytest.fixture
def checked(tmp_path):
    """Return a function that gives an engine with figures on accuracy, and its analysis."""

    def make(figures, **metrics):
        (tmp_path / "x.graph.json").write_text(json.dumps({"Layers": LAYERS, "Bindings": ["t0", "t2"]}))
        (tmp_path / "x.accuracy.json").write_text(json.dumps(figures))
        engine = read_engine(tmp_path, metrics=metrics)
        return engine, analyze(engine)

    return make


@pytest.mark.parametrize(("limit", "state"), [(9.9, "broken"), (10.1, "held")])
def test_the_error_of_the_outputs_is_limited(checked, limit, state):
    engine = checked({"measure": "relative_error", "tensors": {"t1": 0.5, "t2": 0.1}})
    assert outcome(f"output-error-percent = {limit}", engine).state == state


@pytest.mark.parametrize(("limit", "state"), [(49, "broken"), (51, "held")])
def test_the_increase_of_a_layer_is_limited(checked, limit, state):
    engine = checked({"measure": "relative_error", "tensors": {"t1": 0.5, "t2": 0.6}})
    found = outcome(f"error-increase-percent = {limit}", engine)
    assert (found.state, found.layers) == (state, ["conv1"] if state == "broken" else [])


@pytest.mark.parametrize(
    ("figures", "reason"),
    [
        ({"t1": 0.5, "t2": 3}, "The accuracy files state no relative error of it"),
        (
            {"measure": "relative_error", "tensors": {"t1": float("nan"), "t2": 0.1}},
            "A tensor has NaN or infinity",
        ),
        (
            {"measure": "relative_error", "tensors": {"t1": 0.5}},
            "The accuracy files state no relative error of it",
        ),
    ],
)
def test_what_is_not_known_does_not_hold(checked, figures, reason):
    found = outcome("output-error-percent = 100", checked(figures))
    assert found.state == "unknown"
    assert limit_reason(found).startswith(reason)


@pytest.mark.parametrize(
    ("tensors", "state"),
    [
        ({"t2": 0.1}, "held"),
        # Without the model few tensors of a fused engine are known, the outputs among them.
        ({"t2": 0.1, "a": 0.1, "b": 0.1, "c": 0.1}, "held"),
        ({"t1": 0.1, "a": 0.1, "b": 0.1, "c": 0.1}, "unknown"),
        ({"a": 0.1}, "unknown"),
    ],
)
def test_figures_of_another_model_hold_no_limit(checked, tensors, state):
    engine = checked({"measure": "relative_error", "tensors": tensors}, top1=76.0)
    found = outcome("[budget.metrics]\ntop1 = { min = 70 }", engine)
    assert found.state == state
    if state == "unknown":
        assert "may be of another model" in limit_reason(found)


@pytest.mark.parametrize(("count", "contradicts"), [(1, False), (7, False), (8, True)])
def test_few_tensors_of_other_names_contradict_nothing(checked, count, contradicts):
    tensors = {f"other{number}": 0.1 for number in range(count)}
    _, analysis = checked({"measure": "relative_error", "tensors": tensors})
    assert [each.code for each in analysis.contradictions] == ["accuracy-tensors"] * contradicts


def test_tensors_of_other_sizes_are_a_reason_of_their_own(checked):
    engine, analysis = checked({"measure": "relative_error", "tensors": {"t1": 0.1, "t2": 0.1}})
    other = replace(analysis, accuracy=replace(analysis.accuracy, match="other"))
    found = outcome("output-error-percent = 100", (engine, other))
    assert found.state == "unknown"
    # Their names are all known, so that how many are would say the opposite.
    assert limit_reason(found).startswith(
        "The accuracy files are of another model: their tensors have other sizes"
    )

"""Budgets limit figures of the whole model, and how much they are worse than the baseline's."""

from __future__ import annotations

import json

import pytest
from budget_engines import budget_of, outcome, outcomes

from trexreport.analyzer import analyze
from trexreport.errors import UsageError
from trexreport.reader import read_engine
from trexreport.wording.budget import limit_reason, limit_title


@pytest.fixture
def checked(tmp_path):
    """Return a function that gives an engine with figures of the whole model, and its analysis."""
    graph = tmp_path / "x.graph.json"
    graph.write_text(json.dumps({"Layers": [{"Name": "conv", "LayerType": "Convolution"}], "Bindings": []}))

    def make(**metrics):
        engine = read_engine(graph, metrics=metrics)
        return engine, analyze(engine)

    return make


@pytest.mark.parametrize(
    ("limit", "state"),
    [
        ("{ min = 76.0 }", "held"),
        ("{ min = 76.2 }", "held"),
        ("{ min = 76.3 }", "broken"),
        ("{ max = 76.3 }", "held"),
        ("{ max = 76.1 }", "broken"),
        ("{ min = 77, level = 'off' }", "off"),
    ],
)
def test_a_figure_is_limited_on_the_side_that_is_stated(checked, limit, state):
    assert outcome(f"[budget.metrics]\ntop1 = {limit}", checked(top1=76.2)).state == state


@pytest.mark.parametrize(
    ("limit", "after", "value", "state"),
    [
        # 69.43 - 69.21 is more than 0.22 in binary.
        ("max-drop = 0.22", 69.21, 0.22, "held"),
        ("max-drop = 0.21", 69.21, 0.22, "broken"),
        ("max-drop = 0", 70.0, -0.57, "held"),
        ("max-rise = 0.5", 70.0, 0.57, "broken"),
    ],
)
def test_a_drop_and_a_rise_are_limited_against_the_baseline(checked, limit, after, value, state):
    found = outcome(f"[budget.metrics]\ntop1 = {{ {limit} }}", checked(top1=after), checked(top1=69.43))
    assert (found.value, found.state) == (value, state)


def test_several_limits_of_a_figure_have_names_of_their_own(checked):
    text = "[budget.metrics]\nlevel = 'warn'\ntop1 = { min = 77, max-drop = 0.5 }\nppl = { max = 6 }"
    found = outcomes(text, checked(top1=76.2, ppl=5.0), checked(top1=76.3))
    assert list(found) == ["metrics.top1.min", "metrics.top1.max-drop", "metrics.ppl.max"]
    assert [each.severity for each in found.values()] == ["warn", "", ""]
    titles = [limit_title(each) for each in found.values()]
    assert titles == ["top1", "top1, drop against the baseline", "ppl"]


@pytest.mark.parametrize(
    ("limit", "after", "before", "reason"),
    [
        ("min = 1", {"Top1": 76.0}, None, "`--metric NAME=NUMBER` does. The files state Top1."),
        ("min = 1", {}, None, "`--metric NAME=NUMBER` does."),
        ("max-drop = 1", {"top1": 76.0}, None, "There is no baseline"),
        ("max-drop = 1", {"top1": 76.0}, {"mAP": 0.5}, "The files state mAP."),
    ],
)
def test_an_unknown_figure_meets_no_limit(checked, limit, after, before, reason):
    baseline = None if before is None else checked(**before)
    found = outcome(f"[budget.metrics]\ntop1 = {{ {limit} }}", checked(**after), baseline)
    assert (found.state, found.severity) == ("unknown", "warn")
    assert reason in limit_reason(found)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("top1 = 76.0", "does not state on which side values are good"),
        ("top1 = { }", "Give one of min, max, max-drop, max-rise"),
        ("top1 = { mim = 76.0 }", "mim"),
        ("top1 = { min = 'high' }", "a number"),
        ("top1 = { max-drop = -1 }", "0 to 1e"),
        ("top1 = { min = nan }", "a number"),
    ],
)
def test_a_mistake_is_named(text, message):
    with pytest.raises(UsageError, match=message):
        budget_of(f"[budget.metrics]\n{text}")


def test_a_limit_against_the_baseline_needs_it():
    assert budget_of("[budget.metrics]\ntop1 = { max-drop = 1 }").needs_baseline
    assert not budget_of("[budget.metrics]\ntop1 = { min = 1 }").needs_baseline

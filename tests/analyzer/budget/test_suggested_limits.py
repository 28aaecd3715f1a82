"""Suggested limits: the engine is within them, and a much worse engine exceeds them."""

from __future__ import annotations

import pytest
from budget_engines import AFTER, BEFORE, SAMPLES, budget_of, checked, outcomes
from hypothesis import given
from hypothesis import strategies as st

from trexreport.analyzer.analysis.budget import SuggestedLimit
from trexreport.analyzer.budget import suggest_limits
from trexreport.analyzer.budget.figures import FIGURES
from trexreport.analyzer.budget.suggest import _with_spare
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.renderer.budget import render_suggestion


def suggested(path):
    return render_suggestion(suggest_limits(checked(path), built_in_rules()), path.name)


@pytest.mark.parametrize(
    "sample",
    sorted(
        path for path in SAMPLES.iterdir() if (path / "README.md").exists() or list(path.glob("*.graph.json"))
    ),
    ids=lambda path: path.name,
)
def test_an_engine_keeps_what_is_suggested(sample):
    found = outcomes(suggested(sample), sample, sample)
    assert {each.state for each in found.values()} == {"held"}
    assert len(found) > 5


def test_a_worse_engine_does_not():
    found = outcomes(suggested(AFTER), BEFORE, AFTER)
    assert {key for key, each in found.items() if each.state == "held"} == {
        "weights-mib",
        "fp32-layers",
        "findings.error",
        # It has no more causes of warnings, but more that they explain.
        "findings.warning",
    }


def test_what_is_not_known_is_a_comment_that_says_why():
    text = suggested(AFTER)
    assert "# engine-size-mib: No file states it;" in text
    assert "engine-size-mib" not in {limit.key for limit in budget_of(text).limits}


def test_every_real_engine_keeps_what_is_suggested(engines_folder):
    folders = sorted(each for each in engines_folder.iterdir() if each.is_dir())
    assert folders
    for path in folders:
        found = outcomes(suggested(path), path, path)
        # Without any time there is no verdict on time.
        assert {each.id for each in found.values() if each.state != "held"} <= {"regression.time-percent"}


@given(st.floats(1e-4, 1e9))
def test_a_limit_has_few_digits_and_five_percent_to_spare(value):
    for key, sign in (("latency-ms", 1), ("throughput-qps", -1)):
        limit = _with_spare(value, FIGURES[key])
        ratio = limit / value
        assert 0.05 <= sign * (ratio - 1) + 1e-9 <= 0.0611 if sign > 0 else 0.05 <= 1 - ratio + 1e-9 <= 0.0611
        assert float(f"{limit:.2e}") == limit


@given(st.text())
def test_no_name_of_an_engine_becomes_a_setting(name):
    text = render_suggestion([SuggestedLimit("budget", "layers", 3)], name)
    assert [limit.value for limit in budget_of(text).limits] == [3]

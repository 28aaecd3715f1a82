"""Limits on what the rules find: by severity and by rule, findings and places."""

from __future__ import annotations

import dataclasses

import pytest
from budget_engines import BEFORE, checked, outcome, outcomes

from trexreport.analyzer import analyze
from trexreport.analyzer.analysis import SEVERITIES, Finding, Lint, Place, UncheckedRule
from trexreport.analyzer.rules.needs import NEEDS
from trexreport.reader import read_engine
from trexreport.wording.budget import limit_reason, limit_title


def finding(code, severity, places):
    return Finding(
        code=code,
        name="a.b",
        severity=severity,
        title="T",
        message="M",
        section="layers",
        places=[Place("P", [number]) for number in range(places)],
        layers=list(range(places)),
        time_ms=None,
        gain=None,
        savings="",
        cost="",
        recommendation="",
        false_alarm="",
    )


def with_unchecked(found, rule):
    engine, analysis = found
    return engine, dataclasses.replace(analysis, lint=dataclasses.replace(analysis.lint, unchecked=[rule]))


@pytest.fixture
def found():
    """An engine with an error of 2 places, warnings of 3 and 1, and an info of 4."""
    engine, analysis = checked(BEFORE)
    lint = Lint(
        [
            finding("TRX302", "error", 2),
            finding("TRX302", "warning", 3),
            finding("TRX101", "warning", 1),
            finding("TRX303", "info", 4),
        ],
        checked=9,
    )
    return engine, dataclasses.replace(analysis, lint=lint)


COUNTS = {
    "error": (1, 2),
    "warning": (2, 4),
    "info": (1, 4),
    "TRX302": (2, 5),
    "TRX3": (3, 9),
    "quantization": (3, 9),
    "TRX101": (1, 1),
    "TRX102": (0, 0),
}


@pytest.mark.parametrize("table", ["findings", "places"])
@pytest.mark.parametrize("key", COUNTS)
def test_findings_are_counted_as_lint_counts_and_places_each(found, table, key):
    count = COUNTS[key][table == "places"]
    held = outcome(f"[budget.{table}]\n{key} = {count}", found)
    assert (held.value, held.state) == (count, "held")
    if count:
        assert outcome(f"[budget.{table}]\n{key} = {count - 1}", found).state == "broken"


def test_slighter_findings_of_a_rule_can_be_left_out(found):
    text = '[budget.findings]\nquantization = {{ max = 0, severity = "{}" }}'
    counts = [outcome(text.format(severity), found).value for severity in SEVERITIES]
    assert counts == [1, 2, 3]
    each = outcome(text.format("warning"), found)
    assert limit_title(each) == "Findings of quantization, warning or more severe"


def test_what_was_found_is_named(found):
    each = outcome("[budget.findings]\nTRX3 = 0", found)
    assert limit_reason(each) == "Found by TRX302, TRX303."
    assert len(each.layers) == 4


@pytest.mark.parametrize(
    ("why", "reason"),
    [
        ("broken", "The rule raised."),
        *(("skipped", NEEDS[need]) for need in ("layers", "profile", "end-to-end", "queries")),
    ],
)
def test_a_rule_that_could_not_run_leaves_every_severity_and_its_own_count_open(found, why, reason):
    found = with_unchecked(found, UncheckedRule("TRX302", "a.b", why, reason))
    for text, state in (
        ("[budget.findings]\nerror = 1", "unknown"),
        ("[budget.findings]\nerror = 0", "broken"),
        ("[budget.findings]\ninfo = 9", "unknown"),
        ("[budget.findings]\nTRX302 = 9", "unknown"),
        ("[budget.findings]\nTRX101 = 1", "held"),
    ):
        assert outcome(text, found).state == state
    unknown = outcome("[budget.findings]\nTRX302 = 9", found)
    assert limit_reason(unknown).startswith(f"1 rule could not run: TRX302: {reason}")


@pytest.mark.parametrize("need", ["version", "gpu-samples", "roofline", "build-options"])
def test_what_few_captures_have_is_missed_only_by_the_rule_that_is_named(found, need):
    found = with_unchecked(found, UncheckedRule("TRX302", "a.b", "skipped", NEEDS[need]))
    severity = outcome("[budget.findings]\nerror = 1", found)
    assert (severity.state, severity.at_least) == ("held", False)
    assert limit_reason(severity).endswith("1 rule lacked inputs that few captures have.")
    assert outcome("[budget.findings]\nTRX302 = 9", found).state == "unknown"


def test_a_rule_that_is_named_but_left_out_by_the_configuration_is_not_known(found):
    for settings in ({"ignore": ("TRX302",)}, {"select": ("TRX1",)}):
        each = outcome("[budget.findings]\nTRX302 = 9", found, **settings)
        assert each.state == "unknown"
        assert "The configuration leaves out TRX302." in limit_reason(each)
        # A severity is of what was to run.
        assert outcome("[budget.findings]\nerror = 1", found, **settings).state == "held"


def test_names_alone_hold_no_limit_on_findings(capture):
    engine = read_engine(capture(graph={"Layers": ["conv1", "conv2"]}))
    found = outcomes("[budget.findings]\nerror = 0\nreformat = 0", (engine, analyze(engine)))
    assert {each.state for each in found.values()} == {"unknown"}
    assert "rules could not run" in limit_reason(found["findings.error"])

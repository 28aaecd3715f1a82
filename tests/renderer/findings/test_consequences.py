"""What a finding explains is in every format, and in none a finding of its own."""

from __future__ import annotations

import json
from xml.etree import ElementTree as ET

import pytest
from lint_runs import SAMPLE

from trexreport.analyzer import analyze
from trexreport.analyzer.rules.description import describe_rules
from trexreport.analyzer.rules.registry import built_in_rules
from trexreport.reader import read_engine
from trexreport.renderer.findings import FORMATS, LintRun, render_text


@pytest.fixture(scope="module")
def lint_run():
    """The sample whose residual Adds explain most of what else is found."""
    return LintRun(analyze(read_engine(SAMPLE)), describe_rules(built_in_rules()), "warning")


@pytest.fixture(scope="module")
def explained(lint_run):
    """The codes of the consequences of the first finding."""
    first = lint_run.analysis.lint.findings[0]
    codes = [each.code for each in first.consequences]
    assert (first.code, len(codes) > 3) == ("TRX302", True)
    return codes


@pytest.mark.parametrize("name", ["markdown", "github", "text"])
def test_documents_name_each_of_them(lint_run, explained, name):
    if name == "text":
        document = render_text(lint_run, verbose=True).decode()
    else:
        document = FORMATS[name](lint_run).decode()
    assert "lso resolve" in document
    shown = explained[:5] if name == "github" else explained
    assert all(f"{code}" in document for code in shown)


def test_json_has_their_places_and_what_explains_each(lint_run, explained):
    first = json.loads(FORMATS["json"](lint_run))["findings"][0]
    assert [each["code"] for each in first["consequences"]] == explained
    for each in first["consequences"]:
        assert len(each["causes"]) == len(each["places"]) > 0
        assert all(place["layers"][0]["name"] for place in each["places"])


def test_sarif_has_them_as_properties_of_the_place_that_explains_them(lint_run, explained):
    results = json.loads(FORMATS["sarif"](lint_run))["runs"][0]["results"]
    found = [each for result in results for each in result["properties"].get("consequences", ())]
    first = lint_run.analysis.lint.findings[0]
    assert {each["code"] for each in found} >= set(explained)
    assert sum(each["code"] == "TRX301" for each in found) >= len(first.consequences[1].places)
    reported = {finding.code for finding in lint_run.analysis.lint.findings}
    assert {result["ruleId"] for result in results} == reported


def test_a_rule_whose_places_are_explained_passes_in_junit_and_says_why(lint_run):
    root = ET.fromstring(FORMATS["junit"](lint_run))  # noqa: S314 - of our own
    cases = {case.get("classname"): case for case in root.iter("testcase")}
    assert cases["quantization.mixed-residual-add"].find("failure") is not None
    quantizers = cases["quantization.unfused-qdq"]
    assert quantizers.find("failure") is None
    assert "Explained by TRX302: " in quantizers.find("system-out").text

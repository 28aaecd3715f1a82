"""What the texts of a finding state agrees with its figures."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules import LintSettings
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules


def findings(case, folder):
    """Return the findings of all rules on a case, by code."""
    analysis = analyze_case(json.loads((CASES / f"{case}.json").read_text("utf-8")), folder)
    return {each.code: each for each in lint(analysis, Registry(built_in_rules()), LintSettings()).findings}


@pytest.mark.parametrize(
    ("case", "estimated"), [("TRX911/fires", True), ("TRX911/fires-names-of-earlier-versions", False)]
)
def test_what_has_savings_does_not_say_that_none_are_estimated(case, estimated, tmp_path):
    found = findings(case, tmp_path)["TRX911"]
    assert (found.gain is not None) == estimated
    assert found.savings.startswith("Those of what it also resolves." if estimated else "Not estimated: ")
    assert found.savings.endswith("the profile does not separate waiting from copying.")


def test_many_conversions_of_io_tensors_state_their_time(tmp_path):
    found = findings("TRX206/fires-indices", tmp_path)["TRX206"]
    assert found.message.replace("\u00a0", " ") == (
        "2 reformats convert I/O tensors (16.7% of layer time, 0.0400 ms)."
    )

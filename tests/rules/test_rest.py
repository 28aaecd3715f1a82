"""Rules that report what no other finding names leave out the layers of these, whatever they are."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case

from trexreport.analyzer.rules import Hit, LintSettings, rule
from trexreport.analyzer.rules.lint import lint
from trexreport.analyzer.rules.registry import Registry, built_in_rules

ELEMENTWISE = next(each for each in built_in_rules() if each.code == "TRX523")


def other(test):
    """Return a rule that reports the layers that pass a test, without savings."""

    def check(context):
        """A title.

        Cost:
            c
        Recommendation:
            a
        False alarm:
            f
        Est. savings:
            b
        """
        yield Hit("It is.", tuple(filter(test, context.layers)))

    return rule("ABC100", "test.rule", "info")(check)


@pytest.mark.parametrize(
    ("test", "is_found"),
    [
        (lambda layer: layer.type == "gemm", True),
        (lambda layer: layer.index == 1, False),
        (lambda layer: layer.type != "gemm", False),
    ],
)
def test_what_others_report_is_left_out(test, is_found, tmp_path):
    analysis = analyze_case(json.loads((CASES / "TRX523/fires.json").read_text("utf-8")), tmp_path)
    codes = {each.code for each in lint(analysis, Registry((ELEMENTWISE, other(test)))).findings}
    assert codes == ({"TRX523", "ABC100"} if is_found else {"ABC100"})


def test_the_part_of_the_roofline_is_that_of_the_layers_that_are_left(tmp_path):
    case = json.loads((CASES / "TRX523/fires.json").read_text("utf-8")) | {"gpu": "A100 80GB PCIe"}
    analysis = analyze_case(case, tmp_path)
    settings = LintSettings(thresholds={"TRX523": {"layers": 2}})
    rules = ELEMENTWISE, other(lambda layer: layer.index == 1)
    alone, rest = (lint(analysis, Registry(each), settings).findings for each in (rules[:1], rules))
    evidence = [
        next(each for each in found if each.code == "TRX523").places[0].evidence for found in (alone, rest)
    ]
    assert ["% of roofline" in each for each in evidence] == [True, False]

"""Each rule fires where it must and nowhere else."""

from __future__ import annotations

import json

import pytest
from case_files import CASES, analyze_case, apply_rule, run_case

from trexreport.analyzer.rules.registry import built_in_rules

RULES = {rule.code: rule for rule in built_in_rules()}
FILES = sorted(CASES.glob("*/*.json"))


def _names(analysis, place):
    return [analysis.layers[index].name for index in place.layers]


def _texts(given):
    return [given] if isinstance(given, str) else given


@pytest.mark.parametrize("path", FILES, ids=lambda path: f"{path.parent.name}/{path.stem}")
def test_case(path, tmp_path):
    case = json.loads(path.read_text("utf-8"))
    rule = RULES[path.parent.name]
    analysis, outcome = run_case(case, rule, tmp_path)
    if case["expect"] == "skipped":
        assert [each.why for each in outcome.unchecked] == ["skipped"]
        return
    assert not outcome.unchecked, outcome.unchecked[0].reason
    found = [(finding, place) for finding in outcome.findings for place in finding.places]
    names = sorted(_names(analysis, place) for _, place in found)
    assert names == sorted(each["layers"] for each in case["expect"])
    for expected in case["expect"]:
        here = [pair for pair in found if _names(analysis, pair[1]) == expected["layers"]]
        assert any(expected.get("message", "") in place.message for _, place in here), here
        finding, place = next(pair for pair in here if expected.get("message", "") in pair[1].message)
        # People read labels as the heads of a table; some are options or files.
        assert not [label for label in place.evidence if label[:1].islower() and "." not in label]
        assert all(place.evidence.values()), place.evidence
        assert finding.severity == expected.get("severity", rule.severity)
        for label, text in expected.get("evidence", {}).items():
            assert place.evidence[label] == text
        for text in _texts(expected.get("advised", [])):
            assert text in finding.recommendation
        for text in _texts(expected.get("cost", [])):
            assert text in finding.cost
        for text in _texts(expected.get("not_advised", [])):
            assert text not in finding.recommendation
        if place.gain is not None:
            if place.gain.parts:
                assert place.gain.high_ms <= sum(analysis.layers[i].avg_ms or 0 for i in place.layers) + 1e-9
            assert rule.savings.startswith({"bound": "A bound", "estimate": "An estimate"}[place.gain.kind])
        if "gain" in expected:
            assert _gain(place) == expected["gain"]


@pytest.mark.parametrize("code", sorted(RULES))
def test_each_rule_has_cases_on_both_sides(code):
    expectations = [json.loads(path.read_text("utf-8"))["expect"] for path in (CASES / code).glob("*.json")]
    assert any(each and each != "skipped" for each in expectations), "no case in which it must fire"
    assert [] in expectations, "no case in which it must stay quiet"


@pytest.mark.parametrize("code", sorted(RULES))
def test_each_rule_has_a_case_of_an_engine_that_follows_its_advice(code):
    """It must stay quiet there, or advise something else; or its advice can't be followed in an engine."""
    paths = sorted((CASES / code).glob("done-*.json"))
    for path in paths:
        expected = json.loads(path.read_text("utf-8"))["expect"]
        assert expected != "skipped"
        assert all("not_advised" in each for each in expected), path
    reasons = json.loads((CASES / "cannot-be-done.json").read_text("utf-8"))
    assert bool(paths) is not (code in reasons), "either a case or a reason"


def _places(outcome):
    return [
        (finding.severity, place.layers, place.message)
        for finding in outcome.findings
        for place in finding.places
    ]


@pytest.mark.parametrize("code", sorted(code for code, rule in RULES.items() if rule.thresholds))
def test_each_threshold_bounds_the_figure_that_a_case_states(code, tmp_path_factory):
    stated = set()
    for path in sorted((CASES / code).glob("*.json")):
        case = json.loads(path.read_text("utf-8"))
        turns = case.get("turns", {})
        stated |= turns.keys()
        analysis = analyze_case(case, tmp_path_factory.mktemp("case")) if turns else None
        for name, figure in turns.items():
            below, above = (
                _places(
                    apply_rule(analysis, RULES[code], case.get("thresholds", {}) | {name: figure * factor})
                )
                for factor in (1 - 1e-6, 1 + 1e-6)
            )
            assert below != above, (path.stem, name)
    assert stated == {each.name.replace("_", "-") for each in RULES[code].thresholds}


def _gain(place):
    """Return the kind and figures of savings as a case states them: one of a bound, two of an estimate."""
    gain = place.gain
    if gain is None:
        return None
    figures = [gain.high_ms] if gain.kind == "bound" else [gain.low_ms, gain.high_ms]
    return [gain.kind, *(pytest.approx(each, rel=1e-6, abs=1e-12) for each in figures)]


@pytest.mark.parametrize("code", sorted(RULES))
def test_each_rule_has_a_file_of_its_code_and_name(code):
    family, _, name = RULES[code].name.partition(".")
    file = f"{code.lower()}_{name.replace('-', '_')}"
    assert RULES[code].check.__module__ == f"trexreport.analyzer.rules.{family}.{file}"


def test_every_case_belongs_to_a_rule():
    assert {path.parent.name for path in FILES} <= RULES.keys()


def test_codes_and_names_are_unique():
    rules = built_in_rules()
    assert len({rule.code for rule in rules}) == len(rules) == len({rule.name for rule in rules})

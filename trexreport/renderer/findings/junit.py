"""The findings as JUnit XML: a test suite for each family of rules, a test case for each rule."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as ET

from trexreport.analyzer.analysis import Finding, RuleFacts
from trexreport.renderer.findings.run import LintRun, layer_names, sentence
from trexreport.renderer.junit_document import junit_document
from trexreport.visible import one_line


def render_junit(run: LintRun) -> bytes:
    """Return the outcome as XML 1.0 in UTF-8; a finding that fails the run is a failure."""
    root = ET.Element("testsuites", name=one_line(run.analysis.identity.name))
    # Rules of one family need not stand together, as those of other packages come first.
    in_families = sorted(run.rules, key=lambda rule: rule.family)
    for family, rules in groupby(in_families, key=lambda rule: rule.family):
        suite = ET.SubElement(root, "testsuite", name=one_line(family))
        suite.extend([_case(run, rule) for rule in rules])
    return junit_document(root)


def _case(run: LintRun, rule: RuleFacts) -> ET.Element:
    case = ET.Element("testcase", name=one_line(f"{rule.code} {rule.title}"), classname=one_line(rule.name))
    for each in run.analysis.lint.unchecked:
        if each.code == rule.code:
            outcome = "skipped" if each.why == "skipped" else "error"
            element = ET.SubElement(case, outcome, message=one_line(each.reason))
            if outcome == "error":
                element.set("type", "broken-rule")
            return case
    findings = run.findings_of(rule)
    failing = [finding for finding in findings if run.fails(finding)]
    if failing:
        message = " ".join(sentence(finding) for finding in failing)
        failure = ET.SubElement(case, "failure", message=message, type=failing[0].severity)
        failure.text = "\n".join(line for finding in failing for line in _lines(run, finding))
    others = [line for finding in findings if finding not in failing for line in _lines(run, finding)]
    others += [
        one_line(f"Suppressed: {each.reason}: {layer_names(run, each.place)}".rstrip(": "))
        for each in run.analysis.lint.suppressed
        if each.code == rule.code
    ]
    if others:
        ET.SubElement(case, "system-out").text = "\n".join(others)
    return case


def _lines(run: LintRun, finding: Finding) -> list[str]:
    places = [
        f"- {layer_names(run, place, 3) or 'the whole engine'}: {sentence(place)}" for place in finding.places
    ]
    advice = [one_line(line) for line in finding.recommendation.splitlines() if line]
    return [f"{finding.severity}: {sentence(finding)}", *places, *advice]

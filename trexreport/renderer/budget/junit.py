"""What came of a budget as JUnit XML: a test suite for each kind of limit, a test case for each limit."""

from __future__ import annotations

from itertools import groupby
from xml.etree import ElementTree as ET

from trexreport.analyzer.analysis.budget import BROKEN, OFF, UNKNOWN, BudgetCheck, LimitOutcome
from trexreport.renderer.budget.wording import layer_names, sentence, short
from trexreport.renderer.junit_document import junit_document
from trexreport.visible import one_line


def render_budget_junit(check: BudgetCheck) -> bytes:
    """Return the outcome as XML 1.0 in UTF-8; a limit that fails the check is a failure."""
    root = ET.Element("testsuites", name=one_line(check.engine.name))
    for group, outcomes in groupby(check.outcomes, key=lambda outcome: outcome.group):
        suite = ET.SubElement(root, "testsuite", name=f"budget.{group}")
        suite.extend(_case(outcome) for outcome in outcomes)
    return junit_document(root)


def _case(outcome: LimitOutcome) -> ET.Element:
    case = ET.Element("testcase", name=short(outcome.title), classname=one_line(outcome.id))
    message = sentence(outcome)
    if outcome.severity == "error":
        kind = "limit" if outcome.state == BROKEN else "not-known"
        failure = ET.SubElement(case, "failure", message=message, type=kind)
        failure.text = "\n".join([message, *(f"- {name}" for name in layer_names(outcome))])
    elif outcome.state in (UNKNOWN, OFF):
        ET.SubElement(case, "skipped", message="The limit is off." if outcome.state == OFF else message)
    else:
        printed = f"warning: {message}" if outcome.state == BROKEN else message
        ET.SubElement(case, "system-out").text = printed
    return case

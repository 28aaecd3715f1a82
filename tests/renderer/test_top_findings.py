"""The top findings: what saves much, and what concerns more time than that."""

from __future__ import annotations

import dataclasses

import pytest
from finding_samples import finding

from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.renderer.top_findings import (
    MAX_FIRST,
    count_top_findings,
    is_measurement_first,
    large_findings,
    on_measurement_with_savings,
    top_first,
)


def saving(percent, severity="warning", code="TRX102", **changes):
    return finding(code, severity, ([1], 0.1), gain_percent=percent, **changes)


def fact(code="TRX914", **changes):
    """Return information on layers without savings."""
    return finding(code, "info", ([2], None), **{"time_ms": 0.5, **changes})


UNSTEADY = finding("TRX801", "warning", ([], None), about="measurement")


@pytest.mark.parametrize(
    ("severity", "percent", "is_large"),
    [
        ("error", 0.0, True),
        ("warning", 0.09, False),
        ("warning", 0.1, True),
        ("info", 0.99, False),
        ("info", 1.0, True),
        ("warning", None, True),
        ("info", None, False),
    ],
)
def test_a_finding_is_large_by_its_severity_and_savings(severity, percent, is_large):
    made = saving(percent, severity) if percent is not None else finding("TRX1", severity, ([1], None))
    assert large_findings([made, saving(50.0)])(made) is is_large


def test_large_findings_go_first_and_the_others_keep_their_order():
    findings = [saving(0.01, code=f"A{number}") for number in range(3)] + [saving(5.0, code="B")]
    assert [each.code for each in top_first(findings)] == ["B", "A0", "A1", "A2"]
    assert count_top_findings(findings) == 1


def test_no_more_than_a_few_are_top_findings():
    assert count_top_findings([saving(5.0)] * MAX_FIRST) == MAX_FIRST
    assert count_top_findings([saving(5.0)] * (MAX_FIRST + 1)) == MAX_FIRST


def test_information_before_a_large_finding_is_a_top_finding_too():
    before, large, after = fact("TRX914"), saving(5.0), fact("TRX903")
    is_large = large_findings([before, large, after])
    assert [is_large(each) for each in (before, large, after)] == [True, True, False]
    without_time = fact(time_ms=None)
    assert not large_findings([without_time, large])(without_time)
    of_the_run = fact(about="measurement")
    assert not large_findings([of_the_run, large])(of_the_run)


def test_where_the_files_show_little_else_layers_with_a_time_go_first():
    noted, of_layers = fact(section="notes", time_ms=None), fact(section="notes")
    is_large = large_findings([noted, of_layers])
    assert [is_large(each) for each in (noted, of_layers)] == [False, True]
    # With a section of its own, the page shows it.
    assert not large_findings([fact(section="precision")])(of_layers)


@pytest.mark.parametrize(
    ("about", "percent", "is_shown"),
    [("measurement", 5.0, True), ("measurement", 0.05, False), ("engine", 5.0, False)],
)
def test_savings_of_the_measurement_are_distinguished(about, percent, is_shown):
    assert on_measurement_with_savings(saving(percent, about=about)) is is_shown
    assert not on_measurement_with_savings(finding("TRX801", "error", ([1], None), about=about))


def test_a_finding_on_the_measurement_is_not_a_top_finding():
    of_the_run = saving(50.0, about="measurement")
    assert not large_findings([of_the_run, saving(1.0)])(of_the_run)


@pytest.mark.parametrize(("percent", "is_large"), [(25.0, True), (5.0, False)])
def test_two_states_of_the_measured_times_are_a_top_finding(percent, is_large):
    measured = Gain("bound", 1.0, 1.0, [GainBasis("measured-queries")], (), percent, percent)
    of_the_run = dataclasses.replace(saving(percent, about="measurement"), gain=measured)
    assert large_findings([of_the_run, saving(1.0)])(of_the_run) is is_large


@pytest.mark.parametrize(
    ("of_engine", "of_run", "is_first"),
    [
        (finding("TRX925", "info", ([], None)), saving(50.0, about="measurement"), True),
        (finding("TRX925", "info", ([], None)), saving(50.0, "info", about="measurement"), False),
        (finding("TRX925", "info", ([], None)), saving(0.05, about="measurement"), False),
        (finding("TRX925", "info", ([], None)), UNSTEADY, True),
        (finding("TRX925", "info", ([], None)), dataclasses.replace(UNSTEADY, section="notes"), False),
        (fact(), UNSTEADY, False),
        (finding("TRX925", "warning", ([], None)), saving(50.0, about="measurement"), False),
        (saving(5.0, "info"), saving(50.0, about="measurement"), False),
        (saving(5.0), finding("TRX801", "error", ([], None), about="measurement"), True),
    ],
)
def test_warnings_on_the_run_come_before_notes_on_the_build(of_engine, of_run, is_first):
    assert is_measurement_first([of_engine, of_run]) is is_first

"""Which findings are the top findings."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from trexreport.analyzer.analysis import Finding

#: Maximum number of top findings on the page.
MAX_FIRST = 5

#: Minimum savings of a top finding, in percent.
MIN_PERCENT = {"error": 0.0, "warning": 0.1, "info": 1.0}


def count_top_findings(findings: Sequence[Finding]) -> int:
    """Return how many of the findings, in the order of `top_first`, are the top findings."""
    return min(sum(map(large_findings(findings), findings)), MAX_FIRST)


def top_first(findings: Sequence[Finding]) -> list[Finding]:
    """Return findings in their order, but the top findings first."""
    is_large = large_findings(findings)
    return sorted(findings, key=lambda finding: not is_large(finding))


def large_findings(findings: Sequence[Finding]) -> Callable[[Finding], bool]:
    """Return a test for top findings: the large ones, or those on layers where the files show little else."""
    if any(map(_is_large, findings)) or all(each.section != "notes" for each in findings):
        # Information that comes before a large finding concerns more time than that.
        last = max((place for place, each in enumerate(findings) if _is_large(each)), default=0)
        before = {
            id(each)
            for each in findings[:last]
            if each.gain is None and each.time_ms and each.about == "engine"
        }
        return lambda finding: id(finding) in before or _is_large(finding)
    return lambda finding: finding.about == "engine" and bool(finding.time_ms)


def on_measurement_with_savings(finding: Finding) -> bool:
    """Return whether a finding on the measurement saves enough to come first where none on the engine is."""
    return finding.about == "measurement" and finding.gain is not None and _saves_much(finding)


def is_measurement_first(findings: Sequence[Finding]) -> bool:
    """Return whether findings on the measurement come before those on the engine.

    Errors put the others in doubt, and what makes a run slower or less certain matters more than what is only
    known of the build.
    """
    apart = [each for each in findings if each.is_apart]
    of_engine = [each for each in findings if not each.is_apart]
    if not of_engine or _has_errors(of_engine):
        return False
    only_notes = all(each.severity == "info" and not each.gain and not each.time_ms for each in of_engine)
    is_of_run = any(
        each.severity == "warning" and (each.gain is None or _saves_much(each))
        for each in apart
        if each.section != "notes"
    )
    return _has_errors(apart) or (only_notes and is_of_run)


def table_of_findings(findings: Sequence[Finding]) -> tuple[list[Finding], list[Finding], int]:
    """Return findings for one table, those beside it, and how many on the run come first in the table.

    Information on the run hides no finding on the engine.
    """
    ranked = top_first(findings)
    engine, apart = ([each for each in ranked if each.is_apart is is_apart] for is_apart in (False, True))
    if not is_measurement_first(ranked):
        return engine, apart, 0
    first = [each for each in apart if each.severity != "info"]
    return [*first, *engine, *(each for each in apart if each not in first)], [], len(first)


def _has_errors(findings: Sequence[Finding]) -> bool:
    return any(each.severity == "error" for each in findings)


def _is_large(finding: Finding) -> bool:
    return not finding.is_apart and _saves_much(finding)


def _saves_much(finding: Finding) -> bool:
    percent = finding.gain.ranking_percent if finding.gain else None
    if percent is None:
        return finding.severity != "info"
    return percent >= MIN_PERCENT[finding.severity]

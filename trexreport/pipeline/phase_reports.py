"""The report of several phases: from their engines to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.phases import compare_phases
from trexreport.model import Phase
from trexreport.pipeline.reports import ReportFormat, analyze_for
from trexreport.pipeline.settings import Settings
from trexreport.renderer.sizing import SizedReport, fit_report
from trexreport.renderer.variants import phases_variants


def analyze_phases(title: str, phases: Sequence[Phase], settings: Settings, kind: str) -> PhasesReport:
    """Analyze each phase and add up their times.

    Raises:
        UsageError: The chosen GPU is in no table.
    """
    analyses = [analyze_for([kind], phase.engine, settings) for phase in phases]
    times = {phase.name: phase.times for phase in phases if phase.times is not None}
    return PhasesReport(title, compare_phases([phase.name for phase in phases], analyses, times), analyses)


def make_phases_report(
    title: str, phases: Sequence[Phase], settings: Settings, format_: ReportFormat
) -> tuple[PhasesReport, SizedReport]:
    """Return the analyses and the report of several phases.

    Raises:
        UsageError: The report does not fit, or the chosen GPU is in no table.
        MissingToolError: A library that the format needs is missing.
    """
    report = analyze_phases(title, phases, settings, format_.kind)
    sources = [phase.engine.sources for phase in phases]
    variants = phases_variants(format_.kind, report, sources, format_.page, format_.max_bytes)
    return report, fit_report(variants, format_.max_bytes)

"""The report of several phases: from their engines to bytes."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.phases import PhasesReport
from trexreport.analyzer.phases import compare_phases
from trexreport.model import InputWarning, Phase
from trexreport.pipeline.phases import PhasesInput
from trexreport.pipeline.reports import ReportFormat
from trexreport.pipeline.settings import Settings
from trexreport.renderer.export import export_phases_table
from trexreport.renderer.sizing import SizedReport, fit_report
from trexreport.renderer.variants import phases_variants


def analyze_phases(title: str, phases: Sequence[Phase], settings: Settings) -> PhasesReport:
    """Analyze each phase and add up their times.

    Raises:
        UsageError: The chosen GPU is in no table.
    """
    analyses = [settings.analyze(phase.engine) for phase in phases]
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
    report = analyze_phases(title, phases, settings)
    return report, render_phases_report(report, phases, format_)


def render_phases_report(report: PhasesReport, phases: Sequence[Phase], format_: ReportFormat) -> SizedReport:
    """Return the report of several phases with as much as fits.

    Raises:
        UsageError: It does not fit even without everything that can be left out.
        MissingToolError: A library that the format needs is missing.
    """
    sources = [phase.engine.sources for phase in phases]
    variants = phases_variants(format_.kind, report, sources, format_.page, format_.max_bytes)
    return fit_report(variants, format_.max_bytes)


def export_set(
    phases: PhasesInput, settings: Settings, kind: str, table: str, output: str
) -> tuple[bytes, list[tuple[str, tuple[InputWarning, ...]]]]:
    """Return one table of all phases, and name and notes of each.

    Args:
        phases: What they are read from.
        settings: Of the analyses.
        kind: Of the file: "csv", "json", "parquet" or "xlsx".
        table: Its name.
        output: The file, which must not be one that is read.

    Raises:
        UsageError: The output is one of the inputs, or the table needs a model that is not known.
        InputError: A file can't be read, or holds nothing usable.
        MissingToolError: The library that writes this kind is not installed.
    """
    read = phases.read([output])
    analyses = [(phase.name, settings.analyze(phase.engine)) for phase in read]
    data = export_phases_table(phases.title, analyses, kind, table)
    return data, [(phase.name, phase.engine.notes) for phase in read]

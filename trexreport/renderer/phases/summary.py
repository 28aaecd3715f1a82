"""The summary of several phases as a short document: what they take, then the main figures of each."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.phases import PhasesFacts, PhasesReport
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.numbers import MISSING, format_count, format_number
from trexreport.renderer.engine_summary import engine_summary
from trexreport.renderer.short_document.document import Column, Section, ShortDocument, Table, named, spans
from trexreport.wording.comparison import signed_percent
from trexreport.wording.phases import measure_title, phases_sentence
from trexreport.wording.shares import percent


def phases_summary(report: PhasesReport, *, max_layers: int = 5) -> ShortDocument:
    """Return the summary.

    Args:
        report: What is reported.
        max_layers: How many of the slowest layers are listed of each phase.
    """
    facts = report.together
    sections: list[Section] = []
    for phase, analysis in zip(facts.phases, report.analyses, strict=True):
        of_engine = engine_summary(analysis, max_layers=max_layers, max_findings=None)
        sections += sections_of(phase.name, of_engine)
    return ShortDocument(
        title=report.title, summary=phases_sentence(facts), blocks=(_table(facts),), sections=tuple(sections)
    )


def _table(facts: PhasesFacts) -> Table:
    measure = measure_title(facts.measure) if facts.measure else "Time"
    columns = (
        Column("Phase"),
        Column("Runs", is_number=True),
        Column(f"{measure} (ms)", format_number),
        Column("All runs (ms)", format_number),
        Column("Time (%)", percent),
    )
    rows = tuple(
        (
            named(phase.name),
            MISSING if phase.times is None else format_count(phase.times),
            phase.run_ms,
            phase.total_ms,
            phase.percent,
        )
        for phase in facts.phases
    )
    total = None if facts.total_ms is None else ("Total", "", None, facts.total_ms, 100.0)
    return Table(columns, rows, noun="phase", total=total)


def sections_of(phase: str, document: ShortDocument) -> Iterator[Section]:
    """Yield the blocks and the sections of a document about one phase, each under the name of the phase."""
    yield Section(named(phase), document.blocks, priority=0)
    for section in document.sections:
        yield Section((named(phase), ": ", *spans(section.title)), section.blocks, section.priority)


def total_change(comparison: PhasesComparison) -> str:
    """Return by how much the total of the only candidate differs; empty of several, and without totals."""
    if len(comparison.together) != 2:
        return ""
    before = comparison.together[comparison.baseline].total_ms
    after = comparison.together[1 - comparison.baseline].total_ms
    return signed_percent(after / before, 1) if before and after is not None else ""

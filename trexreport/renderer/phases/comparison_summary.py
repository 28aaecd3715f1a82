"""The summary of compared sets of phases: the verdict on each, then the main parts of each comparison."""

from __future__ import annotations

from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.numbers import MISSING, format_count, format_number, middle_ellipsis
from trexreport.renderer.comparison.summary import comparison_result, comparison_summary
from trexreport.renderer.phases.summary import sections_of
from trexreport.renderer.short_document.document import Column, Section, ShortDocument, Table, named
from trexreport.wording.phases import comparison_sentence, comparison_title

_MAX_NAME = 40


def phase_comparison_summary(comparison: PhasesComparison, *, max_rows: int = 5) -> ShortDocument:
    """Return the summary.

    Args:
        comparison: Of the sets.
        max_rows: How many rows of layers are listed of each phase.
    """
    facts = comparison.together[comparison.baseline]
    sections: list[Section] = []
    for phase, of_phase in zip(facts.phases, comparison.comparisons, strict=True):
        sections += sections_of(phase.name, comparison_summary(of_phase, max_rows=max_rows))
    return ShortDocument(
        title=comparison_title(comparison),
        summary=comparison_sentence(comparison),
        blocks=(_table(comparison),),
        sections=tuple(sections),
    )


def _table(comparison: PhasesComparison) -> Table:
    facts = comparison.together[comparison.baseline]
    columns = (
        Column("Phase"),
        Column("Runs", is_number=True),
        *(Column(f"{middle_ellipsis(name, _MAX_NAME)} (ms)", format_number) for name in comparison.sets),
        Column("Verdict"),
    )
    rows = tuple(
        (
            named(phase.name),
            MISSING if phase.times is None else format_count(phase.times),
            *(together.phases[at].run_ms for together in comparison.together),
            comparison_result(comparison.comparisons[at]),
        )
        for at, phase in enumerate(facts.phases)
    )
    totals = [together.total_ms for together in comparison.together]
    total = None if None in totals else ("Total", "", *totals, "")
    return Table(columns, rows, noun="phase", total=total)

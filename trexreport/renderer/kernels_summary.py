"""The part of a summary on the kernels of a trace."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import format_count, format_number
from trexreport.renderer.short_document.document import Block, Column, Paragraph, Section, Table
from trexreport.wording.kernels import IDLE_CAUSES, trace_sentence
from trexreport.wording.sections import section_sentence

_MAX_CAUSES = 5


def kernels_summary(analysis: Analysis) -> list[Section]:
    """Return the kernels of a query, and why the GPU was idle."""
    found = analysis.kernels
    if found is None:
        return []
    columns = (Column("Waits for"), Column("Time (%)", format_number), Column("Gaps", format_count))
    rows = tuple((IDLE_CAUSES[each.cause][0], each.percent, each.gaps) for each in found.idle)
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "kernels")), Paragraph(trace_sentence(found))]
    if rows:
        blocks.append(Table(columns, rows, noun="cause", max_shown=_MAX_CAUSES))
    return [Section("Kernels", tuple(blocks))]

"""The part of a summary on the ONNX model."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import format_count, format_number
from trexreport.renderer.model_section import share_range
from trexreport.renderer.module_levels import main_modules
from trexreport.renderer.short_document.document import Block, Column, Paragraph, Section, Table, named
from trexreport.renderer.summary_columns import MAX_GROUPS
from trexreport.wording.sections import section_sentence


def model_summary(analysis: Analysis) -> list[Section]:
    """Return how the ONNX model is in the engine, and the modules that take the most time."""
    model = analysis.onnx
    if model is None:
        return []
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "model"))]
    sources = model.by_source if model.total_ms else ()
    for title, groups in (("Module", main_modules(model)), ("Source line", sources)):
        columns = (
            Column(title),
            Column("Nodes", format_count),
            Column("Time (%)"),
            Column("Alone (ms)", format_number),
            Column("Shared (ms)", format_number),
        )
        cells = (
            (
                named(each.name),
                each.nodes,
                share_range(each, model.total_ms, "%"),
                each.alone_ms,
                each.shared_ms,
            )
            for each in groups
        )
        if groups:
            blocks.append(Table(columns, tuple(cells), noun=title.lower(), max_shown=MAX_GROUPS))
    return [Section("ONNX model", tuple(blocks))]

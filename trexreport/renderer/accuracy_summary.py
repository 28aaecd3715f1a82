"""The part of a summary on the accuracy."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import MISSING
from trexreport.renderer.short_document.document import Block, Column, Paragraph, Section, Table, named
from trexreport.renderer.summary_columns import MAX_GROUPS
from trexreport.wording.accuracy import STATES, error_text, plan_sentence
from trexreport.wording.sections import section_sentence


def accuracy_summary(analysis: Analysis) -> list[Section]:
    """Return how accurate the engine is, and the layers that cause errors."""
    found = analysis.accuracy
    if found is None:
        return []
    blocks: list[Block] = [Paragraph(section_sentence(analysis, "accuracy"))]
    columns = (Column("Layer"), Column("Increase"), Column("Error"), Column("Tensor"))
    rows = tuple(
        (
            named(analysis.layers[each.layers[-1]].name if each.layers else MISSING),
            error_text(each.increase, found.measure),
            error_text(each.error, found.measure) if each.error is not None else STATES[each.state],
            named(each.figures.name),
        )
        for each in found.tensors
        if each.increase or each.begins_non_finite
    )
    if rows:
        blocks.append(Table(columns, rows, noun="tensor", max_shown=MAX_GROUPS))
    plan = plan_sentence(analysis)
    return [Section("Accuracy", (*blocks, Paragraph(plan)) if plan else tuple(blocks))]

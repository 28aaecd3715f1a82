"""The part of a summary on what runs the nodes of a model."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.numbers import format_count, format_number
from trexreport.renderer.short_document.document import Block, Column, Paragraph, Section, Table, named
from trexreport.renderer.summary_columns import MAX_GROUPS, SHARE
from trexreport.wording.sections import section_sentence


def execution_summary(analysis: Analysis) -> list[Section]:
    """Return what each execution provider runs, and the slowest nodes outside of TensorRT."""
    execution = analysis.execution
    if execution is None:
        return []
    is_timed = execution.nodes_ms is not None
    has_operators = any(each.operators is not None for each in execution.providers)
    count = Column("Operators" if has_operators else "Nodes", format_count)
    times = (SHARE, Column("Time (ms)", format_number)) if is_timed else ()
    providers = (
        (named(each.name or "not stated"), each.operators if has_operators else each.nodes)
        + ((each.share_percent, each.time_ms) if is_timed else ())
        for each in execution.providers
    )
    nodes = (
        (named(each.name or each.operator), named(each.operator), named(each.provider))
        + ((each.share_percent, each.time_ms) if is_timed else ())
        for each in execution.fallbacks
    )
    blocks: list[Block] = [
        Paragraph(section_sentence(analysis, "execution")),
        Table((Column("Provider"), count, *times), tuple(providers), noun="provider", max_shown=MAX_GROUPS),
    ]
    if execution.fallbacks:
        columns = (Column("Node outside of TensorRT"), Column("Operator"), Column("Provider"), *times)
        blocks.append(Table(columns, tuple(nodes), noun="node", max_shown=MAX_GROUPS))
    return [Section("Execution providers", tuple(blocks))]

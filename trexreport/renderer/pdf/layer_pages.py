"""Write all layers as pages of plain lines: a table of 20,000 rows would take minutes and gigabytes."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer.findings_page import OfLayer
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.layer_column_choice import line_columns
from trexreport.renderer.pdf.lines import CHARACTERS, LinePages, cell, fitted, pages_of, some
from trexreport.visible import one_line

_GAP = "  "


def layer_pages(analysis: Analysis, of_layer: OfLayer) -> LinePages:
    """Return the lines of all layers in execution order; the name comes last, as it may have any width.

    Args:
        analysis: The analysis.
        of_layer: Layer to its findings.
    """
    *columns, name = line_columns()
    room = CHARACTERS - sum(column.line_width + len(_GAP) for column in columns)
    head = [_aligned(column, column.heading) for column in columns]
    rows = [
        LayerRow(layer, analysis, [view.finding.code for view in of_layer.get(layer.index, ())])
        for layer in analysis.layers
    ]
    names = [fitted(one_line(text), room) for text in name.texts(rows)]
    lines = [
        _GAP.join(cells) for cells in zip(*[_cells(column, rows) for column in columns], names, strict=True)
    ]
    return pages_of(_GAP.join([*head, name.heading]), lines)


def _cells(column: LayerColumn, rows: Sequence[LayerRow]) -> list[str]:
    """Return the texts of a column."""
    if column.kind == "list":
        return [_aligned(column, some(value, column.line_width)) for value in column.cells(rows)]
    return [_aligned(column, text) for text in column.texts(rows)]


def _aligned(column: LayerColumn, text: str) -> str:
    return text.rjust(column.line_width) if column.is_number else cell(text, column.line_width)

"""Write all layers as pages of plain lines: a table of 20,000 rows would take minutes and gigabytes."""

from __future__ import annotations

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
    lines = []
    for layer in analysis.layers:
        codes = [view.finding.code for view in of_layer.get(layer.index, ())]
        row = LayerRow(layer, analysis, codes)
        cells = [_cell(column, row) for column in columns]
        lines.append(_GAP.join([*cells, fitted(one_line(name.text(row)), room)]))
    return pages_of(_GAP.join([*head, name.heading]), lines)


def _cell(column: LayerColumn, row: LayerRow) -> str:
    if column.kind == "list":
        return _aligned(column, some(column.cell(row), column.line_width))
    return _aligned(column, column.text(row))


def _aligned(column: LayerColumn, text: str) -> str:
    return text.rjust(column.line_width) if column.is_number else cell(text, column.line_width)

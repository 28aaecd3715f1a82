"""Which columns of layers each output has."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.renderer import layer_columns
from trexreport.renderer.layer_column import LayerColumn, LayerRow


def exported_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of exported files, in order."""
    return tuple(column for column in layer_columns.LAYER_COLUMNS if column.is_exported)


def page_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of the page's table and the terms of its filter, in order."""
    return tuple(column for column in layer_columns.LAYER_COLUMNS if column.table_width or column.term)


def static_columns(analysis: Analysis, *, has_findings: bool) -> tuple[LayerColumn, ...]:
    """Return the columns of the tables without script: those in which a layer has a value."""
    rows = [LayerRow(layer, analysis) for layer in analysis.layers]
    return tuple(
        column
        for column in layer_columns.LAYER_COLUMNS
        if column.is_static
        and (has_findings if column.key == "findings" else any(map(column.has_value, rows)) or not rows)
    )


def line_columns() -> tuple[LayerColumn, ...]:
    """Return the columns of the PDF's lines; the name comes last, as it takes the room that is left."""
    columns = (column for column in layer_columns.LAYER_COLUMNS if column.line_width)
    return tuple(sorted(columns, key=lambda column: column.key == "name"))

"""The workbook of an engine: its tables, and charts of types, precisions and the slowest layers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, Group, slowest_first
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.workbook.book import Book, ChartSeries

_GROUP_COLUMNS = ("name", "count", "time_ms", "share_percent")
_BINDING_COLUMNS = ("name", "mode", "dimensions", "format", "size_bytes")
_SLOWEST_COLUMNS = ("label", "avg_ms", "share_percent", "type", "precision", "name")
#: Bars beyond these can't be read.
_MAX_BARS = 20
_LABEL_CHARACTERS = 48


def write_workbook(analysis: Analysis, tables: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> bytes:
    """Return a workbook of tables.

    Layers have the sheets "by type", "by precision" and "slowest layers" with charts, and "I-O tensors", too:
    the name of a sheet can't have a slash.

    Args:
        analysis: The engine.
        tables: Name, and the rows with the head.

    Raises:
        MissingToolError: XlsxWriter is not installed.
    """
    book = Book(analysis.identity.name)
    for name, (columns, *rows) in tables:
        book.add_sheet(name, [str(column) for column in columns], rows, frozen_columns=2 * (name == "layers"))
        if name == "layers":
            _add_groups(book, "by type", "layer type", "type", analysis.by_type)
            _add_groups(book, "by precision", "input precision", "precision", analysis.by_precision)
            _add_slowest(book, analysis)
            bindings = ([getattr(each, name) for name in _BINDING_COLUMNS] for each in analysis.bindings)
            book.add_sheet("I-O tensors", _BINDING_COLUMNS, bindings)
    return book.finish()


def _add_groups(book: Book, sheet_name: str, what: str, role: str, groups: Sequence[Group]) -> None:
    """Add groups of layers with a chart of their time, or of their number where no time is known."""
    rows = [[each.name, each.count, each.time_ms, each.share_percent] for each in groups]
    sheet = book.add_sheet(sheet_name, _GROUP_COLUMNS, rows)
    roles = [f"{role}:{each.name}" for each in groups[:_MAX_BARS]]
    if not roles:
        return
    is_timed = any(each.time_ms for each in groups)
    column, unit = (2, "Time (ms)") if is_timed else (1, "Layers")
    title = f"Time by {what}" if is_timed else f"Layers by {what}"
    series = ChartSeries(column, roles=roles)
    book.add_chart(sheet, title, [series], unit=unit, last_row=len(roles))


def _add_slowest(book: Book, analysis: Analysis) -> None:
    slowest = slowest_first([layer for layer in analysis.layers if layer.avg_ms])[:_MAX_BARS]
    if not slowest:
        return
    rows = [
        [
            middle_ellipsis(each.name, _LABEL_CHARACTERS),
            each.avg_ms,
            each.share_percent,
            each.type,
            each.precision,
            each.name,
        ]
        for each in slowest
    ]
    sheet = book.add_sheet("slowest layers", _SLOWEST_COLUMNS, rows)
    series = ChartSeries(1, roles=[f"type:{each.type}" for each in slowest])
    book.add_chart(sheet, "Slowest layers", [series], unit="Avg. time (ms)")


def write_phases_workbook(title: str, tables: Sequence[tuple[str, Sequence[Sequence[Any]]]]) -> bytes:
    """Return a workbook of tables, one sheet for each.

    Args:
        title: Of the set.
        tables: Name, and the rows with the head; the first columns are the phase and a number.

    Raises:
        MissingToolError: XlsxWriter is not installed.
    """
    book = Book(title)
    for name, (columns, *rows) in tables:
        book.add_sheet(name, [str(column) for column in columns], rows, frozen_columns=3 * (name == "layers"))
    return book.finish()

"""Workbooks of several phases."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from trexreport.renderer.workbook.book import Book


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

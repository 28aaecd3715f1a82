"""Write an analysis as an Excel workbook whose texts are never formulas."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, Group
from trexreport.errors import MissingToolError
from trexreport.numbers import middle_ellipsis

#: Source: Excel specifications and limits.
_CELL_CHARACTERS = 32_767
#: What XML 1.0 does not allow.
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: Excel reads these as an escaped character; escaping the underscore keeps them as they are.
_LOOKS_ESCAPED = re.compile(r"_(?=x[0-9A-Fa-f]{4}_)")
#: Excel keeps 15 digits of a number.
_LARGEST_EXACT = 10**15
_GROUP_COLUMNS = ("name", "count", "time_ms", "share_percent")
_BINDING_COLUMNS = ("name", "mode", "dimensions", "format", "size_bytes")
#: The earliest date that a zip archive can hold: the same analysis gives the same bytes.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_DATES = re.compile(rb"<dcterms:(created|modified)\b[^>]*>.*?</dcterms:\1>", re.DOTALL)


def write_workbook(
    analysis: Analysis, tables: Sequence[tuple[str, Sequence[Sequence[Any]]]], title: str = ""
) -> bytes:
    """Return a workbook of tables; layers have the sheets "by type", "by precision" and "bindings" too.

    Characters that XLSX can't hold become U+FFFD, and texts over 32,767 characters lose their middle.

    Args:
        analysis: The engine.
        tables: Name, and the rows with the head.
        title: Of a set of phases, of which `tables` has all sheets; empty for one engine.

    Raises:
        MissingToolError: openpyxl is not installed.
    """
    try:
        from openpyxl import Workbook
    except ImportError:
        raise MissingToolError(
            "XLSX needs openpyxl, which is not installed.", "pip install 'trexreport[excel]'"
        ) from None
    book = Workbook(write_only=True)
    book.properties.creator = "trexreport"
    book.properties.title = _clean(title or analysis.identity.name)
    for name, (columns, *rows) in tables:
        _sheet(book, name, columns, rows)
        if name == "layers" and not title:
            _sheet(book, "by type", _GROUP_COLUMNS, map(_group_row, analysis.by_type))
            _sheet(book, "by precision", _GROUP_COLUMNS, map(_group_row, analysis.by_precision))
            bindings = ([getattr(each, name) for name in _BINDING_COLUMNS] for each in analysis.bindings)
            _sheet(book, "bindings", _BINDING_COLUMNS, bindings)
    buffer = io.BytesIO()
    book.save(buffer)
    return _without_dates(buffer.getvalue())


def _group_row(group: Group) -> list[Any]:
    return [group.name, group.count, group.time_ms, group.share_percent]


def _sheet(book: Any, title: str, columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    from openpyxl.styles import Font
    from openpyxl.utils import get_column_letter

    sheet = book.create_sheet(title)
    sheet.freeze_panes = "C2" if title == "layers" else "A2"
    for position, name in enumerate(columns, start=1):
        sheet.column_dimensions[get_column_letter(position)].width = 40 if name == "name" else 14
    heads = [_cell(sheet, name) for name in columns]
    for head in heads:
        head.font = Font(bold=True)
    sheet.append(heads)
    for row in rows:
        sheet.append([_cell(sheet, value) for value in row])


def _cell(sheet: Any, value: Any) -> Any:
    """Return a cell; a text stays a text even where it begins like a formula or an error."""
    from openpyxl.cell import WriteOnlyCell

    if value is None or isinstance(value, float):
        return WriteOnlyCell(sheet, value)
    if isinstance(value, int) and abs(value) < _LARGEST_EXACT:
        return WriteOnlyCell(sheet, value)
    cell = WriteOnlyCell(sheet, _clean("" if value == [] else str(value)))
    cell.data_type = "s"
    return cell


def _clean(text: str) -> str:
    """Return a text that a cell can hold."""
    shortened = middle_ellipsis(_FORBIDDEN.sub("\ufffd", text), _CELL_CHARACTERS)
    escaped = _LOOKS_ESCAPED.sub("_x005F_", shortened)
    return escaped if len(escaped) <= _CELL_CHARACTERS else middle_ellipsis(escaped, _CELL_CHARACTERS)


def _without_dates(data: bytes) -> bytes:
    """Return the workbook without the time of its writing, in its properties and in the archive."""
    result = io.BytesIO()
    with (
        zipfile.ZipFile(io.BytesIO(data)) as source,
        zipfile.ZipFile(result, "w", zipfile.ZIP_DEFLATED) as target,
    ):
        for entry in source.infolist():
            content = source.read(entry)
            if entry.filename == "docProps/core.xml":
                content = _DATES.sub(b"", content)
            dateless = zipfile.ZipInfo(entry.filename, _ZIP_DATE)
            dateless.compress_type = zipfile.ZIP_DEFLATED
            target.writestr(dateless, content)
    return result.getvalue()

"""Write sheets and charts with XlsxWriter; the same content gives the same bytes."""

from __future__ import annotations

import io
import math
import re
import zipfile
from collections.abc import Iterable, Sequence
from typing import Any, Literal

from trexreport.errors import MissingToolError, UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import middle_ellipsis
from trexreport.regex import regex
from trexreport.renderer.palette import color

#: Source: Excel specifications and limits, for these three.
_CELL_CHARACTERS = 32_767
_SHEET_ROWS = 1_048_576
_SHEET_COLUMNS = 16_384
#: What XML 1.0 does not allow.
_FORBIDDEN = regex("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
#: Excel keeps 15 digits of a number.
_LARGEST_EXACT = 10**15
#: The earliest date that a zip archive can hold.
_ZIP_DATE = (1980, 1, 1, 0, 0, 0)
_DATES = regex(rb"<dcterms:(created|modified)\b[^>]*>.*?</dcterms:\1>", re.DOTALL)
#: Of a column, in characters, and the room of the arrow that filters it.
_MIN_WIDTH, _MAX_HEADING, _MAX_WIDTH, _ARROW = 9, 32, 60, 3
#: Rows by which a column gets its width; most sheets have fewer.
_MEASURED_ROWS = 500
#: How the numbers of a column are shown, by the end of its name; the cells keep all digits.
_NUMBER_FORMATS = (
    (("_ms",), "0.0000"),
    (("_percent", "_ratio"), "0.00"),
    (("_gbs", "_qps", "intensity", "tflops"), "#,##0.0"),
    (("_bytes", "macs", "flops"), "#,##0"),
)
#: Of a chart, in pixels.
_CHART_WIDTH, _ROW_HEIGHT, _CHART_MARGIN = 720, 26, 110


@dataclass(frozen=True)
class Sheet:
    """A sheet that was written: its name, its columns, and the number of its rows without the head."""

    name: str
    columns: Sequence[str]
    rows: int


@dataclass(frozen=True)
class ChartSeries:
    """A column of a sheet as a series of a chart.

    Attributes:
        column: Its position on the sheet; several columns may have one name.
        role: Role of its color; "" for a series that only lifts those stacked on it.
        roles: Role of each row's color, where they differ.
    """

    column: int
    role: str = "accent"
    roles: Sequence[str] = ()


class Book:
    """A workbook that is put together sheet by sheet.

    Args:
        title: Of the document.

    Raises:
        MissingToolError: XlsxWriter is not installed.
    """

    def __init__(self, title: str) -> None:
        try:
            import xlsxwriter
        except ImportError:
            raise MissingToolError(
                "XLSX needs XlsxWriter, which is not installed.", "pip install 'trexreport[excel]'"
            ) from None
        self._buffer = io.BytesIO()
        self._book = xlsxwriter.Workbook(self._buffer, {"in_memory": True})
        self._book.set_properties({"author": "trexreport", "title": _clean(title)[:255]})
        self._bold = self._book.add_format({"bold": True})
        self._formats = {shown: self._book.add_format({"num_format": shown}) for _, shown in _NUMBER_FORMATS}

    def add_sheet(
        self,
        name: str,
        columns: Sequence[str],
        rows: Iterable[Sequence[Any]],
        frozen_columns: int = 0,
        *,
        ending: str = "",
    ) -> Sheet:
        """Add a table. None and what is not finite are empty cells.

        Characters that XLSX can't hold become U+FFFD, and texts over 32,767 characters lose their middle.

        Args:
            name: Of the sheet.
            columns: Their headings, whose endings say how numbers are shown.
            rows: Values of each row.
            frozen_columns: How many stay in view.
            ending: Shows the numbers of all columns as those of a heading that ends so, such as "_ms".

        Raises:
            UsageError: It has more rows or columns than a sheet can have.
        """
        rows = list(rows)
        if len(rows) >= _SHEET_ROWS or len(columns) > _SHEET_COLUMNS:
            raise UsageError(f"The table {name} is larger than a sheet of a workbook.", "Write CSV or JSON.")
        sheet = self._book.add_worksheet(name)
        sheet.freeze_panes(1, frozen_columns)
        for position, column in enumerate(columns):
            shown = next((each for ends, each in _NUMBER_FORMATS if (ending or column).endswith(ends)), "")
            widest = max((_length(row[position], shown) for row in rows[:_MEASURED_ROWS]), default=0)
            width = min(max(_MIN_WIDTH, min(len(column), _MAX_HEADING) + _ARROW, widest + 1), _MAX_WIDTH)
            sheet.set_column(position, position, width, self._formats.get(shown))
            sheet.write_string(0, position, _clean(column), self._bold)
        for number, row in enumerate(rows, start=1):
            for position, value in enumerate(row):
                _write(sheet, number, position, value)
        if rows and columns:
            sheet.autofilter(0, 0, len(rows), len(columns) - 1)
        return Sheet(name, columns, len(rows))

    def add_chart(
        self,
        sheet: Sheet,
        title: str,
        series: Sequence[ChartSeries],
        *,
        kind: Literal["bar", "column"] = "bar",
        unit: str = "",
        first_row: int = 1,
        last_row: int | None = None,
        at: tuple[int, int] | None = None,
    ) -> None:
        """Draw columns of a sheet, stacked if there are several; the categories are its first column.

        Args:
            sheet: That has the data, beside which the chart is placed.
            title: Of the chart.
            series: One for each column of the data.
            kind: Bars from the top down, or columns from the left to the right.
            unit: Title of the axis of the values.
            first_row: Of the data; 1 is that below the head.
            last_row: The last one of the sheet if not given.
            at: Row and column of the chart's corner.
        """
        last = sheet.rows if last_row is None else last_row
        chart = self._book.add_chart({"type": kind, **({"subtype": "stacked"} if len(series) > 1 else {})})
        for each in series:
            position = each.column
            drawn: dict[str, Any] = {
                "name": _clean(sheet.columns[position]),
                "categories": [sheet.name, first_row, 0, last, 0],
                "values": [sheet.name, first_row, position, last, position],
                "gap": 40,
                "fill": {"color": color(each.role)} if each.role else {"none": True},
            }
            if each.roles:
                drawn["points"] = [{"fill": {"color": color(role)}} for role in each.roles]
            chart.add_series(drawn)
        chart.set_title({"name": _clean(title), "overlay": False, "name_font": {"size": 12}})
        values, categories = ("x_axis", "y_axis") if kind == "bar" else ("y_axis", "x_axis")
        getattr(chart, f"set_{values}")({"name": unit, "major_gridlines": {"visible": True}})
        # Excel draws the first bar at the foot.
        getattr(chart, f"set_{categories}")({"reverse": True} if kind == "bar" else {})
        hidden = [number for number, each in enumerate(series) if not each.role]
        chart.set_legend({"delete_series": hidden} if len(series) > 1 else {"none": True})
        height = _CHART_MARGIN + _ROW_HEIGHT * (last - first_row + 1) if kind == "bar" else 400
        chart.set_size({"width": _CHART_WIDTH, "height": height})
        row, column = at or (1, len(sheet.columns) + 1)
        self._book.get_worksheet_by_name(sheet.name).insert_chart(row, column, chart)

    def finish(self) -> bytes:
        """Return the file; nothing can be added then."""
        self._book.close()
        return _without_dates(self._buffer.getvalue())


def _length(value: Any, shown: str) -> int:
    """Return how many characters a cell has in a number format; numbers that do not fit would be ###."""
    if isinstance(value, (int, float)) and shown:
        separator = "," if "," in shown else ""
        return len(f"{value:{separator}.{len(shown.partition('.')[2])}f}")
    return len(str(value)) if isinstance(value, (int, str)) else 0


def _write(sheet: Any, row: int, column: int, value: Any) -> None:
    """Write a cell; a text stays a text even where it begins like a formula, a link or an error."""
    if value is None or (isinstance(value, float) and not math.isfinite(value)):
        return
    if isinstance(value, float) or (isinstance(value, int) and abs(value) < _LARGEST_EXACT):
        sheet.write_number(row, column, value)
    else:
        sheet.write_string(row, column, _clean("" if value == [] else str(value)))


def _clean(text: str) -> str:
    """Return a text that a cell can hold."""
    return middle_ellipsis(_FORBIDDEN.sub("\ufffd", text), _CELL_CHARACTERS)


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

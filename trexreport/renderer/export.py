"""Write the layers of an analysis as a table: CSV, JSON, Parquet or XLSX."""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.errors import MissingToolError, UsageError
from trexreport.renderer.layer_columns import LayerColumn, LayerRow, exported_columns

#: Raised by one whenever a reader of the tables would have to change.
TABLE_SCHEMA_VERSION = 2
_NOTE = (
    "One row per layer in execution order. Times are in milliseconds, sizes in bytes, bandwidth in 10^9 "
    "bytes per second, intensity in floating-point operations per byte. bound is compute or "
    "memory if the roofline explains the layer's time, else latency; headroom_ms is the average time above "
    "the roofline. null means not measured or not known."
)
_LISTS = ("list", "tensors")
#: What a spreadsheet may take for the beginning of a formula: also in full width, and behind what it strips.
#: Source: OWASP, CSV Injection.
_CELL_INSIDE = re.compile(
    '(?<=[;\t])(?=[\\s"\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠])'
)
_FORMULA_START = re.compile("[\t\r\n]|[\\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠]")
_LONE_SURROGATES = re.compile("[\ud800-\udfff]")


def export_layers(analysis: Analysis, kind: str) -> bytes:
    """Return the layers of an analysis as a file of the kind "csv", "json", "parquet" or "xlsx".

    The columns are those of `layer_columns.exported_columns`, with units in their keys: `_ms` milliseconds,
    `_percent` 0 to 100, `_bytes` bytes, `_gbs` 10^9 bytes per second; `tflops` is in 10^12 operations per
    second. What is not known is an empty cell, never 0. The same analysis gives the same bytes.

    Raises:
        UsageError: There is no such kind.
        MissingToolError: The library that writes this kind is not installed.
    """
    writers: dict[str, Callable[[Analysis], bytes]] = {
        "csv": _csv,
        "json": _json,
        "parquet": _parquet,
        "xlsx": _xlsx,
    }
    if kind not in writers:
        raise UsageError(f"{kind!r} is not a kind of table.", f"Use one of {', '.join(writers)}.")
    return writers[kind](analysis)


def rows(analysis: Analysis) -> list[dict[str, Any]]:
    """Return one row per layer: key of each exported column to value, None where it is not known."""
    columns = exported_columns()
    layer_rows = (LayerRow(layer, analysis) for layer in analysis.layers)
    return [{column.key: column.cell(row) for column in columns} for row in layer_rows]


def cell_text(value: Any) -> str:
    """Return a list or text as one line of text for a cell; U+FFFD replaces lone surrogates."""
    if isinstance(value, list):
        value = "; ".join(_item_text(item) for item in value)
    return _LONE_SURROGATES.sub("\ufffd", str(value))


def _item_text(item: Any) -> str:
    return f"{item['name']} {item['dimensions']} {item['format']}" if isinstance(item, dict) else str(item)


def _csv(analysis: Analysis) -> bytes:
    """Write RFC 4180 in UTF-8 without a byte-order mark; empty cells are unknown.

    A text that a spreadsheet would take for a formula (it begins with = + - @, perhaps behind spaces, or with
    a tab or the end of a line) gets an apostrophe in front; numbers stay as they are. NUL characters are
    dropped.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    columns = exported_columns()
    writer.writerow([column.key for column in columns])
    for row in rows(analysis):
        writer.writerow([_csv_cell(column, row[column.key]) for column in columns])
    return buffer.getvalue().encode()


def _csv_cell(column: LayerColumn, value: Any) -> Any:
    if column.is_number:
        return value
    text = cell_text(value).replace("\x00", "")
    # Where a spreadsheet separates by semicolons or tabs, a cell begins inside of the text.
    text = _CELL_INSIDE.sub("'", text)
    return f"'{text}" if _FORMULA_START.match(text) else text


def _json(analysis: Analysis) -> bytes:
    from trexreport import __version__

    table = {
        "generator": "trexreport",
        "generator_version": __version__,
        "schema": "trexreport.layers",
        "schema_version": TABLE_SCHEMA_VERSION,
        "engine": analysis.identity.name,
        "note": _NOTE,
        "rows": rows(analysis),
    }
    # ASCII, because halves of characters in names can't be written in UTF-8.
    return (json.dumps(table, indent=1, allow_nan=False) + "\n").encode("ascii")


def _parquet(analysis: Analysis) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingToolError(
            "Parquet needs pyarrow, which is not installed.", "pip install 'trexreport[parquet]'"
        ) from None
    from trexreport import __version__

    table_rows = rows(analysis)
    arrays = {
        column.key: _arrow_array(pa, column, [row[column.key] for row in table_rows])
        for column in exported_columns()
    }
    marks = {"generator": f"trexreport {__version__}", "schema_version": str(TABLE_SCHEMA_VERSION)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays).replace_schema_metadata({**marks, "note": _NOTE}), buffer)
    return buffer.getvalue()


def _arrow_array(pa: Any, column: LayerColumn, values: Sequence[Any]) -> Any:
    if column.kind in _LISTS:
        texts = [[cell_text(_item_text(item)) for item in value] for value in values]
        return pa.array(texts, pa.list_(pa.string()))
    if column.kind == "text":
        return pa.array([cell_text(value) for value in values], pa.string())
    # Damaged shapes give products beyond 64 bits; these are kept to 15 digits.
    is_small = all(value is None or abs(value) < 2**63 for value in values)
    if column.kind == "number" or not is_small:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array(values, pa.int64())


def _xlsx(analysis: Analysis) -> bytes:
    from trexreport.renderer.workbook import write_workbook

    columns = exported_columns()
    cells = [
        [cell_text(row[column.key]) if column.kind in _LISTS else row[column.key] for column in columns]
        for row in rows(analysis)
    ]
    return write_workbook(analysis, [column.key for column in columns], cells)

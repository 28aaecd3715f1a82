"""Write the layers of an analysis as a table: CSV, JSON, Parquet or XLSX."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from collections.abc import Callable, Sequence
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorUse
from trexreport.errors import MissingToolError, UsageError

#: Raised by one whenever a reader of the tables would have to change.
TABLE_SCHEMA_VERSION = 1
COLUMNS = (
    "index",
    "name",
    "type",
    "subtype",
    "precision",
    "output_precision",
    "avg_ms",
    "median_ms",
    "share_percent",
    "input_bytes",
    "output_bytes",
    "weights_bytes",
    "moved_bytes",
    "bandwidth_gbs",
    "macs",
    "m",
    "n",
    "k",
    "intensity",
    "tflops",
    "flops",
    "bound",
    "reached_percent",
    "headroom_ms",
    "tactic",
    "stream",
    "origins",
    "inputs",
    "outputs",
)
TEXT_COLUMNS = {"name", "type", "subtype", "precision", "output_precision", "bound", "tactic"}
LIST_COLUMNS = {"origins", "inputs", "outputs"}
FRACTION_COLUMNS = {
    "avg_ms",
    "median_ms",
    "share_percent",
    "bandwidth_gbs",
    "intensity",
    "tflops",
    "reached_percent",
    "headroom_ms",
}
#: Facts that stand in the layer itself under the name of their column.
_PLAIN = [name for name in COLUMNS if name in LayerFacts.__dataclass_fields__ and name not in LIST_COLUMNS]
_WORK = ("macs", "m", "n", "k", "intensity", "tflops")
_ROOF = ("reached_percent", "headroom_ms")
_NOTE = (
    "One row a layer in execution order. Times are in milliseconds, sizes in bytes, bandwidth in 10^9 bytes "
    "a second, intensity in floating-point operations per byte. bound is what sets the roof, compute or "
    "memory; headroom_ms is what reaching it would save at most. null means not measured or not known."
)
#: What a spreadsheet may take for the beginning of a formula: also in full width, and behind what it strips.
#: Source: OWASP, CSV Injection.
_FORMULA_START = re.compile("[\t\r\n]|[\\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠]")
_HALF_CHARACTERS = re.compile("[\ud800-\udfff]")


def export_layers(analysis: Analysis, kind: str) -> bytes:
    """Return the layers of an analysis as a file of the kind "csv", "json", "parquet" or "xlsx".

    The columns are `COLUMNS`, with units in their names: `_ms` milliseconds, `_percent` 0 to 100, `_bytes`
    bytes, `_gbs` 10^9 bytes a second; `tflops` is in 10^12 operations a second. What is not known is an
    empty cell, never 0. The same analysis gives the same bytes.

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
        raise UsageError(f"{kind!r} is no kind of table.", f"Take one of {', '.join(writers)}.")
    return writers[kind](analysis)


def rows(analysis: Analysis) -> list[dict[str, Any]]:
    """Return one row a layer: `COLUMNS` to value, None where it is not known."""
    return [_row(layer, analysis) for layer in analysis.layers]


def _row(layer: LayerFacts, analysis: Analysis) -> dict[str, Any]:
    values: dict[str, Any] = {name: getattr(layer, name) for name in _PLAIN}
    values |= {name: getattr(layer.work, name, None) for name in _WORK}
    values |= {name: getattr(layer.roof, name, None) for name in _ROOF}
    values |= {name: _finite(values[name]) for name in FRACTION_COLUMNS}
    values |= {
        "bound": layer.roof.bound if layer.roof else "",
        "origins": list(layer.origins),
        "inputs": [_tensor(use, analysis) for use in layer.inputs],
        "outputs": [_tensor(use, analysis) for use in layer.outputs],
    }
    return {name: values[name] for name in COLUMNS}


def _finite(value: float | None) -> float | None:
    """Return None for what overflowed: no format but CSV can hold it."""
    return value if value is not None and math.isfinite(value) else None


def _tensor(use: TensorUse, analysis: Analysis) -> dict[str, Any]:
    return {
        "name": analysis.tensors[use.tensor].name,
        "dimensions": list(use.dimensions),
        "format": use.format,
        "size_bytes": use.size_bytes,
    }


def cell_text(value: Any) -> str:
    """Return a list or text as one line of text for a cell; U+FFFD stands for halves of characters."""
    if isinstance(value, list):
        value = "; ".join(_item_text(item) for item in value)
    return _HALF_CHARACTERS.sub("\ufffd", str(value))


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
    writer.writerow(COLUMNS)
    for row in rows(analysis):
        writer.writerow([_csv_cell(name, row[name]) for name in COLUMNS])
    return buffer.getvalue().encode()


def _csv_cell(name: str, value: Any) -> Any:
    if name not in TEXT_COLUMNS | LIST_COLUMNS:
        return value
    text = cell_text(value).replace("\x00", "")
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
    arrays = {name: _arrow_array(pa, name, [row[name] for row in table_rows]) for name in COLUMNS}
    marks = {"generator": f"trexreport {__version__}", "schema_version": str(TABLE_SCHEMA_VERSION)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays).replace_schema_metadata({**marks, "note": _NOTE}), buffer)
    return buffer.getvalue()


def _arrow_array(pa: Any, name: str, values: Sequence[Any]) -> Any:
    if name in LIST_COLUMNS:
        texts = [[cell_text(_item_text(item)) for item in value] for value in values]
        return pa.array(texts, pa.list_(pa.string()))
    if name in TEXT_COLUMNS:
        return pa.array([cell_text(value) for value in values], pa.string())
    # Damaged shapes give products beyond 64 bits; these are kept to 15 digits.
    is_small = all(value is None or abs(value) < 2**63 for value in values)
    if name in FRACTION_COLUMNS or not is_small:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array(values, pa.int64())


def _xlsx(analysis: Analysis) -> bytes:
    from trexreport.renderer.workbook import write_workbook

    cells = [
        [cell_text(row[name]) if name in LIST_COLUMNS else row[name] for name in COLUMNS]
        for row in rows(analysis)
    ]
    return write_workbook(analysis, COLUMNS, cells)

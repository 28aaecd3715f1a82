"""Write a table of an analysis: CSV, JSON, Parquet or XLSX."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.errors import MissingToolError, UsageError
from trexreport.regex import regex
from trexreport.renderer.tables import Table, TableColumn, make_table

#: Raised by one whenever a reader of the tables would have to change.
TABLE_SCHEMA_VERSION = 2
_LISTS = ("list", "tensors")
#: What a spreadsheet may take for the beginning of a formula: also in full width, and behind what it strips.
#: Source: OWASP, CSV Injection.
_CELL_INSIDE = regex('(?<=[;\t])(?=[\\s"\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠])')
_FORMULA_START = regex("[\t\r\n]|[\\s\x00-\x1f\x7f-\x9f\xad\u200b-\u200f\u2060\ufeff]*[-=+@＝＋－＠]")
_LONE_SURROGATES = regex("[\ud800-\udfff]")
_PHASE = TableColumn("phase")
_GROUPS = (
    TableColumn("name"),
    TableColumn("count", "count"),
    TableColumn("time_ms", "number"),
    TableColumn("share_percent", "number"),
)
_BINDINGS = (
    TableColumn("name"),
    TableColumn("mode"),
    TableColumn("dimensions", "list"),
    TableColumn("format"),
    TableColumn("size_bytes", "bytes"),
)


def export_table(analysis: Analysis, kind: str, name: str = "layers") -> bytes:
    """Return a table of an analysis as a file of the kind "csv", "json", "parquet" or "xlsx".

    Keys of columns have units: `_ms` milliseconds, `_percent` 0 to 100, `_bytes` bytes, `_gbs` 10^9 bytes per
    second; `tflops` is in 10^12 operations per second. What is not known is an empty cell, never 0. The same
    analysis gives the same bytes.

    Args:
        analysis: The engine.
        kind: Of the file.
        name: Of the table: one of `tables.TABLES`.

    Raises:
        UsageError: There is no such kind or table, or the ONNX model, which it is of, is not known.
        MissingToolError: The library that writes this kind is not installed.
    """
    return _writer(kind)(analysis, make_table(analysis, name))


def export_phases_table(
    title: str, phases: Sequence[tuple[str, Analysis]], kind: str, name: str = "layers"
) -> bytes:
    """Return one table of several phases, as `export_table` does, with a first column "phase".

    Args:
        title: Of the set.
        phases: Name and analysis of each; at least one.
        kind: Of the file.
        name: Of the table.

    Raises:
        UsageError: As for `export_table`; the ONNX model of one phase is not known.
        MissingToolError: The library that writes this kind is not installed.
    """
    write, table = _writer(kind), _make_phases_table(phases, name)
    if kind == "xlsx":
        from trexreport.renderer.workbook import write_phases_workbook

        tables = [table, *_phases_groups(phases)] if name == "layers" else [table]
        return write_phases_workbook(title, [(each.name, _cells(each)) for each in tables])
    first = phases[0][1]
    return write(replace(first, identity=replace(first.identity, name=title)), table)


def _writer(kind: str) -> Callable[[Analysis, Table], bytes]:
    writers: dict[str, Callable[[Analysis, Table], bytes]] = {
        "csv": _csv,
        "json": _json,
        "parquet": _parquet,
        "xlsx": _xlsx,
    }
    if kind not in writers:
        raise UsageError(f"{kind!r} is not a kind of table.", f"Use one of {', '.join(writers)}.")
    return writers[kind]


def cell_text(value: Any) -> str:
    """Return a list or text as one line of text for a cell; U+FFFD replaces lone surrogates."""
    if isinstance(value, list):
        value = "; ".join(_item_text(item) for item in value)
    return _LONE_SURROGATES.sub("\ufffd", str(value))


def _item_text(item: Any) -> str:
    return f"{item['name']} {item['dimensions']} {item['format']}" if isinstance(item, dict) else str(item)


def _csv(_analysis: Analysis, table: Table) -> bytes:
    """Write RFC 4180 in UTF-8 without a byte-order mark; empty cells are unknown.

    A text that a spreadsheet would take for a formula (it begins with = + - @, perhaps behind spaces, or with
    a tab or the end of a line) gets an apostrophe in front; numbers stay as they are. NUL characters are
    dropped.
    """
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow([column.key for column in table.columns])
    for row in table.rows:
        writer.writerow([_csv_cell(column, row[column.key]) for column in table.columns])
    return buffer.getvalue().encode()


def _csv_cell(column: TableColumn, value: Any) -> Any:
    if column.is_number:
        return value
    text = "" if value is None else cell_text(value).replace("\x00", "")
    # Where a spreadsheet separates by semicolons or tabs, a cell begins inside of the text.
    text = _CELL_INSIDE.sub("'", text)
    return f"'{text}" if _FORMULA_START.match(text) else text


def _json(analysis: Analysis, table: Table) -> bytes:
    from trexreport import __version__

    document = {
        "generator": "trexreport",
        "generator_version": __version__,
        "schema": f"trexreport.{table.name}",
        "schema_version": TABLE_SCHEMA_VERSION,
        "engine": analysis.identity.name,
        "note": table.note,
        "rows": table.rows,
    }
    # ASCII, because halves of characters in names can't be written in UTF-8.
    return (json.dumps(document, indent=1, allow_nan=False) + "\n").encode("ascii")


def _parquet(_analysis: Analysis, table: Table) -> bytes:
    try:
        import pyarrow as pa
        import pyarrow.parquet as pq
    except ImportError:
        raise MissingToolError(
            "Parquet needs pyarrow, which is not installed.", "pip install 'trexreport[parquet]'"
        ) from None
    from trexreport import __version__

    arrays = {
        column.key: _arrow_array(pa, column, [row[column.key] for row in table.rows])
        for column in table.columns
    }
    marks = {"generator": f"trexreport {__version__}", "schema_version": str(TABLE_SCHEMA_VERSION)}
    buffer = io.BytesIO()
    pq.write_table(pa.table(arrays).replace_schema_metadata({**marks, "note": table.note}), buffer)
    return buffer.getvalue()


def _arrow_array(pa: Any, column: TableColumn, values: Sequence[Any]) -> Any:
    if column.kind in _LISTS:
        texts = [[cell_text(_item_text(item)) for item in value] for value in values]
        return pa.array(texts, pa.list_(pa.string()))
    if column.kind == "text":
        return pa.array([None if value is None else cell_text(value) for value in values], pa.string())
    # Damaged shapes give products beyond 64 bits; these are kept to 15 digits.
    is_small = all(value is None or abs(value) < 2**63 for value in values)
    if column.kind == "number" or not is_small:
        return pa.array([None if value is None else float(value) for value in values], pa.float64())
    return pa.array(values, pa.int64())


def _xlsx(analysis: Analysis, table: Table) -> bytes:
    from trexreport.renderer.workbook import write_workbook

    tables = [table]
    if table.name == "layers" and analysis.onnx and analysis.onnx.nodes:
        tables += [make_table(analysis, name) for name in ("nodes", "modules")]
    return write_workbook(analysis, [(each.name, _cells(each)) for each in tables])


def _cells(table: Table) -> list[list[Any]]:
    """Return the head and the rows of a table."""
    rows = [
        [cell_text(row[column.key]) if column.kind in _LISTS else row[column.key] for column in table.columns]
        for row in table.rows
    ]
    return [[column.key for column in table.columns], *rows]


def _make_phases_table(phases: Sequence[tuple[str, Analysis]], name: str) -> Table:
    """Return a table of all phases.

    Args:
        phases: Name and analysis of each; at least one.
        name: Of the table.

    Raises:
        UsageError: There is no such table, or the ONNX model of a phase, which it needs, is not known.
    """
    tables = [_table(phase, analysis, name) for phase, analysis in phases]
    rows = [
        {_PHASE.key: phase, **row}
        for (phase, _), table in zip(phases, tables, strict=True)
        for row in table.rows
    ]
    note = f"{tables[0].note} Shares and indices are those of one phase."
    return Table(name, [_PHASE, *tables[0].columns], rows, note)


def _table(phase: str, analysis: Analysis, name: str) -> Table:
    try:
        return make_table(analysis, name)
    except UsageError as error:
        raise UsageError(f"{phase}: {error}") from None


def _phases_groups(phases: Sequence[tuple[str, Analysis]]) -> list[Table]:
    """Return the sheets that a workbook of layers has besides: by type, by precision, bindings."""
    groups = {
        "by type": [(phase, group) for phase, each in phases for group in each.by_type],
        "by precision": [(phase, group) for phase, each in phases for group in each.by_precision],
    }
    tables = [
        Table(
            name,
            [_PHASE, *_GROUPS],
            [
                {_PHASE.key: phase, **{column.key: getattr(group, column.key) for column in _GROUPS}}
                for phase, group in rows
            ],
            "",
        )
        for name, rows in groups.items()
    ]
    bindings = [
        {_PHASE.key: phase, **{column.key: getattr(binding, column.key) for column in _BINDINGS}}
        for phase, each in phases
        for binding in each.bindings
    ]
    return [*tables, Table("bindings", [_PHASE, *_BINDINGS], bindings, "")]

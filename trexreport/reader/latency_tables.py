"""Read the CSV files of Triton's perf_analyzer and model_analyzer as latencies to compare with.

* perf_analyzer `-f FILE`: a row for each concurrency or request rate, times in µs. "Avg latency" is written
  with `--verbose-csv`, "p50 latency" always. Source: report_writer.cc of perf_analyzer (2023).
* model_analyzer: tables with empty lines between them, a row for each model configuration and concurrency,
  times in ms, by default "p99 Latency (ms)" alone. Source: its documentation of 2020 to 2023.

Only one row can be what a median is compared with: the one with a single request in flight.
"""

from __future__ import annotations

import csv
from collections.abc import Mapping, Sequence

from trexreport.errors import InputError
from trexreport.numbers import list_names
from trexreport.reader.impossible import quoted
from trexreport.reader.values import number

_PERF_ANALYZER = "a table of Triton's perf_analyzer"
_MODEL_ANALYZER = "a table of Triton's model_analyzer"
#: Columns of a latency as a whole, the best one first, with their unit in ms.
_LATENCIES = {
    _PERF_ANALYZER: (("avg latency", 1e-3), ("p50 latency", 1e-3)),
    _MODEL_ANALYZER: (("avg latency (ms)", 1.0), ("p50 latency (ms)", 1.0)),
}
_HINTS = {
    _PERF_ANALYZER: "Keep the line of one measurement.",
    _MODEL_ANALYZER: "Keep the line of one model configuration.",
}
_MOST_ROWS = 100_000


def kind_of(text: str) -> str:
    """Return what a table is, as a phrase; empty if it is of neither program."""
    for line in text.splitlines()[:5]:
        cells = {cell.strip().lower() for cell in line.split(",")}
        if "inferences/second" in cells:
            return _PERF_ANALYZER
        if {"model", "batch"} <= cells and cells & {"concurrency", "model config path", "request rate"}:
            return _MODEL_ANALYZER
    return ""


def read_table(text: str, kind: str, name: str, unit: str) -> tuple[float, str]:
    """Return the latency of the row with a single request in flight: figure and its unit.

    Args:
        text: The table.
        kind: What `kind_of` returned.
        name: Of the file, for messages.
        unit: The unit that the user stated; empty if none.

    Raises:
        InputError: The table has no such row, several, no average and no median, or another unit.
    """
    rows = _rows(text, kind, name)
    columns = [(key, in_ms) for key, in_ms in _LATENCIES[kind] if any(key in row for row in rows)]
    if not columns:
        raise InputError(
            f"{name} is {kind} without an average or median latency.",
            "Write it with --verbose-csv."
            if kind == _PERF_ANALYZER
            else "Add perf_latency_avg to inference_output_fields.",
        )
    key, in_ms = columns[0]
    stated = "us" if in_ms < 1 else "ms"
    if unit and unit != stated:
        raise InputError(
            f"{name} is {kind}, whose times are in {stated}, not in {unit}.", "Leave the unit out."
        )
    row = _single(rows, kind, name)
    value = number(row.get(key))
    if value is None or value <= 0:
        raise InputError(f"{name}: its {key} is {quoted(str(row.get(key)))}.", "Write it again.")
    return value, stated


def _rows(text: str, kind: str, name: str) -> list[Mapping[str, str]]:
    """Return the rows of the tables whose columns are those of a latency."""
    found: list[Mapping[str, str]] = []
    head: list[str] = []
    try:
        for cells in csv.reader(text.splitlines()[:_MOST_ROWS]):
            names = [cell.strip().lower() for cell in cells]
            if not any(names):
                head = []
            elif not head:
                head = names if kind_of(",".join(cells)) == kind else ["-"]
            elif head != ["-"]:
                found.append(dict(zip(head, (cell.strip() for cell in cells), strict=False)))
    except csv.Error:
        raise InputError(f"{name} is not readable CSV.", "Write it again.") from None
    latencies = [key for key, _ in _LATENCIES[kind]]
    fitting = [row for row in found if any(key in row for key in latencies)]
    return fitting or found


def _single(rows: Sequence[Mapping[str, str]], kind: str, name: str) -> Mapping[str, str]:
    if not rows:
        raise InputError(f"{name} is {kind} without a row.", "Write it again.")
    single = [row for row in rows if number(row.get("concurrency")) == 1]
    chosen = single or rows
    if len(chosen) == 1:
        return chosen[0]
    if single:
        named = [row.get("model config path") or row.get("model") or "?" for row in single]
        raise InputError(
            f"{name} has {len(single)} rows with concurrency 1: {list_names(named, 5)}.", _HINTS[kind]
        )
    key = next((key for key in ("concurrency", "request rate") if key in rows[0]), "concurrency")
    values = list_names([row.get(key, "?") for row in rows], 5)
    raise InputError(f"{name} has rows for a {key} of {values}, none with a single request.", _HINTS[kind])

"""Find the tables that `nsys stats --format csv` writes, among the lines that are around them.

A file may hold several reports, one after the other, with lines of nsys and of the program between them. A
report is known by its columns, as names of reports changed ("gpukernsum", "cuda_gpu_kern_sum") while columns
kept theirs. A heading has its unit in parentheses: "Total Time (ns)", "Start(nsec)". Spreadsheets write
semicolons, and commas for decimal points. Source: User Guide of Nsight Systems, "Statistical Analysis".
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Literal

from trexreport.regex import regex

#: What a report has: kernels of NVTX ranges, kernels summed up, runs of kernels and copies, runs of kernels
#: with the calls that launched them, calls, ranges with their work on the GPU, the same summed up, ranges.
ReportKind = Literal[
    "range-kernels",
    "kernels",
    "gpu-trace",
    "launch-trace",
    "api-trace",
    "range-trace",
    "range-sums",
    "ranges",
]
#: Kind to the columns that every version of it has; the first that fits is taken.
_COLUMNS: Mapping[ReportKind, frozenset[str]] = {
    "range-kernels": frozenset({"nvtx range", "kern inst", "total time", "kernel name"}),
    "launch-trace": frozenset({"api start", "api dur", "kernel start", "kernel dur", "kernel name"}),
    "range-trace": frozenset(
        {"name", "projected start", "projected duration", "orig start", "orig duration"}
    ),
    "range-sums": frozenset({"range", "total proj time", "range instances"}),
    "gpu-trace": frozenset({"start", "duration", "corrid", "strm", "name"}),
    "api-trace": frozenset({"start", "duration", "corrid", "tid", "name"}),
    "ranges": frozenset({"start", "end", "lvl", "pid", "tid", "name"}),
    "kernels": frozenset({"total time", "instances", "name"}),
}
#: Names of reports in NVIDIA's documentation, by kind.
REPORT_NAMES: Mapping[ReportKind, str] = {
    "range-kernels": "nvtx_kern_sum",
    "launch-trace": "cuda_kern_exec_trace",
    "range-trace": "nvtx_gpu_proj_trace",
    "range-sums": "nvtx_gpu_proj_sum",
    "gpu-trace": "cuda_gpu_trace",
    "api-trace": "cuda_api_trace",
    "ranges": "nvtx_pushpop_trace",
    "kernels": "cuda_gpu_kern_sum",
}
#: Reports that sum up: a row is in them once, wherever it is.
_SUMS = frozenset[ReportKind]({"range-kernels", "kernels", "range-sums"})
_UNIT = regex(r"(.*?)\s*\(([^()]*)\)")
#: Unit to its length in ns.
_NS: Mapping[str, float] = {
    **dict.fromkeys(("", "ns", "nsec"), 1.0),
    **dict.fromkeys(("us", "usec", "\u00b5s", "\u03bcs"), 1e3),
    **dict.fromkeys(("ms", "msec"), 1e6),
    **dict.fromkeys(("s", "sec"), 1e9),
}
_DELIMITERS = (",", ";", "\t")
_DOT = regex(r"-?(?:\d+|\d{1,3}(?:[,' ]\d{3})+)(?:\.\d+)?(?:[eE][+-]?\d{1,3})?", re.ASCII)
_COMMA = regex(r"-?(?:\d+|\d{1,3}(?:[.' ]\d{3})+)(?:,\d+)?", re.ASCII)
#: What else is between thousands: a typographic apostrophe, spaces that don't break.
_SPACES = str.maketrans({"\u2019": "'", "\u00a0": " ", "\u202f": " "})
_MOST_ROWS = 2_000_000
_MOST_TEXTS = 50_000
#: A line without any of these is not a header: it is not looked at further.
_OF_HEADERS = regex(r"instances|start|kern inst", re.IGNORECASE)
_LONGEST_LINE = 20_000
_LONGEST_TEXT = 4_000
#: Digits of whole numbers that are read without further looks.
_SHORT = 16
#: Times in ns that nothing can exceed: 100 years.
_LONGEST_NS = 3.2e18


@dataclass
class ReportTable:
    """One report, row by row.

    Attributes:
        refused: Rows so far with something that is not a number, or without one that they must have, by
            their `id`.
    """

    kind: ReportKind
    rows: list[list[str]] = field(default_factory=list, repr=False)
    places: Mapping[str, int] = field(default_factory=dict, repr=False)
    units: Mapping[str, str] = field(default_factory=dict, repr=False)
    has_decimal_comma: bool = False
    refused: dict[int, Sequence[str]] = field(default_factory=dict)

    def refuse(self, row: Sequence[str]) -> None:
        """Count a row, once for all that is wrong with it."""
        self.refused[id(row)] = row

    def text(self, row: Sequence[str], *columns: str) -> str:
        """Return the text of the first of these columns that the report has; empty without any."""
        place = next((self.places[each] for each in columns if each in self.places), None)
        return row[place].strip()[:_LONGEST_TEXT] if place is not None and place < len(row) else ""

    def time_ns(self, row: Sequence[str], *columns: str) -> int | None:
        """Return a time in ns; None where it is absent, or of an unknown unit or form, which is counted."""
        column = next((each for each in columns if each in self.places), None)
        if column is not None and self.places[column] < len(row) and self.units[column] in ("", "ns"):
            cell = row[self.places[column]]
            if len(cell) < _SHORT and cell.isascii() and cell.isdecimal():
                return int(cell)
        text = self.text(row, *columns)
        if column is None or not text:
            return None
        scale, value = (
            _NS.get(self.units[column].lower()),
            parsed_number(text, has_decimal_comma=self.has_decimal_comma),
        )
        found = round(value * scale) if value is not None and scale is not None else None
        if found is not None and abs(found) < _LONGEST_NS:
            return found
        self.refuse(row)
        return None

    def length_ns(self, row: Sequence[str], *columns: str) -> int | None:
        """Return a time in ns from 0 on; None where it is absent or something else, which is counted."""
        found = self.time_ns(row, *columns)
        if found is None or found >= 0:
            return found
        self.refuse(row)
        return None

    def whole(self, row: Sequence[str], *columns: str) -> int | None:
        """Return a whole number from 0 on; None where it is absent or something else, which is counted."""
        text = self.text(row, *columns)
        if len(text) < _SHORT and text.isascii() and text.isdecimal():
            return int(text)
        value = parsed_number(text, has_decimal_comma=self.has_decimal_comma)
        if value is not None and 0 <= value < 2**53 and value == int(value):
            return int(value)
        if text:
            self.refuse(row)
        return None


def parsed_number(text: str, *, has_decimal_comma: bool = False) -> float | None:
    """Return a number as tools and spreadsheets write it, with thousands; None for anything else."""
    plain = text.translate(_SPACES)
    if not (_COMMA if has_decimal_comma else _DOT).fullmatch(plain):
        return None
    plain = plain.replace(" ", "").replace("'", "")
    plain = plain.replace(".", "").replace(",", ".") if has_decimal_comma else plain.replace(",", "")
    value = float(plain)
    return value if math.isfinite(value) else None


def has_reports(head: str) -> bool:
    """Return whether a text has the header of a report that is read."""
    return any(_header(line) for line in islice(io.StringIO(head), 2_000))


def read_tables(content: str) -> list[ReportTable]:
    """Return the reports of a text in their order, each with its rows.

    Raises:
        csv.Error: A quoted cell has no end, or is larger than the module reads.
    """
    found: list[ReportTable] = []
    taken = 0
    for table, lines in _divided(content):
        reader = csv.reader(lines, delimiter=_delimiter(lines[0]))
        width = len(next(reader))
        # Most cells are written again and again: one text for all of them takes a fifth of the memory.
        texts: dict[str, str] = {}
        seen: set[tuple[str, ...]] = set()
        for row in islice(reader, _MOST_ROWS - taken):
            # nsys ends each line, the last one, too.
            is_open = reader.line_num == len(lines) and not lines[-1].endswith("\n")
            is_cut = is_open and len(row) > 1 and (len(row) < width or _is_cut(lines[-1], row, table.rows))
            is_again = bool(table.rows) and row == table.rows[-1]
            if table.kind in _SUMS:
                is_again = tuple(row) in seen
                seen.add(tuple(row))
            if is_cut or is_again:
                table.refuse(row)
            # Other lines of nsys have fewer cells than the least that a report has.
            elif len(row) >= len(_COLUMNS[table.kind]):
                table.rows.append([texts.setdefault(cell, cell) for cell in row])
            if len(texts) > _MOST_TEXTS:
                texts.clear()
        taken += len(table.rows)
        table.has_decimal_comma = _has_decimal_comma(table, _delimiter(lines[0]))
        found.append(table)
    return found


def _is_cut(line: str, row: Sequence[str], others: Sequence[Sequence[str]]) -> bool:
    """Return whether a row ends inside its last cell, which is a name that other rows have, too."""
    name, names = row[-1], {each[-1] for each in others}
    # A comparison may be the argument of a template.
    is_nested = any(
        name.replace("operator<", "").count(begin) > name.count(end) for begin, end in ("()", "<>")
    )
    is_quoted = line.count('"') % 2 == 1
    return is_quoted or is_nested or (name not in names and any(each.startswith(name) for each in names))


def _has_decimal_comma(table: ReportTable, delimiter: str) -> bool:
    times = [place for column, place in table.places.items() if table.units[column]]
    return has_decimal_comma(islice(table.rows, 1_000), times, delimiter)


def has_decimal_comma(rows: Iterable[Sequence[str]], places: Sequence[int], delimiter: str) -> bool:
    """Return whether numbers have decimal commas: a spreadsheet of some languages wrote the file.

    Args:
        rows: Some of the file.
        places: Of the columns with numbers.
        delimiter: Of the columns.
    """
    cells = [row[place].strip().translate(_SPACES) for row in rows for place in places if place < len(row)]
    if any(_DOT.fullmatch(cell) and not _COMMA.fullmatch(cell) for cell in cells):
        return False
    if any(_COMMA.fullmatch(cell) and not _DOT.fullmatch(cell) for cell in cells):
        return True
    return delimiter != "," and any("," in cell for cell in cells)


def _divided(content: str) -> Iterator[tuple[ReportTable, list[str]]]:
    """Yield each report with its lines, from the header on until an empty line or the next header."""
    table, lines = None, []
    is_quoted = False
    for line in io.StringIO(content, newline=None):
        if not is_quoted and (header := _header(line)):
            if table:
                yield table, lines
            table, lines = header, [line]
            continue
        if table is None:
            continue
        if not is_quoted and not line.strip():
            yield table, lines
            table = None
            continue
        is_quoted ^= line.count('"') % 2 == 1
        lines.append(line)
    if table:
        yield table, lines


def _header(line: str) -> ReportTable | None:
    if len(line) > _LONGEST_LINE or not _OF_HEADERS.search(line):
        return None
    if not any(each in line for each in _DELIMITERS):
        return None
    try:
        titles = next(csv.reader([line.strip().lstrip("\ufeff")], delimiter=_delimiter(line)), [])
    except csv.Error:
        # A line with a line end inside is none of a report.
        return None
    places: dict[str, int] = {}
    units: dict[str, str] = {}
    for place, title in enumerate(titles):
        with_unit = _UNIT.fullmatch(title.strip())
        name = (with_unit[1] if with_unit else title).strip().lower()
        if name not in places:
            places[name], units[name] = place, with_unit[2].strip() if with_unit else ""
    kind = next((kind for kind, needed in _COLUMNS.items() if needed <= places.keys()), None)
    return ReportTable(kind, places=places, units=units) if kind else None


def _delimiter(line: str) -> str:
    return max(_DELIMITERS, key=line.count)

"""Turn the tables that `nsys stats` prints as text into CSV, which has the same columns.

A line of titles is followed by one of dashes, which has the width of each column; an empty line ends a table.
Versions differ in titles ("Time(%)", "Average") and in what is around the tables. Cells that are wider than
their dashes are divided at two spaces or more.
"""

from __future__ import annotations

import csv
import io
import itertools
from collections.abc import Iterator, Sequence

from trexreport.regex import regex

_RULE = regex(r" *-{2,}(?: +-{2,})+\s*")
_COLUMN = regex(r"-+")
_GAP = regex(r" {2,}")


def as_csv(content: str) -> str:
    """Return a text with its tables of columns as CSV; what is around them is left as it is."""
    lines = content.splitlines(keepends=True)
    if not any(map(_RULE.fullmatch, lines)):
        return content
    return "".join(_converted(lines))


def _converted(lines: Sequence[str]) -> Iterator[str]:
    starts: list[int] = []
    for line, following in itertools.zip_longest(lines, lines[1:], fillvalue=""):
        if _RULE.fullmatch(line):
            continue
        if _RULE.fullmatch(following):
            starts = [found.start() for found in _COLUMN.finditer(following)]
        elif not line.strip():
            starts = []
        yield _row(_cells(line, starts), line) if starts else line


def _cells(line: str, starts: Sequence[int]) -> list[str]:
    """Return the cells of a line of a table whose columns begin at these places."""
    text = line.rstrip("\r\n")
    if all(text[start - 1 : start].strip() == "" for start in starts[1:]):
        return [text[start:end].strip() for start, end in itertools.pairwise([0, *starts[1:], len(text)])]
    return [cell.strip() for cell in _GAP.split(text.strip(), maxsplit=len(starts) - 1)]


def _row(cells: Sequence[str], line: str) -> str:
    """Return cells as CSV; a line that was cut off keeps its open end."""
    written = io.StringIO()
    csv.writer(written, lineterminator="\n" if line.endswith(("\n", "\r")) else "").writerow(cells)
    return written.getvalue()

"""All layers, or all aligned layers of a comparison, as lines of text in columns, a page full at a time.

Paper has them instead of a table: one of 20,000 rows would take minutes and gigabytes.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, format_number, middle_ellipsis
from trexreport.renderer.comparison.row_columns import row_heading
from trexreport.renderer.findings_page import OfLayer
from trexreport.renderer.layer_column import LayerColumn, LayerRow
from trexreport.renderer.layer_columns import line_columns
from trexreport.visible import one_line
from trexreport.wording.comparison import signed_ms
from trexreport.wording.row_changes import change_phrases

#: Lines of a page and characters of a line, as static/css/pdf.css has room for.
LINES, CHARACTERS = 58, 200
#: Height of a line as a multiple of its font size, as static/css/pdf.css states both.
LEADING = 8.3 / 6.3

_GAP = "  "

_LAYERS, _STATUS = 11, 14
#: Places for what changed, at least and at most.
_MIN_CHANGES, _MAX_CHANGES = 12, 56
#: Places of all columns of times together, and of one of them at most.
_TIMES, _TIME = 56, 20
_NAME = row_heading("name").lower()


@dataclass(frozen=True)
class LinePage:
    """The lines of one page.

    Attributes:
        first, last: Places of its first and its last line among all.
    """

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class LinePages:
    """All pages, and the line that heads each of them."""

    head: str
    pages: tuple[LinePage, ...]

    def page_of(self, place: int) -> int:
        """Return the place of the first line of the page that has a line."""
        return place - place % LINES


def pages_of(head: str, lines: Sequence[str]) -> LinePages:
    """Divide lines into pages."""
    return LinePages(
        head,
        tuple(
            LinePage(first, min(first + LINES, len(lines)) - 1, tuple(lines[first : first + LINES]))
            for first in range(0, len(lines), LINES)
        ),
    )


def cell(text: str, width: int) -> str:
    """Return a text of exactly `width` places; a dash if it is empty."""
    shown = fitted(one_line(text), width) or MISSING
    return shown + " " * (width - _width(shown))


def fitted(text: str, room: int) -> str:
    """Shorten a text in its middle until it has the room; a character of East Asia takes two places."""
    if len(text) <= room and text.isascii():
        return text
    wide = _width(text[: 4 * room]) - len(text[: 4 * room])
    shown = middle_ellipsis(text, room)
    if wide:
        shown = middle_ellipsis(text, max(room - _width(shown) + len(shown), room // 2))
        while _width(shown) > room:
            shown = middle_ellipsis(text, len(shown) - 1)
    return shown


def some(texts: Sequence[str], width: int) -> str:
    """Return as many texts as a column has room for, and how many there are besides."""
    shown = " ".join(texts)
    if len(shown) <= width:
        return shown
    kept = len(texts)
    while kept > 1 and len(" ".join(texts[:kept])) + len(f" +{len(texts) - kept}") > width:
        kept -= 1
    return " ".join((*texts[:kept], f"+{len(texts) - kept}")) if kept < len(texts) else shown


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in ("W", "F") else 1 for each in text)


def layer_pages(analysis: Analysis, of_layer: OfLayer) -> LinePages:
    """Return the lines of all layers in execution order; the name comes last, as it may have any width.

    Args:
        analysis: The analysis.
        of_layer: Layer to its findings.
    """
    *columns, name = line_columns()
    room = CHARACTERS - sum(column.line_width + len(_GAP) for column in columns)
    head = [_aligned(column, column.heading) for column in columns]
    rows = [
        LayerRow(layer, analysis, [view.finding.code for view in of_layer.get(layer.index, ())])
        for layer in analysis.layers
    ]
    names = [fitted(one_line(text), room) for text in name.texts(rows)]
    lines = [
        _GAP.join(cells) for cells in zip(*[_cells(column, rows) for column in columns], names, strict=True)
    ]
    return pages_of(_GAP.join([*head, name.heading]), lines)


def _cells(column: LayerColumn, rows: Sequence[LayerRow]) -> list[str]:
    """Return the texts of a column."""
    if column.kind == "list":
        return [_aligned(column, some(value, column.line_width)) for value in column.cells(rows)]
    return [_aligned(column, text) for text in column.texts(rows)]


def _aligned(column: LayerColumn, text: str) -> str:
    return text.rjust(column.line_width) if column.is_number else cell(text, column.line_width)


def row_pages(comparison: Comparison, focus: int) -> tuple[LinePages, Mapping[int, int]]:
    """Return the lines of all rows in the baseline's order of execution, and each row's place among them.

    Times are in milliseconds. The number of layers goes from the baseline's to that of the candidate in
    focus, whose difference, status and changes follow.
    """
    rows = comparison.rows
    order = sorted(range(len(rows)), key=lambda at: (rows[at].position, at))
    width = min(_TIME, _TIMES // len(comparison.engines))
    digits = max(len(str(len(rows))), 3)
    names = [fitted(one_line(engine.name), width) for engine in comparison.engines]
    longest = max((len(_changes(row, comparison.baseline, focus)) for row in rows), default=0)
    widths = _LAYERS, _STATUS, min(max(longest, _MIN_CHANGES), _MAX_CHANGES)
    head = _columns(
        ["#".rjust(digits), *(name.rjust(width) for name in names), row_heading("diff").lower().rjust(12)],
        ("count", row_heading("status").lower(), row_heading("changes").lower(), _NAME),
        widths,
    )
    room = CHARACTERS - (len(head) - len(_NAME))
    lines = []
    for place, at in enumerate(order):
        row, after = rows[at], rows[at].sides[focus]
        times = [(format_number(side.time_ms) if side.members else "").rjust(width) for side in row.sides]
        figures = [str(place).rjust(digits), *times, signed_ms(after.difference_ms).rjust(12)]
        lines.append(_columns(figures, _texts(row, comparison.baseline, focus, room), widths))
    return pages_of(head, lines), {at: place for place, at in enumerate(order)}


def _texts(row: ComparedRow, baseline: int, focus: int, room: int) -> tuple[str, str, str, str]:
    """Return how many layers there are on each side, the status, the changes, and the name."""
    before, after = row.sides[baseline], row.sides[focus]
    more = f" +{row.more_layers}" if row.more_layers else ""
    return (
        f"{len(before.members)} → {len(after.members)}",
        after.status,
        _changes(row, baseline, focus),
        fitted(one_line(row.label), room - len(more)) + more,
    )


def _changes(row: ComparedRow, baseline: int, focus: int) -> str:
    return ", ".join(change_phrases(row.sides[focus], row.sides[baseline]))


def _columns(figures: Sequence[str], texts: tuple[str, str, str, str], widths: tuple[int, int, int]) -> str:
    *cells, name = texts
    return "  ".join((*figures, *map(cell, cells, widths), name))

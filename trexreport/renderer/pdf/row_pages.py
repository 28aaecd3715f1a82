"""Write all aligned layers of a comparison as pages of plain lines."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis.compared_rows import ComparedRow
from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.numbers import format_number
from trexreport.renderer.comparison.row_columns import row_heading
from trexreport.renderer.pdf.lines import CHARACTERS, LinePages, cell, fitted, pages_of
from trexreport.visible import one_line
from trexreport.wording.comparison import signed_ms
from trexreport.wording.row_changes import change_phrases

_LAYERS, _STATUS = 11, 14
#: Places for what changed, at least and at most.
_MIN_CHANGES, _MAX_CHANGES = 12, 56
#: Places of all columns of times together, and of one of them at most.
_TIMES, _TIME = 56, 20
_NAME = row_heading("name").lower()


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

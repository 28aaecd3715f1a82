"""Lines of text in columns, a page full at a time: what paper has instead of a table of 20,000 rows."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import MISSING, middle_ellipsis
from trexreport.visible import one_line

#: Lines of a page and characters of a line, as static/css/pdf.css has room for.
LINES, CHARACTERS = 58, 200
#: Height of a line as a multiple of its font size, as static/css/pdf.css states both.
LEADING = 8.3 / 6.3


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

"""What a mail says, before it is HTML or text: a title, figures, and sections with short tables.

A letter knows nothing of engines, so that other documents, such as a comparison, can become letters too.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

from trexreport.numbers import middle_ellipsis
from trexreport.visible import one_line

#: Longer texts are cut in their middle, so that none makes a letter long.
_MOST_CHARACTERS = 400
#: Those between a number and its unit, and within a number; the text form has ordinary ones.
_WIDE_SPACES = ("\u00a0", "\u202f")
_WIDE_SPACE = re.compile(f"([{''.join(_WIDE_SPACES)}])")
#: Of names, and of names that stand beside others.
NAME_CHARACTERS, SHORT_NAME_CHARACTERS = 90, 60


@dataclass(frozen=True)
class Figure:
    """A figure with its label and a remark, each a text."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Row:
    """A row of a table.

    Attributes:
        cells: Texts, as many as the table has columns.
        share_percent: Length of the bar beside the first cell, 0 to 100; None for no bar.
    """

    cells: tuple[str, ...]
    share_percent: float | None = None


@dataclass(frozen=True)
class Section:
    """A heading, a sentence and a table, of which each may be missing but the heading.

    Attributes:
        columns: Headings of the table.
        numbers: How many columns at the end hold numbers.
        left_out: How many rows there are beside those of the table.
    """

    title: str
    sentence: str = ""
    columns: tuple[str, ...] = ()
    rows: tuple[Row, ...] = ()
    numbers: int = 0
    left_out: int = 0

    @property
    def number_columns(self) -> tuple[str, ...]:
        """Headings of the columns of numbers."""
        return self.columns[len(self.columns) - self.numbers :]

    def texts(self, row: Row) -> list[str]:
        """Return the cells of a row that are texts, of those after the first what is not empty."""
        first, *others = row.cells[: len(row.cells) - self.numbers]
        return [first, *filter(None, others)]

    def figures(self, row: Row) -> tuple[str, ...]:
        """Return the cells of a row that are numbers."""
        return row.cells[len(row.cells) - self.numbers :]


@dataclass(frozen=True)
class Letter:
    """A mail's content.

    Attributes:
        subject: For the mail's head.
        facts: What it is about, one text each.
        closing: Last sentences, such as on what is attached.
    """

    subject: str
    title: str
    facts: tuple[str, ...]
    figures: tuple[Figure, ...]
    sections: tuple[Section, ...]
    closing: tuple[str, ...] = ()

    def shortened(self) -> Letter:
        """Return the letter with half the rows in each table."""
        return replace(
            self,
            sections=tuple(
                replace(
                    each,
                    rows=each.rows[: len(each.rows) // 2],
                    left_out=each.left_out + len(each.rows) - len(each.rows) // 2,
                )
                for each in self.sections
            ),
        )


def shown(text: str, most: int = _MOST_CHARACTERS) -> str:
    """Return a text in one line, cut in its middle where it is long; a number stays with its unit."""
    kept = "".join(part if part in _WIDE_SPACES else one_line(part) for part in _WIDE_SPACE.split(text))
    return middle_ellipsis(kept, most)


def closing(attached: Sequence[str], left_out: str) -> tuple[str, ...]:
    """Return the last sentences: which files go with the mail, and what was left out of them."""
    return tuple(filter(None, (f"Attached: {', '.join(attached)}." if attached else "", left_out)))

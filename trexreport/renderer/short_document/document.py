"""The model of a short document: a title, figures, and sections with paragraphs, lists and tables.

It knows nothing of engines. Texts are kept as they come from files: each writer makes them harmless in its
own format, shortens long names and adds the count of rows that are not shown.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from typing import Literal, TypeAlias

from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, format_count, middle_ellipsis
from trexreport.renderer.short_document.shortened import shortened

#: Longest name, message and paragraph, in characters.
MAX_NAME, MAX_MESSAGE, MAX_PARAGRAPH = 160, 400, 2000
NO_NAME = "(no name)"

#: "error", "warning" and "info" mark a severity.
Style = Literal["plain", "strong", "code", "error", "warning", "info"]

_SEVERITIES: dict[str, Style] = {"error": "error", "warning": "warning", "info": "info"}


@dataclass(frozen=True)
class Span:
    """A part of a line with one style."""

    text: str
    style: Style = "plain"


Inline: TypeAlias = "str | Span | tuple[str | Span, ...]"
#: A number is written by its column.
Cell: TypeAlias = "Inline | float | None"


def spans(text: Inline) -> tuple[Span, ...]:
    """Return the parts of a line that are not empty."""
    parts = text if isinstance(text, tuple) else (text,)
    return tuple(
        part for part in (Span(part) if isinstance(part, str) else part for part in parts) if part.text
    )


def plain(text: Inline) -> str:
    """Return a line without its styles."""
    return "".join(span.text for span in spans(text))


def severity_mark(severity: str) -> Span:
    """Return the name of a severity as it is highlighted."""
    return Span(severity, _SEVERITIES.get(severity, "plain"))


def named(name: str) -> str:
    """Return a name, or a placeholder for an empty one."""
    return name or NO_NAME


@dataclass(frozen=True)
class Figure:
    """A figure with its label and a remark, such as "Median latency", "0.798 ms", "p99 0.803 ms"."""

    label: str
    value: str
    note: str = ""


@dataclass(frozen=True)
class Figures:
    """The main figures, one below the other."""

    figures: tuple[Figure, ...]


@dataclass(frozen=True)
class Paragraph:
    """A paragraph of one line.

    Attributes:
        text: Of the paragraph.
        is_essential: The rest would mislead without it, so a text with a budget never leaves it out.
    """

    text: Inline
    is_essential: bool = False


@dataclass(frozen=True)
class Explanation:
    """A labeled text of several paragraphs, one per line, in which backticks mark code."""

    label: str
    text: str


@dataclass(frozen=True)
class Item:
    """An entry of a list, with details beside or below it."""

    text: Inline
    details: tuple[Inline, ...] = ()


@dataclass(frozen=True)
class Column:
    """A column of a table.

    Attributes:
        write: Writes the numbers of the column; cells of a column without it are texts.
        is_number: Cells are aligned to the right. They are written by this package, never by a file.
        is_summed: Rows that are not shown are added up in a last row.
        has_bar: A mail shows the numbers, percentages of the whole, as bars too.
        max_chars: Length of the longest text.
        has_sentences: Longer texts end where a sentence does; else their middle is left out.
    """

    heading: str
    write: Callable[[float | None], str] | None = None
    is_number: bool = False
    is_summed: bool = False
    has_bar: bool = False
    max_chars: int = MAX_NAME
    has_sentences: bool = False

    @property
    def is_right(self) -> bool:
        """Whether cells are aligned to the right."""
        return self.is_number or self.write is not None

    def texts(self, cell: Cell) -> tuple[Span, ...]:
        """Return the parts of a cell's text, none of them too long."""
        if self.write and (cell is None or isinstance(cell, (int, float))):
            return (Span(self.write(cell)),)
        text = "" if cell is None else str(cell) if isinstance(cell, (int, float)) else cell
        shorten = shortened if self.has_sentences else middle_ellipsis
        return tuple(replace(span, text=shorten(span.text, self.max_chars)) for span in spans(text))


@dataclass(frozen=True, kw_only=True)
class _Cuttable:
    """A block that can be shortened.

    Attributes:
        noun: What an entry is, such as "layer", for the count of those that are not shown.
        max_shown: How many entries are shown; None for all.
        hint: How to see those that are not shown.
        is_essential: Shortened only when nothing else is left to shorten.
    """

    noun: str = "row"
    max_shown: int | None = None
    hint: str = ""
    is_essential: bool = False


@dataclass(frozen=True)
class Items(_Cuttable):
    """A list."""

    entries: tuple[Item, ...]

    @property
    def shown(self) -> tuple[Item, ...]:
        """The entries that are shown."""
        return self.entries[: self.max_shown]


@dataclass(frozen=True)
class Table(_Cuttable):
    """A table.

    Attributes:
        entries: The rows but for the total.
        total: A last row that is always shown.
    """

    columns: tuple[Column, ...]
    entries: tuple[tuple[Cell, ...], ...]
    total: tuple[Cell, ...] | None = None

    @property
    def shown(self) -> tuple[tuple[Cell, ...], ...]:
        """The rows that are shown, then the sum of the others if columns have one, then the total."""
        rows = self.entries[: self.max_shown]
        rest = self.entries[len(rows) :]
        if rest and self.is_summed:
            sums = (self._sum(rest, at) for at in range(1, len(self.columns)))
            rows += ((f"{format_count(len(rest))} more", *sums),)
        return rows if self.total is None or not rows else (*rows, self.total)

    @property
    def is_summed(self) -> bool:
        """Whether rows that are not shown are added up in a last row."""
        return any(column.is_summed for column in self.columns)

    def _sum(self, rows: tuple[tuple[Cell, ...], ...], at: int) -> Cell:
        if not self.columns[at].is_summed:
            return ""
        known = [cell for row in rows if isinstance(cell := row[at], (int, float))]
        return math.fsum(known) if known else None


def without_empty_columns(table: Table) -> Table:
    """Return a table without the columns in which no entry has anything; the first one stays."""
    stated = [
        at
        for at in range(len(table.columns))
        if not at or any(row[at] not in ("", None) for row in table.entries)
    ]
    return replace(
        table,
        columns=tuple(table.columns[at] for at in stated),
        entries=tuple(tuple(row[at] for at in stated) for row in table.entries),
    )


Block: TypeAlias = "Figures | Paragraph | Explanation | Items | Table"


def not_shown(block: Items | Table) -> str:
    """Return a sentence that counts the entries that are not shown; empty if none or a row sums them up."""
    shown = len(block.entries[: block.max_shown])
    count = len(block.entries) - shown
    if not count or (isinstance(block, Table) and block.is_summed):
        return ""
    hint = f"; {block.hint}" if block.hint else ""
    what = counted(count, f"more {block.noun}" if shown else block.noun)
    return f"{what} {'is' if count == 1 else 'are'} not shown{hint}."


@dataclass(frozen=True)
class Section:
    """A heading with the blocks below it.

    Attributes:
        title: The heading.
        blocks: Below it.
        priority: A text with a budget has sections of a lower number first.
    """

    title: Inline
    blocks: tuple[Block, ...]
    priority: int = 9


@dataclass(frozen=True)
class ShortDocument:
    """A short document.

    Attributes:
        title: What it is about.
        facts: What is known of that, in one line together.
        summary: The result in one sentence: below the title, in a terminal at the end.
        blocks: Before the first section.
        closing: Last sentences, such as a list of attached files.
        hidden_sections: How many sections at the end were left out.
    """

    title: str
    facts: tuple[str, ...] = ()
    summary: str = ""
    blocks: tuple[Block, ...] = ()
    sections: tuple[Section, ...] = ()
    closing: tuple[str, ...] = ()
    hidden_sections: int = 0

    @property
    def last_lines(self) -> tuple[str, ...]:
        """The lines below the last section."""
        hidden = self.hidden_sections
        verb = "is" if hidden == 1 else "are"
        return (*((f"{counted(hidden, 'more section')} {verb} not shown.",) if hidden else ()), *self.closing)

"""Write a short document as HTML that mail programs and CI systems show.

It has tables for layout, style attributes with properties that Gmail's and Outlook's engines know, and no
style sheet, script, image or link: nothing is loaded and nothing can be blocked.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from trexreport import __version__
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.palette import color
from trexreport.renderer.short_document import document as short
from trexreport.renderer.short_document.shortened import shortened
from trexreport.renderer.template_output import whole_in_mail
from trexreport.visible import in_order, one_line

if TYPE_CHECKING:
    from markupsafe import Markup

#: Those between a number and its unit; a line of HTML does not end at them.
_UNIT_SPACE = "\u00a0"
#: Width of the longest bar in pixels.
_BAR_WIDTH = 60
#: A phone has no room for a longer name beside this many numbers: each name has a line of its own.
_LONG_NAME, _MANY_NUMBERS = 40, 3
_BOLD = ("strong", "error", "warning")


def write_html(document: short.ShortDocument, subject: str) -> str:
    """Return the document as a page whose title is the mail's subject."""
    # What draws pages is loaded only for one.
    from trexreport.renderer.page import environment

    templates = environment()
    templates.filters |= {"inline": _inline, "name": _name, "not_shown": short.not_shown, "kind": _kind}
    return templates.get_template("mail/document.html.j2").render(
        document=document,
        subject=subject,
        version=__version__,
        accent=color("accent"),
        rows=_rows,
        heads=_heads,
        has_long_names=_has_long_names,
    )


def render_html(document: short.ShortDocument) -> bytes:
    """Return the document as a page of its own, which a CI system shows also where it blocks styles."""
    return write_html(document, document.title).encode()


def _kind(block: object) -> str:
    return type(block).__name__


def _name(text: str) -> str:
    return _shown(middle_ellipsis(text, short.MAX_NAME))


def _inline(text: short.Inline) -> Markup:
    from markupsafe import Markup

    return Markup("").join(
        Markup('<span style="font-weight: bold;">{}</span>').format(shown) if span.style in _BOLD else shown
        for span in short.spans(text)
        for shown in (whole_in_mail(Markup.escape(_shown(shortened(span.text, short.MAX_PARAGRAPH)))),)
    )


def _shown(text: str) -> str:
    """Return a text in one line; a number stays with its unit."""
    return in_order(_UNIT_SPACE.join(map(one_line, text.split(_UNIT_SPACE))))


def _heads(table: short.Table) -> list[str]:
    """Return the headings of the columns of numbers, which are shown beside the first column."""
    return [column.heading for column in table.columns if column.is_right]


def _rows(table: short.Table) -> list[tuple[list[Markup], list[Markup], int | None]]:
    """Return for each row its texts, which are stacked for phones, its numbers, and its bar's width."""
    return [_row(table, row) for row in table.shown]


def _has_long_names(rows: list[tuple[list[Markup], list[Markup], int | None]]) -> bool:
    """Return whether names would take ten lines each on a phone, beside the numbers of their rows."""
    return len(rows[0][1]) >= _MANY_NUMBERS and any(
        len(texts[0].striptags()) > _LONG_NAME for texts, _, _ in rows
    )


def _row(table: short.Table, row: tuple[short.Cell, ...]) -> tuple[list[Markup], list[Markup], int | None]:
    texts: list[Markup] = []
    numbers: list[Markup] = []
    bar = 0 if any(column.has_bar for column in table.columns) else None
    for column, cell in zip(table.columns, row, strict=True):
        shown = _inline(column.texts(cell))
        if column.is_right:
            numbers.append(shown)
        elif shown or not texts:
            texts.append(shown)
        if column.has_bar and isinstance(cell, (int, float)):
            bar = max(0, min(_BAR_WIDTH, round(cell * _BAR_WIDTH / 100)))
    return texts, numbers, bar

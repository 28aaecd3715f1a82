"""Write a letter as HTML that mail programs show, and as plain text.

The HTML has tables for layout, style attributes with properties that Gmail's and Outlook's engines know, and
no style sheet, script, image or link: nothing is loaded and nothing can be blocked. Gmail cuts what is longer
than 102 kB.
"""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from trexreport import __version__
from trexreport.numbers import format_count
from trexreport.renderer.mail.document import MailDocument
from trexreport.renderer.mail.letter import Letter, Section
from trexreport.renderer.short_document.document import fit
from trexreport.renderer.short_document.html import write_html
from trexreport.renderer.short_document.plain_text import write_plain_text
from trexreport.visible import one_line

#: Gmail cuts a message at 102 kB.
MOST_HTML_BYTES = 100_000
_TEXT_WIDTH = 76


@dataclass(frozen=True)
class MailBody:
    """The two forms of a mail's text."""

    html: str
    text: str


def render_letter(letter: Letter | MailDocument, most_bytes: int = MOST_HTML_BYTES) -> MailBody:
    """Return the letter in both forms; tables are shortened until the HTML fits, and say so."""
    if isinstance(letter, MailDocument):
        subject = letter.subject
        document, page = fit(letter.document, lambda each: write_html(each, subject), most_bytes)
        return MailBody(page, write_plain_text(document))
    while len((html := _html(letter)).encode("utf-8")) > most_bytes and any(
        section.rows for section in letter.sections
    ):
        letter = letter.shortened()
    return MailBody(html, _text(letter))


def _html(letter: Letter) -> str:
    # What draws pages is loaded only for one.
    from trexreport.renderer.page import environment

    page = environment().get_template("mail/letter.html.j2")
    return page.render(letter=letter, version=__version__)


def _text(letter: Letter) -> str:
    blocks = [letter.title, "=" * min(len(letter.title), _TEXT_WIDTH), *map(_wrapped, letter.facts)]
    width = max((len(figure.label) for figure in letter.figures), default=0)
    blocks += [""] if letter.figures else []
    blocks += [
        _wrapped(f"{figure.label:<{width}}  {figure.value}" + (f" ({figure.note})" if figure.note else ""))
        for figure in letter.figures
    ]
    for section in letter.sections:
        blocks += ["", section.title, "-" * len(section.title), *_section(section)]
    blocks += ["", *map(_wrapped, letter.closing), f"Written by trexreport {__version__}."]
    return "\n".join(blocks) + "\n"


def _section(section: Section) -> list[str]:
    lines = [_wrapped(section.sentence)] if section.sentence else []
    if lines and section.rows:
        lines.append("")
    for row in section.rows:
        first, *others = section.texts(row)
        figures = section.figures(row)
        if len(figures) > 1:
            # Without lines of a table a number needs its name.
            figures = tuple(
                f"{name} {each}" for name, each in zip(section.number_columns, figures, strict=True)
            )
        told = " · ".join((*others, *figures))
        lines += [_wrapped(first, "- ")] + ([_wrapped(told, "  ")] if told else [])
    if section.left_out:
        lines.append(f"  and {_plain(format_count(section.left_out))} more")
    return lines


def _wrapped(text: str, indent: str = "") -> str:
    return textwrap.fill(
        _plain(text),
        _TEXT_WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
        break_on_hyphens=False,
    )


def _plain(text: str) -> str:
    return one_line(text)

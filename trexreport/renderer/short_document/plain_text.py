"""Write a short document as plain text, for mail programs that show no HTML."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence

from trexreport import __version__
from trexreport.numbers import middle_ellipsis
from trexreport.renderer.short_document import document as short
from trexreport.renderer.short_document.shortened import shortened
from trexreport.visible import one_line

_WIDTH = 76


def write_plain_text(document: short.ShortDocument) -> str:
    """Return the document in lines of 76 characters, but for words that are longer."""
    title = one_line(middle_ellipsis(document.title, short.MAX_NAME))
    lines = [
        title,
        "=" * min(len(title), _WIDTH),
        *_wrapped(" · ".join(middle_ellipsis(each, short.MAX_NAME) for each in document.facts)),
    ]
    lines += ["", *_wrapped(document.summary)] if document.summary else []
    lines += _blocks(document.blocks)
    for section in document.sections:
        heading = middle_ellipsis(short.plain(section.title), short.MAX_NAME)
        lines += ["", heading, "-" * min(len(heading), _WIDTH), *list(_blocks(section.blocks))[1:]]
    lines.append("")
    for each in (*document.last_lines, f"Written by trexreport {__version__}."):
        lines += _wrapped(each)
    return "\n".join(lines) + "\n"


def row_lines(table: short.Table, row: Sequence[short.Cell]) -> list[str]:
    """Return a row without the lines of a table: its first cell, then the others with their headings."""
    texts: list[str] = []
    numbers: list[str] = []
    for column, cell in zip(table.columns, row, strict=True):
        text = one_line(short.plain(column.texts(cell)))
        if column.is_right:
            numbers.append(f"{column.heading} {text}".strip())
        elif text or not texts:
            texts.append(text)
    others = " · ".join(filter(None, [*texts[1:], *numbers]))
    return [texts[0], *([others] if others else [])]


def _blocks(blocks: Sequence[short.Block]) -> Iterator[str]:
    """Yield the lines of blocks, with an empty line before each."""
    for block in blocks:
        yield ""
        if isinstance(block, short.Figures):
            yield from _figures(block)
        elif isinstance(block, short.Paragraph):
            yield from _wrapped(shortened(short.plain(block.text), short.MAX_PARAGRAPH))
        elif isinstance(block, short.Explanation):
            yield from _wrapped(f"{block.label}: {' '.join(block.text.split())}")
        elif isinstance(block, short.Items):
            for item in block.shown:
                details = ", ".join(map(short.plain, item.details))
                yield from _wrapped(short.plain(item.text) + (f" ({details})" if details else ""), "- ")
            yield from _wrapped(short.not_shown(block))
        else:
            if block.shown:
                yield f"{block.columns[0].heading}:"
            for row in block.shown:
                first, *others = row_lines(block, row)
                yield from _wrapped(first, "- ")
                yield from (line for other in others for line in _wrapped(other, "  "))
            yield from _wrapped(short.not_shown(block))


def _figures(block: short.Figures) -> Iterator[str]:
    width = max(len(figure.label) for figure in block.figures)
    for figure in block.figures:
        note = f" ({figure.note})" if figure.note else ""
        yield from _wrapped(f"{figure.label:<{width}}  {figure.value}{note}")


def _wrapped(text: str, indent: str = "") -> list[str]:
    return textwrap.wrap(
        one_line(text),
        _WIDTH,
        initial_indent=indent,
        subsequent_indent=" " * len(indent),
        break_long_words=False,
        break_on_hyphens=False,
    )

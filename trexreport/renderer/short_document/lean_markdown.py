"""Write a short document as Markdown with few tokens, for language models.

It has what `markdown.py` has, and the same escapes. Figures are lines instead of rows of a table, and tables
have no spaces beside their lines: each would be a token or more.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.numbers import middle_ellipsis
from trexreport.renderer.markdown_text import escaped, paragraphs_of, words
from trexreport.renderer.short_document.document import (
    MAX_NAME,
    Block,
    Explanation,
    Figure,
    Figures,
    Items,
    Paragraph,
    ShortDocument,
    Table,
    not_shown,
    plain,
)
from trexreport.renderer.short_document.markdown import cell_text, item_text, line_text


def write_lean_markdown(document: ShortDocument) -> str:
    """Return the document as it is, of any size."""
    parts = [
        f"# {words(middle_ellipsis(document.title, MAX_NAME))}",
        words(" · ".join(middle_ellipsis(each, MAX_NAME) for each in document.facts)),
        f"**{words(document.summary)}**" if document.summary else "",
        *_blocks(document.blocks),
    ]
    for section in document.sections:
        parts += [f"## {words(plain(section.title))}", *_blocks(section.blocks)]
    parts += map(words, document.last_lines)
    return "\n\n".join(part for part in parts if part) + "\n"


def _blocks(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Figures):
            yield "\n".join(map(_figure, block.figures))
        elif isinstance(block, Paragraph):
            yield line_text(block.text)
        elif isinstance(block, Explanation):
            yield f"**{words(block.label)}.** {paragraphs_of(block.text)}"
        else:
            lines = (
                [f"- {item_text(each)}" for each in block.shown] if isinstance(block, Items) else _rows(block)
            )
            yield "\n".join(lines)
            yield words(not_shown(block))


def _figure(figure: Figure) -> str:
    note = f" ({escaped(figure.note)})" if figure.note else ""
    return f"- {words(figure.label)}: {escaped(figure.value)}{note}"


def _rows(table: Table) -> list[str]:
    if not table.shown:
        return []
    heads = [words(column.heading) for column in table.columns]
    rows = [
        [cell_text(column, cell) for column, cell in zip(table.columns, row, strict=True)]
        for row in table.shown
    ]
    return [f"|{'|'.join(cells)}|" for cells in (heads, ["-"] * len(heads), *rows)]

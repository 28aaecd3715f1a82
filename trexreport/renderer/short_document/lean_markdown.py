"""Write a short document as Markdown with few tokens, for language models.

It has what `markdown.py` has, and the same escapes. Figures are lines instead of rows of a table, and tables
have no spaces beside their lines: each would be a token or more.
"""

from __future__ import annotations

from trexreport.renderer.markdown_text import escaped, words
from trexreport.renderer.short_document.document import Figure, Figures, ShortDocument, Table
from trexreport.renderer.short_document.markdown import cells_of, markdown_of


def write_lean_markdown(document: ShortDocument) -> str:
    """Return the document as it is, of any size."""
    return markdown_of(document, "#", _figures, _table)


def _figures(block: Figures) -> str:
    return "\n".join(map(_figure, block.figures))


def _figure(figure: Figure) -> str:
    note = f" ({escaped(figure.note)})" if figure.note else ""
    return f"- {words(figure.label)}: {escaped(figure.value)}{note}"


def _table(table: Table) -> str:
    if not table.shown:
        return ""
    heads, *rows = cells_of(table)
    return "\n".join(f"|{'|'.join(cells)}|" for cells in (heads, ["-"] * len(heads), *rows))

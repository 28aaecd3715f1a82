"""The terms of the page's filter of layers, for its help."""

from __future__ import annotations

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.layer_column_choice import page_columns


@dataclass(frozen=True)
class FilterTerms:
    """The terms of the page's filter, for its help.

    Attributes:
        texts: Terms that look for a text.
        figures: Terms that compare a figure, with an example each.
    """

    texts: tuple[str, ...]
    figures: tuple[str, ...]


#: Terms of a layer that no column has alone: its operations, its inputs and outputs together, its block.
OTHER_TEXT_TERMS = ("op", "tensor", "block")

#: They have lines of their own in the help.
_EXPLAINED_APART = ("finding", "time")


def filter_terms() -> FilterTerms:
    """Return what the help of the filter lists."""
    columns = [column for column in page_columns() if column.term_name not in ("", *_EXPLAINED_APART)]
    texts = [column.term for column in columns if column.term == column.term_name]
    figures = [column.term for column in columns if column.term != column.term_name]
    return FilterTerms((*texts, *OTHER_TEXT_TERMS), tuple(figures))

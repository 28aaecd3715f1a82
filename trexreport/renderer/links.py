"""The links inside a report."""

from __future__ import annotations

from functools import lru_cache
from urllib.parse import quote


def layer_link(index: int) -> str:
    """Return the link to a layer by its position.

    It leads to the layer's row in a page without script; the script turns it into the permanent link
    "#layer=NAME", which stays right when the engine is built again.
    """
    return f"#L{index}"


def row_link(index: int) -> str:
    """Return the link to a row of a comparison by its position."""
    return f"#R{index}"


@lru_cache(maxsize=1024)
def filter_link(query: str) -> str:
    """Return the link to the table of layers, filtered by a query."""
    # A lone surrogate has no place in a URL.
    return f"#filter={quote(query.encode('utf-8', 'replace').decode('utf-8'), safe='')}"


def term(field: str, value: str) -> str:
    """Return the term of a query that asks for exactly this value; a quote in it is doubled."""
    doubled = value.replace('"', '""')
    return f'{field}:"{doubled}"'

"""The permanent links inside a report."""

from __future__ import annotations

from urllib.parse import quote


def layer_link(key: str) -> str:
    """Return the link to a layer: "#layer=" and its key, as a URL spells it."""
    # A lone surrogate has no place in a URL; the page's script decodes the same replacement.
    return f"#layer={quote(key.encode('utf-8', 'replace').decode('utf-8'), safe='')}"


def filter_link(query: str) -> str:
    """Return the link to the table of layers, filtered by a query."""
    return f"#filter={quote(query.encode('utf-8', 'replace').decode('utf-8'), safe='')}"

"""Drawings for phones, packed beside a page: its script puts them in place of those that would shrink."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.svg import draw_svg
from trexreport.renderer.packing import COMPACT_JSON, pack_for_script

#: The column of a phone, in pixels.
PHONE = 358
#: How hard drawings are packed: level 9 takes twice as long, for a page 1% smaller.
_LEVEL = 6


def narrow_chart(chart: Prepared, *, patterns: bool = False) -> str:
    """Return the drawing of a chart for a phone; titles and links are those of the page's own drawing."""
    return draw_svg(chart, PHONE, patterns=patterns, plain=True, suffix="-narrow")


def pack_narrow(charts: Mapping[str, str], others: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the drawings of charts by key, and others by the id of their figure, packed for the page."""
    drawings = {f"chart-{key}": [drawing] for key, drawing in charts.items()} | dict(others or {})
    return pack_for_script(COMPACT_JSON.encode(drawings).encode(), _LEVEL) if drawings else ""

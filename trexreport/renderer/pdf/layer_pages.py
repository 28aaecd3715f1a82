"""Write all layers as pages of plain lines: a table of 20,000 rows would take minutes and gigabytes."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.numbers import MISSING, format_bytes, format_number, format_percent, middle_ellipsis
from trexreport.renderer.findings_page import FindingView
from trexreport.renderer.graph.svg_text import precisions
from trexreport.visible import one_line

#: Lines of a page and characters of a line, as static/css/pdf.css has room for.
LINES, CHARACTERS = 58, 200
_TYPE, _PRECISION, _CODES = 18, 13, 20


@dataclass(frozen=True)
class LayerPage:
    """The lines of one page.

    Attributes:
        first, last: Indices of its first and its last layer.
    """

    first: int
    last: int
    lines: tuple[str, ...]


@dataclass(frozen=True)
class LayerPages:
    """All pages, and the line that heads each of them."""

    head: str
    pages: tuple[LayerPage, ...]

    def page_of(self, layer: int) -> int:
        """Return the first layer of the page on which a layer stands."""
        return layer - layer % LINES


def layer_pages(analysis: Analysis, of_layer: Mapping[int, Sequence[FindingView]]) -> LayerPages:
    """Return the lines of all layers in execution order; the name comes last, as it may have any width.

    Args:
        analysis: The analysis.
        of_layer: Layer to its findings.
    """
    digits = max(len(str(len(analysis.layers))), 3)
    head = _columns(("#".rjust(digits), "ms", "share", "moved", "type", "precision", "findings", "name"))
    room = CHARACTERS - (len(head) - len("name"))
    lines = [_line(layer, digits, room, of_layer.get(layer.index, ())) for layer in analysis.layers]
    pages = tuple(
        LayerPage(first, min(first + LINES, len(lines)) - 1, tuple(lines[first : first + LINES]))
        for first in range(0, len(lines), LINES)
    )
    return LayerPages(head, pages)


def _line(layer: LayerFacts, digits: int, room: int, views: Sequence[FindingView]) -> str:
    share = format_percent(None if layer.share_percent is None else layer.share_percent / 100)
    return _columns(
        (
            str(layer.index).rjust(digits),
            format_number(layer.time_ms),
            share,
            format_bytes(layer.moved_bytes),
            layer.type,
            precisions(layer),
            _codes([view.finding.code for view in views]),
            _fitted(one_line(layer.name), room),
        )
    )


def _codes(codes: Sequence[str]) -> str:
    """Return as many codes as the column has room for, and how many there are besides."""
    shown = " ".join(codes)
    if len(shown) <= _CODES:
        return shown
    kept = len(codes)
    while kept > 1 and len(" ".join(codes[:kept])) + len(f" +{len(codes) - kept}") > _CODES:
        kept -= 1
    return " ".join((*codes[:kept], f"+{len(codes) - kept}")) if kept < len(codes) else shown


def _columns(cells: Sequence[str]) -> str:
    """Return a line: number, time, share, moved bytes, type, precision, findings and name."""
    index, time, share, moved, kind, precision, codes, name = cells
    figures = f"{index}  {time:>8}  {share:>7}  {moved:>9}"
    texts = _cell(kind, _TYPE), _cell(precision, _PRECISION), _cell(codes, _CODES), name
    return "  ".join((figures, *texts))


def _cell(text: str, width: int) -> str:
    shown = _fitted(one_line(text), width) or MISSING
    return shown + " " * (width - _width(shown))


def _fitted(text: str, room: int) -> str:
    """Shorten a text in its middle until it has the room; a character of East Asia takes two places."""
    if len(text) <= room and text.isascii():
        return text
    wide = _width(text[: 4 * room]) - len(text[: 4 * room])
    shown = middle_ellipsis(text, room)
    if wide:
        shown = middle_ellipsis(text, max(room - _width(shown) + len(shown), room // 2))
        while _width(shown) > room:
            shown = middle_ellipsis(text, len(shown) - 1)
    return shown


def _width(text: str) -> int:
    return sum(2 if unicodedata.east_asian_width(each) in ("W", "F") else 1 for each in text)

"""Write all layers as pages of plain lines: a table of 20,000 rows would take minutes and gigabytes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.numbers import format_bytes, format_number, format_percent
from trexreport.renderer.findings_page import FindingView
from trexreport.renderer.graph.svg_text import precisions
from trexreport.renderer.pdf.lines import CHARACTERS, LinePages, cell, fitted, pages_of, some
from trexreport.visible import one_line

_TYPE, _PRECISION, _CODES = 18, 13, 20


def layer_pages(analysis: Analysis, of_layer: Mapping[int, Sequence[FindingView]]) -> LinePages:
    """Return the lines of all layers in execution order; the name comes last, as it may have any width.

    Args:
        analysis: The analysis.
        of_layer: Layer to its findings.
    """
    digits = max(len(str(len(analysis.layers))), 3)
    head = _columns(("#".rjust(digits), "ms", "share", "moved", "type", "precision", "findings", "name"))
    room = CHARACTERS - (len(head) - len("name"))
    lines = [_line(layer, digits, room, of_layer.get(layer.index, ())) for layer in analysis.layers]
    return pages_of(head, lines)


def _line(layer: LayerFacts, digits: int, room: int, views: Sequence[FindingView]) -> str:
    share = format_percent(None if layer.share_percent is None else layer.share_percent / 100)
    return _columns(
        (
            str(layer.index).rjust(digits),
            format_number(layer.avg_ms),
            share,
            format_bytes(layer.moved_bytes),
            layer.type,
            precisions(layer),
            some([view.finding.code for view in views], _CODES),
            fitted(one_line(layer.name), room),
        )
    )


def _columns(cells: Sequence[str]) -> str:
    """Return a line: number, time, share, moved bytes, type, precision, findings and name."""
    index, time, share, moved, kind, precision, codes, name = cells
    figures = f"{index}  {time:>8}  {share:>7}  {moved:>9}"
    texts = cell(kind, _TYPE), cell(precision, _PRECISION), cell(codes, _CODES), name
    return "  ".join((figures, *texts))

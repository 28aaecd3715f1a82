"""A chart as static SVG that needs no script and no style sheet: it prints, mails and obeys any policy."""

from __future__ import annotations

from trexreport.renderer.charts.areas import draw_strip, draw_treemap
from trexreport.renderer.charts.bars import draw_bars
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.curves import draw_curves
from trexreport.renderer.charts.data import Prepared, prepare
from trexreport.renderer.charts.markup import (
    Element,
    drawing,
    element,
    words,
)
from trexreport.renderer.charts.parts import MAX_TAB_STOPS, Canvas, identity, label

_EMPTY_HEIGHT = 32.0
_DRAWERS = {"bars": draw_bars, "strip": draw_strip, "treemap": draw_treemap}


def to_svg(chart: Chart, width: int = 720, *, patterns: bool = False) -> str:
    """Return a chart as an SVG element, `width` pixels wide; the same chart gives the same text.

    `patterns` fills some marks with a pattern, for paper without colors. The element scales with its
    view box: `max-width: 100%; height: auto` makes it fit a column. Texts have the classes `chart-text`
    and `chart-text-muted`, lines `chart-grid` and `chart-axis`, for a style sheet to recolor.
    """
    return draw_svg(prepare(chart), width, patterns=patterns)


def draw_svg(
    prepared: Prepared, width: int = 720, *, patterns: bool = False, plain: bool = False, suffix: str = ""
) -> str:
    """Return `to_svg` of a chart whose data were prepared.

    `plain` leaves out links, titles and hover texts; `suffix` is added to the ids of a second drawing.
    """
    chart = prepared.chart
    links = 0 if plain else sum(bool(mark.link) for mark in prepared.marks)
    canvas = Canvas(
        float(max(width, 160)),
        identity(chart.key) + suffix,
        patterns,
        tab_stops=links <= MAX_TAB_STOPS,
        plain=plain,
    )
    drawn, height = _draw(prepared, canvas)
    name = canvas.identity
    definitions = canvas.definitions()
    texts = (
        ()
        if plain
        else (
            element("title", words(chart.title), id=f"{name}-title"),
            element("desc", words(chart.summary), id=f"{name}-summary"),
        )
    )
    svg = drawing(
        chart.kind,
        canvas.width,
        height,
        *texts,
        *([definitions] if definitions else []),
        *drawn,
        # What is inside an image cannot be reached, so a drawing with links is not called one.
        role="group" if links else "img",
        aria_labelledby=None if plain else f"{name}-title {name}-summary",
    )
    return write_drawing(svg)


def _draw(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    if not prepared.marks:
        return [label(prepared.empty_text, 0, _EMPTY_HEIGHT / 2, muted=True)], _EMPTY_HEIGHT
    return _DRAWERS.get(prepared.chart.kind, draw_curves)(prepared, canvas)

"""A chart as static SVG that needs no script and no style sheet: it prints, mails and obeys any policy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.renderer.charts import parts
from trexreport.renderer.charts import rows as row_layout
from trexreport.renderer.charts.areas import draw_strip, draw_treemap
from trexreport.renderer.charts.chart import Chart
from trexreport.renderer.charts.compact import write_drawing
from trexreport.renderer.charts.curves import draw_curves
from trexreport.renderer.charts.data import Mark, Prepared, prepare
from trexreport.renderer.charts.frame import LINE, bars_need_axis, legend, value_scale, value_tick_count
from trexreport.renderer.charts.markup import Element, drawing, element, rectangle, words
from trexreport.renderer.charts.text import TICK_SIZE, fit
from trexreport.renderer.packing import COMPACT_JSON, pack_for_script

_THICKNESS = row_layout.ROW * 0.62

#: The column of a phone, in pixels.
PHONE = 358
#: How hard drawings are packed: level 9 takes twice as long, for a page 1% smaller.
_LEVEL = 6


def draw_bars(prepared: Prepared, canvas: parts.Canvas) -> tuple[list[Element], float]:
    """Draw a row for each category; return the drawing and its height."""
    bars = _Bars(prepared, canvas)
    frame = bars.frame
    drawn = parts.draw_legend(canvas, legend(prepared))
    drawn += bars.headings()
    if bars_need_axis(prepared):
        drawn += bars.ticks()
    drawn += bars.rows_of_bars()
    zero = bars.scale(0.0)
    drawn.append(parts.grid_line(zero, frame.top, zero, frame.foot, axis=True))
    drawn += parts.draw_notes(prepared, frame.height)
    return drawn, frame.height


class _Bars:
    """The parts of one chart of bars."""

    def __init__(self, prepared: Prepared, canvas: parts.Canvas) -> None:
        self.prepared = prepared
        self.canvas = canvas
        self.rows = row_layout.rows_of(prepared, canvas.width)
        self.frame = self.rows.frame
        self.scale = value_scale(prepared, self.frame.left, self.frame.end)

    def rows_of_bars(self) -> list[Element]:
        """Draw the rows. A single bar shares its link with its texts; stacked bars have their own."""
        marks: dict[int, list[Mark]] = {}
        for mark in self.prepared.marks:
            marks.setdefault(int(mark.position), []).append(mark)
        numbers = row_layout.row_numbers(self.prepared)
        names = row_layout.row_names(self.prepared, self.frame)
        drawn: list[Element] = []
        for row, short in enumerate(names):
            middle, found = self.frame.top + (row + 0.5) * row_layout.ROW, marks.get(row, [])
            name = parts.label(short, 0, middle)
            bars = [self._bar(mark, middle) for mark in found]
            words = [parts.label(numbers[row], self.rows.number_end, middle, anchor="end")] if found else []
            if len(self.prepared.chart.series) == 1 and len(found) == 1:
                if found[0].share_text:
                    words.append(parts.caption(found[0].share_text, self.rows.share_end, middle, "end"))
                drawn.append(parts.linked(self.canvas, found[0], name, *bars, *words))
            else:
                own = (parts.linked(self.canvas, mark, bar) for mark, bar in zip(found, bars, strict=True))
                drawn += [name, *own, *words]
        return drawn

    def _bar(self, mark: Mark, middle: float) -> Element:
        left, right = sorted((self.scale(mark.base), self.scale(mark.base + mark.value)))
        width = max(right - left, 0.75 if mark.value else 0.0)
        top = middle - _THICKNESS / 2
        return rectangle(left, top, width, _THICKNESS, self.canvas.fill(mark.role))

    def headings(self) -> list[Element]:
        """Write what numbers and shares are."""
        rows = self.rows
        y, drawn = self.frame.top - 14, []
        heading = row_layout.value_heading(self.prepared)
        if heading:
            text = fit(heading, rows.number_end - self.frame.left, TICK_SIZE)
            drawn.append(parts.caption(text, rows.number_end, y, "end"))
        if rows.share_end > rows.number_end:
            drawn.append(parts.caption(row_layout.SHARE_HEADING, rows.share_end, y, "end"))
        return drawn

    def ticks(self) -> list[Element]:
        """Draw the axis of the values."""
        ticks = self.scale.ticks(value_tick_count(self.prepared))
        places = [self.scale(value) for value in ticks.values]
        labels = zip(places, ticks.labels, strict=True)
        drawn = [parts.grid_line(x, self.frame.top, x, self.frame.foot) for x in places]
        return drawn + [parts.caption(text, x, self.frame.foot + LINE / 2, "middle") for x, text in labels]


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
    canvas = parts.Canvas(
        float(max(width, 160)),
        parts.identity(chart.key) + suffix,
        patterns,
        tab_stops=links <= parts.MAX_TAB_STOPS,
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


def _draw(prepared: Prepared, canvas: parts.Canvas) -> tuple[list[Element], float]:
    if not prepared.marks:
        return [parts.label(prepared.empty_text, 0, _EMPTY_HEIGHT / 2, muted=True)], _EMPTY_HEIGHT
    return _DRAWERS.get(prepared.chart.kind, draw_curves)(prepared, canvas)


def narrow_chart(chart: Prepared, *, patterns: bool = False) -> str:
    """Return the drawing of a chart for a phone; titles and links are those of the page's own drawing."""
    return draw_svg(chart, PHONE, patterns=patterns, plain=True, suffix="-narrow")


def pack_narrow(charts: Mapping[str, str], others: Mapping[str, Sequence[str]] | None = None) -> str:
    """Return the drawings of charts by key, and others by the id of their figure, packed for the page."""
    drawings = {f"chart-{key}": [drawing] for key, drawing in charts.items()} | dict(others or {})
    return pack_for_script(COMPACT_JSON.encode(drawings).encode(), _LEVEL) if drawings else ""

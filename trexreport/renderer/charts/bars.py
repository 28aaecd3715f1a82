"""Horizontal bars as static SVG: in each row a name, a bar, a number and its share."""

from __future__ import annotations

from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import (
    LINE,
    bars_need_axis,
    legend,
    value_scale,
    value_tick_count,
)
from trexreport.renderer.charts.markup import Element, rectangle
from trexreport.renderer.charts.parts import (
    Canvas,
    caption,
    draw_legend,
    draw_notes,
    grid_line,
    label,
    linked,
)
from trexreport.renderer.charts.rows import ROW, SHARE_HEADING, row_names, row_numbers, rows_of, value_heading
from trexreport.renderer.charts.text import TICK_SIZE, fit

_THICKNESS = ROW * 0.62


def draw_bars(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    """Draw a row for each category; return the drawing and its height."""
    bars = _Bars(prepared, canvas)
    frame = bars.frame
    drawn = draw_legend(canvas, legend(prepared))
    drawn += bars.headings()
    if bars_need_axis(prepared):
        drawn += bars.ticks()
    drawn += bars.rows_of_bars()
    zero = bars.scale(0.0)
    drawn.append(grid_line(zero, frame.top, zero, frame.foot, axis=True))
    drawn += draw_notes(prepared, frame.height)
    return drawn, frame.height


class _Bars:
    """The parts of one chart of bars."""

    def __init__(self, prepared: Prepared, canvas: Canvas) -> None:
        self.prepared = prepared
        self.canvas = canvas
        self.rows = rows_of(prepared, canvas.width)
        self.frame = self.rows.frame
        self.scale = value_scale(prepared, self.frame.left, self.frame.end)

    def rows_of_bars(self) -> list[Element]:
        """Draw the rows. A single bar shares its link with its texts; stacked bars have their own."""
        marks: dict[int, list[Mark]] = {}
        for mark in self.prepared.marks:
            marks.setdefault(int(mark.position), []).append(mark)
        numbers = row_numbers(self.prepared)
        names = row_names(self.prepared, self.frame)
        drawn: list[Element] = []
        for row, short in enumerate(names):
            middle, found = self.frame.top + (row + 0.5) * ROW, marks.get(row, [])
            name = label(short, 0, middle)
            bars = [self._bar(mark, middle) for mark in found]
            words = [label(numbers[row], self.rows.number_end, middle, anchor="end")] if found else []
            if len(self.prepared.chart.series) == 1 and len(found) == 1:
                if found[0].share_text:
                    words.append(caption(found[0].share_text, self.rows.share_end, middle, "end"))
                drawn.append(linked(self.canvas, found[0], name, *bars, *words))
            else:
                own = (linked(self.canvas, mark, bar) for mark, bar in zip(found, bars, strict=True))
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
        heading = value_heading(self.prepared)
        if heading:
            text = fit(heading, rows.number_end - self.frame.left, TICK_SIZE)
            drawn.append(caption(text, rows.number_end, y, "end"))
        if rows.share_end > rows.number_end:
            drawn.append(caption(SHARE_HEADING, rows.share_end, y, "end"))
        return drawn

    def ticks(self) -> list[Element]:
        """Draw the axis of the values."""
        ticks = self.scale.ticks(value_tick_count(self.prepared))
        places = [self.scale(value) for value in ticks.values]
        labels = zip(places, ticks.labels, strict=True)
        drawn = [grid_line(x, self.frame.top, x, self.frame.foot) for x in places]
        return drawn + [caption(text, x, self.frame.foot + LINE / 2, "middle") for x, text in labels]

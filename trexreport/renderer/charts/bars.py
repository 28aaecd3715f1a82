"""Horizontal bars as static SVG: in each row a name, a bar, a number and its share."""

from __future__ import annotations

from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import (
    LINE,
    Scale,
    bars_need_axis,
    legend,
    reference_levels,
    value_domain,
    value_tick_count,
)
from trexreport.renderer.charts.markup import Element
from trexreport.renderer.charts.parts import (
    Canvas,
    dashed_line,
    draw_legend,
    draw_notes,
    grid_line,
    label,
    linked,
    rectangle,
)
from trexreport.renderer.charts.rows import SHARE_HEADING, Rows, row_numbers, rows_of, value_heading
from trexreport.renderer.charts.text import TICK_SIZE, fit


def draw_bars(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    """Draw a row for each category; return the drawing and its height."""
    rows = rows_of(prepared, canvas.width)
    frame = rows.frame
    scale = Scale(*value_domain(prepared), frame.left, frame.end, prepared.value.log)
    drawn = draw_legend(canvas, legend(prepared))
    drawn += _headings(prepared, rows)
    if bars_need_axis(prepared):
        drawn += _ticks(prepared, rows, scale)
    marks: dict[int, list[Mark]] = {}
    for mark in prepared.marks:
        marks.setdefault(int(mark.position), []).append(mark)
    numbers = row_numbers(prepared)
    for row, name in enumerate(prepared.categories):
        middle = frame.top + (row + 0.5) * rows.row
        found, number = marks.get(row, []), numbers.get(row, "")
        drawn += _row(prepared, canvas, rows, scale, marks=found, name=name, number=number, middle=middle)
    zero = scale(0.0) if scale.low <= 0 <= scale.high and not scale.log else frame.left
    drawn.append(grid_line(zero, frame.top, zero, frame.foot, axis=True))
    drawn += _references(prepared, rows, scale)
    drawn += draw_notes(prepared, 0.0, frame.height)
    return drawn, frame.height


def _row(
    prepared: Prepared,
    canvas: Canvas,
    rows: Rows,
    scale: Scale,
    *,
    marks: list[Mark],
    name: str,
    number: str,
    middle: float,
) -> list[Element]:
    """Draw one row. A single bar shares its link with its name and number; stacked ones have their own."""
    name_text = label(fit(name, rows.frame.left - 12), 0, middle)
    words = [label(number, rows.number_end, middle, anchor="end")] if number else []
    bars = [_bar(canvas, scale, mark, middle, rows.row * 0.62) for mark in marks]
    if len(prepared.chart.series) == 1 and len(marks) == 1:
        share = marks[0].share_text
        if share:
            words.append(label(share, rows.share_end, middle, anchor="end", muted=True, size=TICK_SIZE))
        return [linked(canvas, marks[0], name_text, *bars, *words)]
    return [name_text, *(linked(canvas, mark, bar) for mark, bar in zip(marks, bars, strict=True)), *words]


def _bar(canvas: Canvas, scale: Scale, mark: Mark, middle: float, thickness: float) -> Element:
    start = scale.start if scale.log and mark.base <= 0 else scale(mark.base)
    left, right = sorted((start, scale(mark.base + mark.value)))
    return rectangle(
        left,
        middle - thickness / 2,
        max(right - left, 0.75 if mark.value else 0.0),
        thickness,
        canvas.fill(mark.role),
    )


def _headings(prepared: Prepared, rows: Rows) -> list[Element]:
    y = rows.frame.top - 14 - 14 * _levels(prepared, rows)
    drawn = []
    if prepared.position.heading:
        text = fit(prepared.position.heading, rows.frame.left - 12, TICK_SIZE)
        drawn.append(label(text, 0, y, muted=True, size=TICK_SIZE))
    heading = value_heading(prepared)
    if heading:
        text = fit(heading, rows.number_end - rows.frame.left, TICK_SIZE)
        drawn.append(label(text, rows.number_end, y, anchor="end", muted=True, size=TICK_SIZE))
    if rows.share_end > rows.number_end:
        drawn.append(label(SHARE_HEADING, rows.share_end, y, anchor="end", muted=True, size=TICK_SIZE))
    return drawn


def _levels(prepared: Prepared, rows: Rows) -> int:
    scale = Scale(*value_domain(prepared), rows.frame.left, rows.frame.end, prepared.value.log)
    return max((level + 1 for _, level, _, _ in reference_levels(prepared, scale)), default=0)


def _ticks(prepared: Prepared, rows: Rows, scale: Scale) -> list[Element]:
    frame = rows.frame
    ticks = scale.ticks(value_tick_count(prepared))
    places = [scale(value) for value in ticks.values]
    drawn = [grid_line(x, frame.top, x, frame.foot) for x in places]
    return drawn + [
        label(text, x, frame.foot + LINE / 2, anchor="middle", muted=True, size=TICK_SIZE)
        for x, text in zip(places, ticks.labels, strict=True)
    ]


def _references(prepared: Prepared, rows: Rows, scale: Scale) -> list[Element]:
    drawn = []
    for x, level, text, role in reference_levels(prepared, scale):
        drawn.append(dashed_line(x, rows.frame.top - 2, x, rows.frame.foot, role))
        y = rows.frame.top - 9 - 14 * level
        drawn.append(label(text, x, y, anchor="middle", muted=True, size=TICK_SIZE))
    return drawn

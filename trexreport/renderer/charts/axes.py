"""The axes of a static chart: hairlines, ticks, headings and levels to compare with."""

from __future__ import annotations

import math

from trexreport.numbers import format_count
from trexreport.renderer.charts import frame as frames
from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.markup import Element
from trexreport.renderer.charts.parts import caption, dashed_line, grid_line
from trexreport.renderer.charts.slopes import label_end, pair_lines, slope_lines
from trexreport.renderer.charts.text import TICK_SIZE, clean, fit, text_width

_TICK_DISTANCE = 64.0


def scales(prepared: Prepared, frame: frames.Frame) -> tuple[frames.Scale, frames.Scale]:
    """Return the horizontal and the vertical scale of a chart with an axis at its foot."""
    across = frames.position_scale(prepared, frame.left, frame.end)
    return across, frames.value_scale(prepared, frame.foot, frame.top)


def draw_axes(
    prepared: Prepared, frame: frames.Frame, across: frames.Scale, up: frames.Scale
) -> list[Element]:
    """Draw what lies behind the data, and the words around them."""
    drawn = _value_axis(prepared, frame, across, up)
    drawn += _number_labels(prepared, frame, across)
    heading = prepared.position.heading
    if heading:
        y = frame.height - frames.LINE * len(prepared.notes) - frames.LINE / 2
        text = fit(heading, frame.plot_width, TICK_SIZE)
        drawn.append(caption(text, frame.left + frame.plot_width / 2, y, "middle"))
    return drawn


def draw_references(
    prepared: Prepared, frame: frames.Frame, across: frames.Scale, up: frames.Scale
) -> list[Element]:
    """Draw the levels to compare with over the data, and their labels beside them."""
    drawn: list[Element] = []
    for x, level, text, role in frames.reference_levels(prepared, across):
        drawn.append(dashed_line(x, frame.top - 3, x, frame.foot, role))
        half = text_width(text, TICK_SIZE) / 2
        center = min(max(x, half), max(frame.width - half, half))
        drawn.append(caption(text, center, frame.top - 10 - 14 * level, "middle"))
    lowest = math.inf
    for value, line in frames.levels_on(prepared, "y"):
        y = up(value)
        begin = frame.left if line.begin is None else across(line.begin)
        drawn.append(dashed_line(begin, y, frame.end, y, line.role))
        lowest = min(y, lowest - 13)
        text = fit(clean(line.label), 112.0, TICK_SIZE)
        drawn.append(caption(text, frame.end + 6, lowest))
    drawn += [
        dashed_line(across(pair.x1), up(pair.y1), across(pair.x2), up(pair.y2), pair.role)
        for pair in pair_lines(prepared)
    ]
    for slope in slope_lines(prepared):
        x, y = across(slope.x2), up(slope.y2)
        drawn.append(dashed_line(across(slope.x1), up(slope.y1), x, y, slope.role))
        drawn.append(caption(slope.label, label_end(slope, across), y - 9, "end"))
    return drawn


def _value_axis(
    prepared: Prepared, frame: frames.Frame, across: frames.Scale, up: frames.Scale
) -> list[Element]:
    ticks = up.ticks(frames.value_tick_count(prepared))
    heights = [up(value) for value in ticks.values]
    drawn = [grid_line(frame.left, y, frame.end, y) for y in heights]
    labels = zip(heights, ticks.labels, strict=True)
    drawn += [caption(text, frame.left - 6, y, "end") for y, text in labels]
    zero = up(0.0) if up.low <= 0 <= up.high and not up.log else frame.foot
    drawn.append(grid_line(frame.left, zero, frame.end, zero, axis=True))
    if heading := frames.upright_heading(prepared):
        top = up.end - frames.HEADING + 8 - frames.levels_height(prepared, across)
        drawn.append(caption(fit(heading, frame.width, TICK_SIZE), 0, top))
    return drawn


def _number_labels(prepared: Prepared, frame: frames.Frame, across: frames.Scale) -> list[Element]:
    """Write numbers at the foot."""
    ticks = across.ticks(max(2, int(frame.plot_width / _TICK_DISTANCE)))
    placed = [(across(value), text) for value, text in zip(ticks.values, ticks.labels, strict=True)]
    if frames.has_whole_positions(prepared):
        placed = [(across(value), format_count(value)) for value in ticks.values if value == int(value)]
    if prepared.position.counted:
        whole = [value for value in ticks.values if value >= 1 and value == int(value)]
        placed = [(across(value), format_count(value)) for value in whole]
    drawn = []
    if prepared.chart.kind in ("points", "line", "histogram"):
        drawn += [grid_line(x, frame.foot, x, frame.foot + 4, axis=True) for x, _ in placed]
    y = frame.foot + 6 + TICK_SIZE / 2
    return drawn + [caption(text, x, y, "middle") for x, text in placed]

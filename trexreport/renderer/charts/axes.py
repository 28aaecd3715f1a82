"""The axes of a static chart: hairlines, ticks, headings and levels to compare with."""

from __future__ import annotations

import math

from trexreport.numbers import format_count
from trexreport.renderer.charts.data import Prepared
from trexreport.renderer.charts.frame import (
    HEADING,
    LINE,
    Frame,
    Scale,
    category_room,
    labels_categories,
    levels_on,
    position_domain,
    reference_levels,
    value_domain,
    value_tick_count,
)
from trexreport.renderer.charts.markup import Element
from trexreport.renderer.charts.parts import dashed_line, grid_line, label
from trexreport.renderer.charts.slopes import slope_lines
from trexreport.renderer.charts.text import TICK_SIZE, clean, fit, text_width

_TICK_DISTANCE = 64.0


def scales(prepared: Prepared, frame: Frame) -> tuple[Scale, Scale]:
    """Return the horizontal and the vertical scale of a chart with an axis at its foot."""
    across = Scale(*position_domain(prepared), frame.left, frame.end, prepared.position.log)
    up = Scale(*value_domain(prepared), frame.foot, frame.top, prepared.value.log)
    return across, up


def draw_axes(prepared: Prepared, frame: Frame, across: Scale, up: Scale) -> list[Element]:
    """Draw what lies behind the data, and the words around them."""
    drawn = _value_axis(prepared, frame, up)
    if labels_categories(prepared):
        drawn += _category_labels(prepared, frame, across)
    else:
        drawn += _number_labels(prepared, frame, across)
    heading = prepared.position.heading
    if heading:
        y = frame.height - LINE * len(prepared.notes) - LINE / 2
        middle = frame.left + frame.plot_width / 2
        drawn.append(
            label(
                fit(heading, frame.plot_width, TICK_SIZE),
                middle,
                y,
                anchor="middle",
                muted=True,
                size=TICK_SIZE,
            )
        )
    return drawn


def draw_references(prepared: Prepared, frame: Frame, across: Scale, up: Scale) -> list[Element]:
    """Draw the levels to compare with over the data, and their labels beside them."""
    drawn: list[Element] = []
    for x, level, text, role in reference_levels(prepared, across):
        drawn.append(dashed_line(x, frame.top - 3, x, frame.foot, role))
        half = text_width(text, TICK_SIZE) / 2
        center = min(max(x, half), max(frame.width - half, half))
        drawn.append(
            label(text, center, frame.top - 10 - 14 * level, anchor="middle", muted=True, size=TICK_SIZE)
        )
    lowest = math.inf
    for value, line in levels_on(prepared, "y"):
        y = up(value)
        begin = frame.left if line.begin is None else across(line.begin)
        drawn.append(dashed_line(begin, y, frame.end, y, line.role))
        lowest = min(y, lowest - 13)
        text = fit(clean(line.label), 112.0, TICK_SIZE)
        drawn.append(label(text, frame.end + 6, lowest, muted=True, size=TICK_SIZE))
    for slope in slope_lines(prepared):
        x, y = across(slope.x2), up(slope.y2)
        drawn.append(dashed_line(across(slope.x1), up(slope.y1), x, y, slope.role))
        drawn.append(label(slope.label, x - 2, y - 9, anchor="end", muted=True, size=TICK_SIZE))
    return drawn


def _value_axis(prepared: Prepared, frame: Frame, up: Scale) -> list[Element]:
    ticks = up.ticks(value_tick_count(prepared))
    heights = [up(value) for value in ticks.values]
    drawn = [grid_line(frame.left, y, frame.end, y) for y in heights]
    drawn += [
        label(text, frame.left - 6, y, anchor="end", muted=True, size=TICK_SIZE)
        for y, text in zip(heights, ticks.labels, strict=True)
    ]
    zero = up(0.0) if up.low <= 0 <= up.high and not up.log else frame.foot
    drawn.append(grid_line(frame.left, zero, frame.end, zero, axis=True))
    if prepared.value.heading:
        top = up.end - HEADING + 8 - 14 * _levels(prepared, frame)
        drawn.append(
            label(fit(prepared.value.heading, frame.width, TICK_SIZE), 0, top, muted=True, size=TICK_SIZE)
        )
    return drawn


def _levels(prepared: Prepared, frame: Frame) -> int:
    across = Scale(*position_domain(prepared), frame.left, frame.end, prepared.position.log)
    return max((level + 1 for _, level, _, _ in reference_levels(prepared, across)), default=0)


def _number_labels(prepared: Prepared, frame: Frame, across: Scale) -> list[Element]:
    """Write numbers at the foot; of columns too many to be named, which one of them it is."""
    if prepared.categories:
        count = len(prepared.categories)
        across = Scale(0.5, count + 0.5, across.start, across.end)
    ticks = across.ticks(max(2, int(frame.plot_width / _TICK_DISTANCE)))
    placed = [(across(value), text) for value, text in zip(ticks.values, ticks.labels, strict=True)]
    if prepared.categories or prepared.position.counted:
        whole = [value for value in ticks.values if value >= 1 and value == int(value)]
        placed = [(across(value), format_count(value)) for value in whole]
    drawn = []
    if prepared.chart.kind in ("points", "line", "histogram"):
        drawn += [grid_line(x, frame.foot, x, frame.foot + 4, axis=True) for x, _ in placed]
    y = frame.foot + 6 + TICK_SIZE / 2
    return drawn + [label(text, x, y, anchor="middle", muted=True, size=TICK_SIZE) for x, text in placed]


def _category_labels(prepared: Prepared, frame: Frame, across: Scale) -> list[Element]:
    slanted, room = category_room(prepared, frame.plot_width)
    drawn = []
    for position, name in enumerate(prepared.categories):
        x, text = across(position), fit(name, room, TICK_SIZE)
        if slanted:
            drawn.append(
                label(text, x + 3, frame.foot + 9, anchor="end", muted=True, size=TICK_SIZE, turn=-40)
            )
        else:
            drawn.append(
                label(text, x, frame.foot + 6 + TICK_SIZE / 2, anchor="middle", muted=True, size=TICK_SIZE)
            )
    return drawn

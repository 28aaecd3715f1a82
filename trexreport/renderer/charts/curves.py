"""Static charts with an axis at the left and one at the foot: columns, histogram, line, points."""

from __future__ import annotations

from itertools import groupby

from trexreport.renderer import palette
from trexreport.renderer.charts.axes import draw_axes, draw_references, scales
from trexreport.renderer.charts.captions import place_captions, radius_of
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import Scale, column_gap, column_thickness, frame_of, legend
from trexreport.renderer.charts.markup import Element, circle, element, filled, path, rectangle
from trexreport.renderer.charts.parts import (
    Canvas,
    caption,
    draw_legend,
    draw_notes,
    grid_line,
    linked,
    spot,
    stroked,
)
from trexreport.renderer.charts.text import TICK_SIZE, clean

#: Beyond it a line has no hover of its own at each point: the points lie closer than a pointer can aim.
_MAX_LINE_TARGETS = 400
#: Beyond it points without links have no hover of their own.
_MAX_POINT_TARGETS = 400


def draw_curves(prepared: Prepared, canvas: Canvas) -> tuple[list[Element], float]:
    """Draw columns, a histogram, lines or points; return the drawing and its height."""
    frame = frame_of(prepared, canvas.width)
    across, up = scales(prepared, frame)
    # Lines and points are too thin for patterns.
    draw, sign = {
        "columns": (_columns, "area"),
        "histogram": (_histogram, "area"),
        "line": (_lines, "line"),
        "points": (_points, "point"),
    }[prepared.chart.kind]
    drawn = draw_legend(canvas, legend(prepared), sign=sign)
    drawn += draw_axes(prepared, frame, across, up)
    drawn.append(draw(prepared, canvas, across, up))
    drawn += draw_references(prepared, frame, across, up)
    drawn += draw_notes(prepared, frame.height)
    return drawn, frame.height


def _columns(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Element:
    step = across(across.low + column_gap(prepared)) - across(across.low)
    thickness = column_thickness(step)
    stacks = _stacks(prepared)
    if step < 1:
        # Columns overlap, so the tall ones go first: no short one disappears, and every tip stays in sight.
        stacks.sort(key=lambda stack: -max(abs(mark.base + mark.value) for mark in stack))
    drawn = []
    for stack in stacks:
        bars = []
        for mark in stack:
            if not mark.value and len(stack) > 1:
                continue
            top, foot = sorted((up(mark.base + mark.value), up(mark.base)))
            x = across(mark.position) - thickness / 2
            bars.append(rectangle(x, top, thickness, max(foot - top, 0.5), canvas.fill(mark.role)))
        hover = _stack_hover(prepared, stack) if len(stack) > 1 and not canvas.plain else ()
        drawn.append(linked(canvas, stack[0], *bars, hover=hover))
    crisp = "crispEdges" if step < 3 else None
    return element("g", *drawn, shape_rendering=crisp)


def _stacks(prepared: Prepared) -> list[list[Mark]]:
    """Return the columns, each with the marks that stand on one another in it, in the order of the data."""
    stacks: dict[tuple[float, str, str], list[Mark]] = {}
    for mark in prepared.marks:
        stacks.setdefault((mark.position, mark.item, mark.link), []).append(mark)
    return list(stacks.values())


def _stack_hover(prepared: Prepared, stack: list[Mark]) -> tuple[str, ...]:
    """Return one tooltip for a whole column: what it is, then its parts."""
    series = prepared.chart.series
    parts = (f"{clean(series[mark.series].name)} {mark.amount}".strip() for mark in stack)
    return tuple(line for line in (stack[0].item, stack[0].position_text, *parts) if line)


def _histogram(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Element:
    drawn = []
    for mark in prepared.marks:
        if not mark.value:
            # Nothing is drawn that a pointer could find.
            continue
        left, right = across(mark.position), across(mark.end)
        gap = 1.0 if right - left >= 4 else 0.0
        top, width = up(mark.value), max(right - left - gap, 0.5)
        bar = rectangle(left + gap / 2, top, width, max(0.0, up.start - top), canvas.fill(mark.role))
        drawn.append(linked(canvas, mark, bar))
    return element("g", *drawn)


def _lines(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Element:
    drawn = []
    for number, marks in groupby(prepared.marks, key=lambda mark: mark.series):
        series = prepared.chart.series[number]
        points = list(marks)
        color = palette.color(series.role)
        hidden = filled(color, 0.0)
        line = _line_path(points, across, up, step=series.step)
        drawn.append(stroked(line, color, 1.75, join="round"))
        if len(points) <= _MAX_LINE_TARGETS:
            for mark in points:
                target = circle(across(mark.position), up(mark.value), 5.0, hidden)
                drawn.append(linked(canvas, mark, target))
    return element("g", *drawn)


def _line_path(points: list[Mark], across: Scale, up: Scale, *, step: bool) -> str:
    """Join points whose indices follow each other; a value that was not measured leaves a gap."""
    parts: list[str | float] = []
    before: Mark | None = None
    for mark in points:
        x, y = across(mark.position), up(mark.value)
        if before is None or mark.index != before.index + 1:
            # Of no length, but with round ends: a point without neighbors is still seen.
            parts += ["M", x, y, "H", x]
        elif step:
            parts += ["H", x, "V", y]
        else:
            parts += ["L", x, y]
        before = mark
    return path(*parts)


def _points(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Element:
    if len(prepared.marks) > _MAX_POINT_TARGETS and not any(mark.link for mark in prepared.marks):
        return _cloud(prepared, across, up)
    captions = place_captions(prepared, across, up)
    drawn = _fronts(prepared, across, up)
    for each in captions:
        if each.is_joined:
            x, y, edge = across(each.mark.position), up(each.mark.value), TICK_SIZE / 2
            foot = y + each.y + (edge if each.y < 0 else -edge if each.y else 0)
            drawn.append(grid_line(x, y, x + each.x, foot, axis=True))
    for mark in prepared.marks:
        size = radius_of(prepared, mark)
        drawn.append(linked(canvas, mark, spot(across(mark.position), up(mark.value), size, mark.role, 0.8)))
    # Above all marks, so that none hides a text.
    for each in captions:
        x, y = across(each.mark.position) + each.x, up(each.mark.value) + each.y
        drawn.append(caption(each.mark.caption, x, y, anchor="middle"))
    return element("g", *drawn)


def _cloud(prepared: Prepared, across: Scale, up: Scale) -> Element:
    """Draw many points that lead nowhere as one path for each role: a tenth of the size of circles."""
    pixels: dict[str, set[tuple[int, int]]] = {}
    for mark in prepared.marks:
        pixels.setdefault(mark.role, set()).add((round(across(mark.position)), round(up(mark.value))))
    drawn = [stroked(dots(pixels[role]), palette.color(role), 4, opacity=0.6) for role in sorted(pixels)]
    return element("g", *_fronts(prepared, across, up), *drawn)


def _fronts(prepared: Prepared, across: Scale, up: Scale) -> list[Element]:
    """Return the lines that join the points of series with steps."""
    drawn = []
    for number, marks in groupby(prepared.marks, key=lambda mark: mark.series):
        series = prepared.chart.series[number]
        if not series.step:
            continue
        first, *others = marks
        parts: list[str | float] = ["M", across(first.position), up(first.value)]
        for mark in others:
            parts += ["V", up(mark.value), "H", across(mark.position)]
        drawn.append(stroked(path(*parts), palette.color(series.role), 1.5, join="round"))
    return drawn


def dots(pixels: set[tuple[int, int]]) -> str:
    """Write dots as lines of no length with round ends; dots that touch in a column become one line."""
    lines: list[tuple[int, int, int]] = []
    for x, y in sorted(pixels):
        if lines and (x, y) == (lines[-1][0], lines[-1][2] + 1):
            lines[-1] = (x, lines[-1][1], y)
        else:
            lines.append((x, y, y))
    ends = [(0, 0), *((x, foot) for x, _, foot in lines)]
    return "".join(
        # A minus separates numbers too.
        f"m{x - at_x} {top - at_y}v{foot - top}".replace(" -", "-")
        for (x, top, foot), (at_x, at_y) in zip(lines, ends, strict=False)
    )

"""Static charts with an axis at the left and one at the foot: columns, histogram, line, points."""

from __future__ import annotations

from itertools import groupby

from trexreport.renderer import palette
from trexreport.renderer.charts.axes import draw_axes, draw_references, scales
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import Scale, column_gap, column_thickness, frame_of, legend
from trexreport.renderer.charts.markup import Markup, element, path
from trexreport.renderer.charts.parts import Canvas, draw_legend, draw_notes, linked, rectangle

#: Beyond it a line has no hover of its own at each point: the points lie closer than a pointer can aim.
_MOST_LINE_TARGETS = 400
#: Beyond it points without links have no hover of their own.
_MOST_POINT_TARGETS = 400
_RADIUS = 3.5


def draw_curves(prepared: Prepared, canvas: Canvas) -> tuple[list[Markup], float]:
    """Draw columns, a histogram, lines or points; return the drawing and its height."""
    frame = frame_of(prepared, canvas.width)
    across, up = scales(prepared, frame)
    draw = {"columns": _columns, "histogram": _histogram, "line": _lines, "points": _points}[
        prepared.chart.kind
    ]
    # Lines and points are too thin for patterns.
    drawn = draw_legend(canvas, legend(prepared), plain=prepared.chart.kind in ("line", "points"))
    drawn += draw_axes(prepared, frame, across, up)
    drawn.append(draw(prepared, canvas, across, up))
    drawn += draw_references(prepared, frame, across, up)
    drawn += draw_notes(prepared, 0.0, frame.height)
    return drawn, frame.height


def _columns(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Markup:
    gap = 1.0 if prepared.categories else column_gap(prepared)
    step = abs(across(across.low + gap) - across(across.low)) if not across.log else 6.0
    thickness = column_thickness(step)
    marks = list(prepared.marks)
    if step < 1:
        # Columns overlap, so the tall ones go first: no short one disappears, and every tip stays in sight.
        marks.sort(key=lambda mark: (-abs(mark.base + mark.value), mark.series, mark.index))
    drawn = []
    for mark in marks:
        top, foot = sorted(
            (up(mark.base + mark.value), up(mark.base) if not up.log or mark.base else up.start)
        )
        x = across(mark.position) - thickness / 2
        bar = rectangle(x, top, thickness, max(foot - top, 0.5), canvas.fill(mark.role))
        drawn.append(linked(canvas, mark, bar))
    crisp = "crispEdges" if step < 3 else None
    return element("g", *drawn, shape_rendering=crisp)


def _histogram(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Markup:
    drawn = []
    for mark in prepared.marks:
        left, right = across(mark.position), across(mark.end)
        gap = 1.0 if right - left >= 4 else 0.0
        top = up(mark.value)
        bar = rectangle(
            left + gap / 2,
            top,
            max(right - left - gap, 0.5),
            max(0.0, up.start - top),
            canvas.fill(mark.role),
        )
        drawn.append(linked(canvas, mark, bar))
    return element("g", *drawn)


def _lines(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Markup:
    drawn = []
    for number, marks in groupby(prepared.marks, key=lambda mark: mark.series):
        series = prepared.chart.series[number]
        points = list(marks)
        colour = palette.colour(series.role)
        line = _line_path(points, across, up, step=series.step)
        drawn.append(
            element(
                "path",
                d=line,
                fill="none",
                stroke=colour,
                stroke_width=1.75,
                stroke_linejoin="round",
                stroke_linecap="round",
            )
        )
        if len(points) <= _MOST_LINE_TARGETS:
            for mark in points:
                spot = _dot(across(mark.position), up(mark.value), 5.0, colour, 0.0)
                drawn.append(linked(canvas, mark, spot))
    return element("g", *drawn)


def _line_path(points: list[Mark], across: Scale, up: Scale, *, step: bool) -> str:
    """Join points whose indices follow each other; a value that was not measured leaves a gap."""
    parts: list[str | float] = []
    before: Mark | None = None
    for mark in points:
        x, y = across(mark.position), up(mark.value)
        if before is None or mark.index != before.index + 1:
            # Of no length, but with round ends: a point without neighbours is still seen.
            parts += ["M", x, y, "H", x]
        elif step:
            parts += ["H", x, "V", y]
        else:
            parts += ["L", x, y]
        before = mark
    return path(*parts)


def _points(prepared: Prepared, canvas: Canvas, across: Scale, up: Scale) -> Markup:
    if len(prepared.marks) > _MOST_POINT_TARGETS and not any(mark.link for mark in prepared.marks):
        return _cloud(prepared, across, up)
    radius = _RADIUS if len(prepared.marks) <= 500 else 2.5
    drawn = []
    for mark in prepared.marks:
        spot = _dot(across(mark.position), up(mark.value), radius, palette.colour(mark.role), 0.8)
        drawn.append(linked(canvas, mark, spot))
    return element("g", *drawn)


def _cloud(prepared: Prepared, across: Scale, up: Scale) -> Markup:
    """Draw many points that lead nowhere as one path for each role: a tenth of the size of circles."""
    drawn = []
    for role, marks in groupby(
        sorted(prepared.marks, key=lambda mark: mark.role), key=lambda mark: mark.role
    ):
        # Of no length, but with round ends: dots. Whole pixels are enough and take half the space.
        dots = "".join(f"M{across(mark.position):.0f} {up(mark.value):.0f}h0" for mark in marks)
        stroke = palette.colour(role)
        drawn.append(
            element(
                "path",
                d=dots,
                fill="none",
                stroke=stroke,
                stroke_width=4,
                stroke_linecap="round",
                stroke_opacity=0.6,
            )
        )
    return element("g", *drawn)


def _dot(x: float, y: float, radius: float, colour: str, opacity: float) -> Markup:
    return element("circle", cx=x, cy=y, r=radius, fill=colour, fill_opacity=opacity)

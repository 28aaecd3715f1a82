"""What every static chart is put together from: texts, marks with hover and links, legends, patterns."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import lru_cache

from trexreport.renderer import palette
from trexreport.renderer.charts import markup
from trexreport.renderer.charts.data import Mark, Prepared
from trexreport.renderer.charts.frame import LEGEND_ROW, LINE, LegendEntry, legend_rows
from trexreport.renderer.charts.text import LABEL_SIZE, TICK_SIZE, fit

#: With more links than this a keyboard would be lost in a chart; the table offers the same links.
MAX_TAB_STOPS = 25
_LIGHT = palette.LIGHT
#: Looks of hairlines.
_AXIS = (("class", "chart-axis"), ("stroke", _LIGHT.axis))
_GRID = (("class", "chart-grid"), ("stroke", _LIGHT.grid))
_PATTERN_SIZE = 6.0
#: Lines on a tile of that size; slanted ones go on beyond its corners, as its neighbors cut them off there.
_STROKES = {
    "diagonal": "M 0 6 L 6 0 M -1 1 L 1 -1 M 5 7 L 7 5",
    "backslash": "M 0 0 L 6 6 M -1 5 L 1 7 M 5 -1 L 7 1",
    "horizontal": "M 0 3 H 6",
    "vertical": "M 3 0 V 6",
    "cross": "M 0 3 H 6 M 3 0 V 6",
}
#: Corners around a center, of areas as large as that of a circle of radius 1.
_SHAPES = {
    "square": ((-0.886, -0.886), (0.886, -0.886), (0.886, 0.886), (-0.886, 0.886)),
    "diamond": ((0, -1.253), (1.253, 0), (0, 1.253), (-1.253, 0)),
    "triangle-up": ((0, -1.555), (1.347, 0.778), (-1.347, 0.778)),
    "triangle-down": ((0, 1.555), (1.347, -0.778), (-1.347, -0.778)),
    "cross": (
        *((-0.396, -1.189), (0.396, -1.189), (0.396, -0.396), (1.189, -0.396)),
        *((1.189, 0.396), (0.396, 0.396), (0.396, 1.189), (-0.396, 1.189)),
        *((-0.396, 0.396), (-1.189, 0.396), (-1.189, -0.396), (-0.396, -0.396)),
    ),
}


@dataclass
class Canvas:
    """What a drawing needs to know of its surroundings, and the patterns that it turned out to use.

    Attributes:
        plain: Marks have neither links nor hover texts, as those of a drawing for fingers.
    """

    width: float
    identity: str
    patterns: bool = False
    tab_stops: bool = True
    plain: bool = False
    used: dict[str, str] = field(default_factory=dict)

    def fill(self, role: str) -> str:
        """Return what a mark is filled with: a color, or a pattern of that color."""
        name = palette.pattern(role) if self.patterns else ""
        if not name:
            return palette.color(role)
        key = f"{self.identity}-{name}-{palette.color(role)[1:]}"
        self.used[key] = role
        return f"url(#{key})"

    def definitions(self) -> markup.Element | None:
        """Draw the patterns that were used."""
        drawn = [_pattern(key, role) for key, role in sorted(self.used.items())]
        return markup.element("defs", *drawn) if drawn else None


def identity(key: str) -> str:
    """Return the id of a chart: safe in an attribute and in a reference to it."""
    return "chart-" + (re.sub(r"[^A-Za-z0-9_-]+", "-", key[:80]).strip("-") or "unnamed")


def label(
    text: str, x: float, y: float, *, anchor: str | None = None, muted: bool = False, size: float = LABEL_SIZE
) -> markup.Element:
    """Write a text whose middle height is at `y`."""
    own = f' x="{markup.coordinate(x)}" y="{markup.coordinate(y + 0.35 * size)}"'
    return markup.Element("text", own, _text_look(anchor, muted, size), (markup.words(text),) if text else ())


@lru_cache(maxsize=64)
def _text_look(anchor: str | None, muted: bool, size: float) -> markup.Look:
    """Return the look of a text, in the order of `INHERITED`."""
    look = [("class", "chart-text-muted" if muted else "chart-text")]
    look.append(("fill", _LIGHT.muted if muted else _LIGHT.text))
    if size != LABEL_SIZE:
        look.append(("font-size", markup.coordinate(size)))
    if anchor:
        look.append(("text-anchor", markup.text_value(anchor)))
    return tuple(look)


def caption(text: str, x: float, y: float, anchor: str | None = None) -> markup.Element:
    """Write a small text in gray, such as the number at a tick."""
    return label(text, x, y, anchor=anchor, muted=True, size=TICK_SIZE)


def stroked(
    d: str, stroke: str, width: float, opacity: float | None = None, join: str | None = None
) -> markup.Element:
    """Draw a line along a path, with round ends."""
    return markup.element(
        "path",
        d=d,
        fill="none",
        stroke=stroke,
        stroke_width=width,
        stroke_linejoin=join,
        stroke_linecap="round",
        stroke_opacity=opacity,
    )


def on_mark(text: str, x: float, y: float, role: str, *, size: float = TICK_SIZE) -> markup.Element:
    """Write a text onto a mark; its color depends on the mark, not on the page."""
    own = f' x="{markup.coordinate(x)}" y="{markup.coordinate(y + 0.35 * size)}"'
    ink = markup.text_value(palette.ink_on(palette.color(role)))
    return markup.Element(
        "text", own, (("fill", ink), ("font-size", markup.coordinate(size))), (markup.words(text),)
    )


def linked(
    canvas: Canvas, mark: Mark, *shapes: markup.Element, hover: tuple[str, ...] = ()
) -> markup.Element:
    """Give shapes the hover text of a mark or of their own, and its link if it has one."""
    if canvas.plain:
        return shapes[0] if len(shapes) == 1 else markup.element("g", *shapes)
    title = markup.hover_text(*(hover or mark.hover))
    if mark.link:
        return markup.link_to(mark.link, title, *shapes, in_order=canvas.tab_stops)
    if len(shapes) == 1:
        shape = shapes[0]
        return markup.Element(shape.name, shape.own, shape.look, (title, *shape.children))
    return markup.Element("g", children=(title, *shapes))


def grid_line(x1: float, y1: float, x2: float, y2: float, *, axis: bool = False) -> markup.Element:
    """Draw a hairline."""
    return markup.line(x1, y1, x2, y2, _AXIS if axis else _GRID)


def dashed_line(x1: float, y1: float, x2: float, y2: float, role: str) -> markup.Element:
    """Draw a level to compare with."""
    look = (("stroke", markup.text_value(palette.color(role))), ("stroke-dasharray", "4 3"))
    return markup.line(x1, y1, x2, y2, look)


def spot(x: float, y: float, radius: float, role: str, opacity: float | None = None) -> markup.Element:
    """Draw a point: a circle, or another shape of equal area that identifies the role without color."""
    around, look = corners(role), markup.filled(palette.color(role), opacity)
    if not around:
        return markup.circle(x, y, radius, look)
    places = [place for across, up in around for place in (x + radius * across, y + radius * up)]
    return markup.Element("path", f' d="{markup.path("M", *places, "Z")}"', look)


def corners(role: str) -> tuple[tuple[float, float], ...]:
    """Return the corners of a point around its center, as large as a circle of radius 1; none of a circle."""
    return _SHAPES.get(palette.shape(role), ())


def draw_legend(
    canvas: Canvas, entries: tuple[LegendEntry, ...], *, sign: str = "area"
) -> list[markup.Element]:
    """Draw small signs with names from the upper left, as of an "area", a "line" or a "point"."""
    drawn = []
    for number, row in enumerate(legend_rows(entries, canvas.width)):
        middle = number * LEGEND_ROW + 8
        for x, entry in row:
            if sign == "point":
                drawn.append(spot(x + 5, middle, 4.0, entry.role))
            else:
                fill = canvas.fill(entry.role) if sign == "area" else palette.color(entry.role)
                drawn.append(markup.rectangle(x, middle - 5, 10, 10, fill))
            drawn.append(label(fit(entry.name, 200, TICK_SIZE), x + 15, middle, size=TICK_SIZE))
    return drawn


def draw_notes(prepared: Prepared, height: float) -> list[markup.Element]:
    """Say at the foot of a chart what is missing in it."""
    first = height - LINE * len(prepared.notes) + LINE / 2
    return [caption(f"{note}.", 0, first + LINE * number) for number, note in enumerate(prepared.notes)]


def _pattern(key: str, role: str) -> markup.Element:
    """Draw a tile in the color of a role with lines or dots of its ink."""
    fill, size = palette.color(role), _PATTERN_SIZE
    ink, stroke = palette.ink_on(fill), _STROKES.get(palette.pattern(role))
    figure = (
        markup.element("path", d=stroke, stroke=ink, stroke_width=1.0, stroke_opacity=0.4, fill="none")
        if stroke
        else markup.element("circle", cx=size / 2, cy=size / 2, r=1.2, fill=ink, fill_opacity=0.5)
    )
    tile = markup.rectangle(0, 0, size, size, fill)
    return markup.element(
        "pattern", tile, figure, id=key, width=size, height=size, patternUnits="userSpaceOnUse"
    )

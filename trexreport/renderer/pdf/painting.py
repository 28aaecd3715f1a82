"""Paint the drawings of this package into a PDF.

They are SVG of a few elements and attributes, placed by translations. WeasyPrint could draw any SVG, but
sets texts letter by letter and looks at fifty properties of each element: the graph of 1,300 layers took 3.4
of 7.8 seconds. So it gets what it takes for an image, which writes to the page by itself. A drawing with
anything else in it is left to WeasyPrint.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any
from xml.etree import ElementTree as ET

from trexreport.regex import regex
from trexreport.renderer.pdf.glyphs import Glyphs, Run, leave_to_weasyprint, show_runs
from trexreport.renderer.pdf.shapes import NUMBER, PATH, SHAPES, Shape

_SVG = "{http://www.w3.org/2000/svg}"
_COLOR = "#[0-9a-fA-F]{6}|none"
#: What each attribute may be that is looked at.
_VALUES = {
    **dict.fromkeys(("x", "y", "width", "height", "rx", "cx", "cy", "r", "x1", "y1", "x2", "y2"), NUMBER),
    **dict.fromkeys(("font-size", "font-weight", "stroke-width", "fill-opacity", "stroke-opacity"), NUMBER),
    **dict.fromkeys(("fill", "stroke"), _COLOR),
    "d": PATH,
    "font-family": ".*",
    "stroke-dasharray": rf"none|{NUMBER}(?:[\s,]+{NUMBER})*",
    "stroke-linecap": "butt|round|square",
    "stroke-linejoin": "miter|round|bevel",
    "text-anchor": "start|middle|end",
    "transform": rf"translate\({NUMBER}[ ,]{NUMBER}\)",
    "viewBox": rf"{NUMBER}(?: {NUMBER}){{3}}",
}
#: What changes nothing on paper.
_IDLE = regex(
    r"(?:aria|data)-.*|class|font-variant|href|id|pointer-events|role|shape-rendering|tabindex", re.DOTALL
)
_GROUPS, _WORDS = ("svg", "g", "a"), ("title", "desc")
_SPACES = regex("[ \t\n\r]+")
#: What children take from their parents, with the values of SVG.
_INHERITED = {
    "fill": "#000000",
    "fill-opacity": "1",
    "font-family": "sans-serif",
    "font-size": "16",
    "font-weight": "400",
    "stroke": "none",
    "stroke-dasharray": "none",
    "stroke-linecap": "butt",
    "stroke-linejoin": "miter",
    "stroke-opacity": "1",
    "stroke-width": "1",
    "text-anchor": "start",
}
_CAPS, _JOINS = ("butt", "round", "square"), ("miter", "round", "bevel")


class Painting:
    """A drawing as WeasyPrint knows images: with a size, and a method that draws it."""

    def __init__(self, root: ET.Element, pens: Pens) -> None:
        self._root = root
        self._pens = pens

    def get_intrinsic_size(self, _resolution: object, _font_size: object) -> tuple[float, float, float]:
        """Return width and height in pixels, and their ratio."""
        width, height = (float(self._root.get(name, "")) for name in ("width", "height"))
        return width, height, width / height

    def draw(self, stream: Any, width: float, height: float, _style: object) -> None:
        """Draw it at the place where the stream is, as large as given and no wider than its ratio has it."""
        left, top, wide, high = map(float, self._root.get("viewBox", "").split())
        scale = min(width / wide, height / high)
        stream.push_state()
        stream.transform(
            a=scale,
            d=scale,
            e=(width - wide * scale) / 2 - left * scale,
            f=(height - high * scale) / 2 - top * scale,
        )
        _Brush(stream, self._pens).paint(self._root, (0.0, 0.0), _INHERITED)
        stream.pop_state()


def painting_of(svg: str, pens: Pens) -> Painting | None:
    """Return a drawing as an image; None if something in it is not known here.

    Args:
        svg: The drawing.
        pens: Of the document.
    """
    try:
        root = ET.fromstring(svg)  # noqa: S314 - our own drawing
    except ET.ParseError:
        return None
    is_known = root.tag == f"{_SVG}svg" and all(map(_is_known, root.iter()))
    has_size = all(float(root.get(name, "0")) > 0 for name in ("width", "height")) if is_known else False
    areas = [float(each) for each in root.get("viewBox", "0 0 0 0").split()[2:]] if has_size else [0.0]
    return Painting(root, pens) if min(areas) > 0 else None


def _is_known(element: ET.Element) -> bool:
    name = element.tag.removeprefix(_SVG)
    if name in _WORDS:
        return not len(element)
    is_shape = name in SHAPES or name == "text"
    if not (name in _GROUPS or (is_shape and not len(element))):
        return False
    return all(
        _expression(key).fullmatch(value) is not None if key in _VALUES else _IDLE.fullmatch(key) is not None
        for key, value in element.items()
    )


@cache
def _expression(attribute: str) -> re.Pattern[str]:
    return re.compile(_VALUES[attribute], re.ASCII | re.DOTALL)


class _Brush:
    """Writes elements to a stream, and of their styles only what changes."""

    def __init__(self, stream: Any, pens: Pens) -> None:
        self._stream = stream
        self._pens = pens
        self._lines: tuple[str, ...] = ()

    def paint(self, element: ET.Element, place: tuple[float, float], style: Mapping[str, str]) -> None:
        """Paint an element and those in it.

        Args:
            element: Of a drawing that is known.
            place: Where its coordinates begin.
            style: The values that it inherits.
        """
        own = {key: value for key, value in element.items() if key in _INHERITED}
        style = {**style, **own} if own else style
        x, y = place
        moved = element.get("transform")
        if moved:
            right, down = re.findall(NUMBER, moved)
            x, y = x + float(right), y + float(down)
        name = element.tag.removeprefix(_SVG)
        if name == "text":
            self._set_text(element, x, y, style)
        elif name in SHAPES:
            self._draw(SHAPES[name], element, x, y, style)
        elif name in _GROUPS:
            for child in element:
                self.paint(child, (x, y), style)

    def _draw(self, shape: Shape, element: ET.Element, x: float, y: float, style: Mapping[str, str]) -> None:
        has_fill = style["fill"] != "none"
        has_stroke = style["stroke"] != "none" and float(style["stroke-width"]) > 0
        if not (has_fill or has_stroke):
            return
        stream = self._stream
        if has_fill:
            stream.set_color(_color(style["fill"], style["fill-opacity"]))
        if has_stroke:
            self._set_lines(style)
        shape(stream, element, x, y)
        if has_fill and has_stroke:
            stream.fill_and_stroke()
        elif has_fill:
            stream.fill()
        else:
            stream.stroke()

    def _set_lines(self, style: Mapping[str, str]) -> None:
        stream = self._stream
        stream.set_color(_color(style["stroke"], style["stroke-opacity"]), stroke=True)
        lines = tuple(
            style[each] for each in ("stroke-width", "stroke-dasharray", "stroke-linecap", "stroke-linejoin")
        )
        if lines == self._lines:
            return
        self._lines = lines
        width, dashes, cap, join = lines
        stream.set_line_width(float(width))
        stream.set_dash([float(each) for each in re.findall(NUMBER, dashes)], 0)
        stream.set_line_cap(_CAPS.index(cap))
        stream.set_line_join(_JOINS.index(join))

    def _set_text(self, element: ET.Element, x: float, y: float, style: Mapping[str, str]) -> None:
        text = _SPACES.sub(" ", element.text or "").strip(" ")
        if not text or style["fill"] == "none":
            return
        line = self._pens.line(style["font-family"], style["font-size"], style["font-weight"])
        width = line.width_of(text)
        before = {"start": 0.0, "middle": 0.5, "end": 1.0}[style["text-anchor"]]
        x += float(element.get("x", "0")) - width * before
        y += float(element.get("y", "0"))
        self._stream.set_color(_color(style["fill"], style["fill-opacity"]))
        line.show(self._stream, text, x, y, self._pens.glyphs)


class _Line:
    """A line of text of one font, as WeasyPrint's functions expect it, and the texts that it had.

    Half of the texts of a graph are those of others, such as types and precisions.
    """

    def __init__(self, fonts: Any, family: str, size: str, weight: str) -> None:
        from weasyprint.css.properties import INITIAL_VALUES
        from weasyprint.text.line_break import Layout

        class Style(dict[str, Any]):
            """Computed values, and the fonts that there are."""

            font_config = fonts

        families = [each.strip().strip("'\"") for each in family.split(",")]
        self.style = Style(
            INITIAL_VALUES, font_family=families, font_size=float(size), font_weight=int(float(weight))
        )
        self.pango_layout = Layout(self.style)
        self.text = ""
        self._widths: dict[str, float] = {}
        self._runs: dict[str, list[Run] | None] = {}

    def width_of(self, text: str) -> float:
        """Return the width of a text."""
        if text not in self._widths:
            from weasyprint.text.line_break import line_size

            self._set(text)
            first, _ = self.pango_layout.get_first_line()
            self._widths[text] = float(line_size(first, self.style)[0])
        return self._widths[text]

    def show(self, stream: Any, text: str, x: float, y: float, glyphs: Glyphs) -> None:
        """Write a text that begins at x and whose baseline is y."""
        if text not in self._runs:
            self._set(text)
            self._runs[text] = glyphs.runs(stream, self)
        runs = self._runs[text]
        if runs is None:
            self._set(text)
            leave_to_weasyprint(stream, self, x, y)
        else:
            show_runs(stream, runs, x, y)

    def _set(self, text: str) -> None:
        if text != self.text:
            self.text = text
            self.pango_layout.set_text(text)


class Pens:
    """What the texts of a document are set with, once for each font.

    Args:
        fonts: WeasyPrint's FontConfiguration.
    """

    def __init__(self, fonts: Any) -> None:
        self._fonts = fonts
        self._lines: dict[tuple[str, str, str], _Line] = {}
        self.glyphs = Glyphs()

    def line(self, family: str, size: str, weight: str) -> _Line:
        """Return the line of a font."""
        key = family, size, weight
        if key not in self._lines:
            self._lines[key] = _Line(self._fonts, *key)
        return self._lines[key]


@lru_cache(maxsize=1024)
def _color(written: str, opacity: str) -> Any:
    from tinycss2.color5 import parse_color

    color = parse_color(written)
    color.alpha = float(opacity)
    return color

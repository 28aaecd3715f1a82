"""Draw the arrows of a graph: routes with rounded corners, heads, and texts beside them."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable
from itertools import pairwise

from trexreport.analyzer.analysis import Analysis, TensorFacts
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.charts.text import text_width
from trexreport.renderer.graph.layout.interface import Layout, Point
from trexreport.renderer.graph.legend import Legend
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Arrow, Picture
from trexreport.renderer.graph.streams import SIGNALED
from trexreport.renderer.graph.svg_text import fitted, number, shape, tensor_lines, title
from trexreport.renderer.palette import LIGHT, color

_CORNER = 6.0
#: How far texts beside arrows reach out of a drawing of a page, in pixels.
_REACH_IN_PAGE = 16.0
_ARROW_LENGTH = 6.0
_LABEL_TEXT, _LABEL_HEIGHT, _WIDEST_LABEL, _CELL = 9.5, 12.0, 400.0, 64.0

Area = tuple[float, float, float, float]


@dataclass(frozen=True)
class Labels:
    """Texts beside arrows.

    Attributes:
        placed: The left end of the foot of each, and the text, escaped.
        left_out: How many found no room.
        before, beyond: How far they reach out of the layout to the left and to the right, in pixels.
    """

    placed: tuple[tuple[Point, str], ...] = ()
    left_out: int = 0
    before: float = 0.0
    beyond: float = 0.0


class Routes:
    """The routes of a layout as they are drawn, and the places of texts beside them; found once for each.

    A site has many captures of one model, and all are laid out alike.
    """

    def __init__(self, layout: Layout) -> None:
        self.layout = layout
        self._drawn: dict[str, tuple[str, str]] = {}
        self._places: tuple[tuple[float, ...], tuple[Point | None, ...]] | None = None

    def drawn(self, key: str) -> tuple[str, str]:
        """Return the paths of the line and of the head of an arrow."""
        if key not in self._drawn:
            route = self.layout.routes[key]
            self._drawn[key] = _path(route), _head(route)
        return self._drawn[key]

    def places(
        self, widths: tuple[float, ...], boxes: Iterable[Area], reach: float = math.inf
    ) -> tuple[Point | None, ...]:
        """Return the left end of the foot of each text; None where there is no room.

        Args:
            widths: Of the text beside each arrow, in pixels; negative for no text.
            boxes: What the layout places.
            reach: How far a text may reach out of the layout, in pixels.
        """
        known = self._places
        if known is None or known[0] != (*widths, reach):
            taken = _Taken(-reach, self.layout.width + reach)
            for box in boxes:
                taken.add(box)
            found = [
                taken.find(self.layout.routes.get(str(key), ()), width) if width >= 0 else None
                for key, width in enumerate(widths)
            ]
            self._places = known = (*widths, reach), tuple(found)
        return known[1]


class EdgeRenderer:
    """Writes the SVG of arrows and notes in the legend which marks it used."""

    def __init__(self, analysis: Analysis, routes: Routes, options: DrawOptions, legend: Legend) -> None:
        self._analysis = analysis
        self._tensors = analysis.tensors
        self._routes = routes
        self._options = options
        self._legend = legend
        #: Of each arrow what no layout changes: its beginning, and how line and head are drawn.
        self._looks: dict[str, tuple[str, str, str]] = {}
        #: Of each arrow the text beside it, how wide it is in pixels, and the text as it is drawn.
        self._texts: dict[int, tuple[str, float, str]] = {}

    def placed(self, routes: Routes) -> EdgeRenderer:
        """Return what draws the same arrows in another layout."""
        other = EdgeRenderer(self._analysis, routes, self._options, self._legend)
        other._looks, other._texts = self._looks, self._texts
        return other

    def draw_all(
        self, arrows: Iterable[Arrow], signaled: Collection[tuple[str, str]], waits: Iterable[str]
    ) -> str:
        """Return all arrows.

        Args:
            arrows: Those of tensors; their numbers are the keys of their routes.
            signaled: Boxes of which the second waits for a signal of the first.
            waits: What the tooltip of each link between streams says; its key is "wait" and its number.
        """
        drawn = [
            self._draw(str(number), arrow, signaled=(arrow.source, arrow.target) in signaled)
            for number, arrow in enumerate(arrows)
        ]
        drawn += [self._draw_wait(f"wait {number}", words) for number, words in enumerate(waits)]
        return "".join(drawn)

    def _draw(self, key: str, arrow: Arrow, *, signaled: bool) -> str:
        """Return the arrow of a tensor; `signaled` if a stream waits for a signal before reading it."""
        line, end = self._routes.drawn(key)
        if key not in self._looks:
            self._looks[key] = self._look(arrow, signaled=signaled)
        begin, dash, head = self._looks[key]
        return f'{begin}<path d="{line}"{dash}/><path d="{end}" {head}/></g>'

    def _look(self, arrow: Arrow, *, signaled: bool) -> tuple[str, str, str]:
        tensor = self._tensors[arrow.tensor]
        shade = color(f"precision:{tensor.data_type}")
        self._legend.add_precision(tensor.data_type)
        dash = ""
        if arrow.back:
            dash = ' stroke-dasharray="5 3"'
            self._legend.add("back")
        lines = tensor_lines(tensor)
        if arrow.count > 1:
            lines = (f"{arrow.count} tensors, the first of them:", *lines)
        head = f'fill="{shade}" stroke="none"'
        if signaled:
            lines = (*lines, SIGNALED)
            head = f'fill="{LIGHT.page}" stroke-width="1"'
            self._legend.add("signal")
        return f'<g class="edge" data-tensor="{arrow.tensor}" stroke="{shade}">{title(*lines)}', dash, head

    def _draw_wait(self, key: str, words: str) -> str:
        """Return the link from a layer to one that waits for it on another stream."""
        line, end = self._routes.drawn(key)
        self._legend.add("sync")
        return (
            f'<g class="sync" stroke="{LIGHT.muted}">{title(words)}<path d="{line}" '
            f'stroke-dasharray="1.5 3"/><path d="{end}" fill="{LIGHT.page}" stroke-width="1"/></g>'
        )

    def labels(self, picture: Picture, boxes: Iterable[Area]) -> Labels:
        """Return the texts beside the arrows, as far as there is room.

        A page has tooltips too: there they do not make a drawing wider, and so smaller in a small window.
        """
        if not self._options.edge_text:
            return Labels()
        texts = self.texts(picture)
        widths = tuple([width if words else -1.0 for words, width, _ in texts])
        reach = math.inf if self._options.standalone else _REACH_IN_PAGE
        places = self._routes.places(widths, boxes, reach)
        placed, left_out, before, beyond = [], 0, 0.0, 0.0
        for place, (words, width, drawn) in zip(places, texts, strict=True):
            if place is None:
                left_out += bool(words)
                continue
            before, beyond = max(before, -place[0]), max(beyond, place[0] + width - self._routes.layout.width)
            placed.append((place, drawn))
        return Labels(tuple(placed), left_out, before, beyond)

    def texts(self, picture: Picture) -> list[tuple[str, float, str]]:
        """Return the text beside each arrow, how wide it is in pixels, and as it is drawn."""
        if not self._options.edge_text:
            return []
        for key, arrow in enumerate(picture.arrows):
            if key not in self._texts:
                self._texts[key] = self._text(arrow)
        return [self._texts[key] for key in range(len(picture.arrows))]

    def draw_labels(self, labels: Labels) -> str:
        """Return the texts beside the arrows."""
        if not self._options.edge_text:
            return ""
        parts = [f'<text x="{number(x)}" y="{number(y)}">{drawn}</text>' for (x, y), drawn in labels.placed]
        style = (
            f'font-size="9.5" fill="{LIGHT.text}" stroke="{LIGHT.page}" stroke-width="3" paint-order="stroke"'
        )
        return f'<g class="edge-texts" {style}>{"".join(parts)}</g>'

    def _text(self, arrow: Arrow) -> tuple[str, float, str]:
        # What is true of the first of several tensors only is left to the tooltip.
        words = self._label(self._tensors[arrow.tensor]) if arrow.count == 1 else ""
        width = min(text_width(words, _LABEL_TEXT), _WIDEST_LABEL)
        return words, width, fitted(words, _WIDEST_LABEL, _LABEL_TEXT)

    def _label(self, tensor: TensorFacts) -> str:
        chosen = {"shape": shape(tensor), "format": tensor.format}
        return " ".join(chosen[name] for name in self._options.edge_text if chosen.get(name))


class _Taken:
    """Areas where no text may go, by the cells of a grid."""

    def __init__(self, left: float = -math.inf, right: float = math.inf) -> None:
        self._left, self._right = left, right
        self._cells: dict[tuple[int, int], list[Area]] = {}

    def add(self, area: Area) -> None:
        for cell in self._around(area):
            self._cells.setdefault(cell, []).append(area)

    def find(self, route: tuple[Point, ...], width: float) -> Point | None:
        """Return the left end of the foot of a text beside a route, and take that place."""
        for (x, y), (to_x, to_y) in sorted(
            pairwise(route), key=lambda piece: -abs(piece[0][1] - piece[1][1])
        ):
            for part in (0.5, 0.3, 0.7):
                middle = x + (to_x - x) * part, y + (to_y - y) * part
                for left in (middle[0] + 4, middle[0] - 4 - width):
                    area = left, middle[1] - _LABEL_HEIGHT / 2, left + width, middle[1] + _LABEL_HEIGHT / 2
                    if self._left <= left and left + width <= self._right and not self._is_taken(area):
                        self.add(area)
                        return left, middle[1] + 3.5
        return None

    def _is_taken(self, area: Area) -> bool:
        return any(
            area[0] < other[2] and other[0] < area[2] and area[1] < other[3] and other[1] < area[3]
            for cell in self._around(area)
            for other in self._cells.get(cell, ())
        )

    @staticmethod
    def _around(area: Area) -> list[tuple[int, int]]:
        left, top, right, bottom = (int(value // _CELL) for value in area)
        return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]


def _path(route: tuple[Point, ...]) -> str:
    """Return straight pieces with rounded corners; the last piece stops where the arrow's head begins."""
    points = [*route[:-1], _toward(route[-1], route[-2], _ARROW_LENGTH - 1)]
    parts = [f"M{number(points[0][0])} {number(points[0][1])}"]
    for before, corner, after in zip(points, points[1:], points[2:], strict=False):
        enter, leave = _toward(corner, before, _CORNER), _toward(corner, after, _CORNER)
        bend = f"Q{number(corner[0])} {number(corner[1])} {number(leave[0])} {number(leave[1])}"
        parts.append(f"L{number(enter[0])} {number(enter[1])}{bend}")
    parts.append(f"L{number(points[-1][0])} {number(points[-1][1])}")
    return "".join(parts)


def _toward(start: Point, end: Point, distance: float) -> Point:
    """Return the point at this distance from the start on the way to the end, at most half of the way."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    part = min(distance / length, 0.5)
    return (start[0] + dx * part, start[1] + dy * part)


def _head(route: tuple[Point, ...]) -> str:
    """Return the triangle at the end of a route."""
    (x, y), before = route[-1], route[-2]
    dx, dy = x - before[0], y - before[1]
    length = max((dx * dx + dy * dy) ** 0.5, 1e-9)
    ux, uy = dx / length, dy / length
    back = (x - ux * _ARROW_LENGTH, y - uy * _ARROW_LENGTH)
    left = (back[0] - uy * 3, back[1] + ux * 3)
    right = (back[0] + uy * 3, back[1] - ux * 3)
    corners = " ".join(f"{number(px)} {number(py)}" for px, py in (left, right))
    return f"M{number(x)} {number(y)}L{corners}Z"

"""Draw the graph of an engine as SVG that works alone: searchable text, titles for hover, links, a legend."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import replace
from html import unescape
from typing import Any, TypeVar

from trexreport import __version__
from trexreport.analyzer.analysis import Analysis
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.laid_out import layouts_of
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point
from trexreport.renderer.graph.layout.reflow import Proportions
from trexreport.renderer.graph.legend import Legend
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Picture, size_of
from trexreport.renderer.graph.streams import synchronized_boxes, unpaired_waits, waiting_boxes
from trexreport.renderer.graph.svg_edges import Area, EdgeRenderer, Labels
from trexreport.renderer.graph.svg_nodes import NodeRenderer, extra_lines
from trexreport.renderer.graph.svg_text import number, svg_document, title
from trexreport.renderer.palette import LIGHT

_Item = TypeVar("_Item", str, tuple[str, str])
_MARGIN = 16.0
#: A legend is as wide as the drawing within these bounds, so that it can be read in one view.
_NARROWEST_LEGEND, _WIDEST_LEGEND = 560.0, 1200.0
_NOTHING = "No graph: no layer has inputs or outputs."


@dataclass(frozen=True)
class Drawing:
    """A drawn graph, and what to say about it.

    Attributes:
        svg: The whole picture, or empty if there is nothing to draw.
        colors: What the colors of its layers mean, and the colors; the most frequent first.
        precisions: Data types of its tensors; the most frequent first.
        marks: What else occurs in it, as `explained` takes it.
        notes: Sentences about the layout and about what was left out.
    """

    svg: str
    width: float
    height: float
    colors: tuple[tuple[str, str], ...]
    precisions: tuple[str, ...]
    marks: tuple[str, ...]
    notes: tuple[str, ...]


def draw_graph(analysis: Analysis, options: DrawOptions | None = None) -> Drawing:
    """Draw layers and the tensors between them, or a part of an engine as the options say."""
    options = options or DrawOptions()
    return GraphDrawer(analysis, options).draw(options.columns)


class GraphDrawer:
    """Draws one graph, once or in several proportions: what boxes and arrows look like is found out once.

    Args:
        analysis: Of the engine.
        options: How it is drawn; the columns are given for each drawing.
    """

    def __init__(self, analysis: Analysis, options: DrawOptions) -> None:
        self._analysis = analysis
        self._options = options
        self._picture = picture = compose(analysis, options.part)
        synchronized = synchronized_boxes(analysis, picture)
        waits = waiting_boxes(synchronized, picture)
        self._sizes = {box.key: size_of(box, extra_lines(options)) for box in picture.boxes}
        nodes = [Node(key, *size) for key, size in self._sizes.items()]
        edges = [
            Edge(str(i), arrow.source, arrow.target, arrow.back) for i, arrow in enumerate(picture.arrows)
        ]
        edges += [Edge(f"wait {i}", *pair) for i, pair in enumerate(waits)]
        self._edges = edges
        self._layouts = layouts_of(tuple(nodes), tuple(edges), options.engine)
        self._legend = Legend()
        self._node_renderer = NodeRenderer(analysis, options, self._legend)
        self._edge_renderer = EdgeRenderer(analysis, self._layouts.routes(), options, self._legend)
        self._signaled = set(synchronized)
        self._words_of_waits = [_words_of_wait(analysis, *pair) for pair in waits]

    def draw(self, columns: Proportions | None) -> Drawing:
        """Return the drawing from top to bottom, or in columns of these proportions."""
        analysis, options, picture = self._analysis, self._options, self._picture
        routes = self._layouts.routes(columns)
        layout, edge_renderer = routes.layout, self._edge_renderer.placed(routes)
        arrows = edge_renderer.draw_all(picture.arrows, self._signaled, self._words_of_waits)
        draw_box = self._node_renderer.draw
        boxes = "".join([draw_box(box, *layout.positions[box.key]) for box in picture.boxes])
        labels = self._labels(edge_renderer, layout)
        room = labels.before + layout.width + labels.beyond
        width, height = room + 2 * _MARGIN, layout.height + 2 * _MARGIN
        head, coloring = "", self._node_renderer.coloring
        if options.standalone:
            legend = min(max(layout.width, _NARROWEST_LEGEND), _WIDEST_LEGEND)
            head, head_height = self._legend.draw(coloring.legend(), legend)
            width, height = max(width, legend + 2 * _MARGIN), height + head_height + _MARGIN
            paper = f'<rect width="{number(width)}" height="{number(height)}" fill="{LIGHT.page}"/>'
            head = f'{paper}<g transform="translate({number(_MARGIN)} {number(_MARGIN)})">{head}</g>'
        left = (width - room) / 2 + labels.before
        shift = f"translate({number(left)} {number(height - _MARGIN - layout.height)})"
        edge_style = 'class="graph-edges" fill="none" stroke-width="1.5"'
        node_style = f'class="graph-nodes" font-size="11" fill="{LIGHT.muted}"'
        content = (
            f"{title(f'Graph of {analysis.identity.name}')}{head}"
            f'<g {edge_style} transform="{shift}">{arrows}</g>'
            f'<g {node_style} transform="{shift}">{boxes}{edge_renderer.draw_labels(labels)}</g>'
        )
        drawn = [analysis.layers[box.index] for box in picture.boxes if box.kind == "layer"]
        return Drawing(
            svg=svg_document(width, height, content, ' class="graph-svg"') if picture.boxes else "",
            width=width,
            height=height,
            colors=coloring.in_order(_by_frequency(map(coloring.meaning, drawn))),
            precisions=_by_frequency(analysis.tensors[arrow.tensor].data_type for arrow in picture.arrows),
            marks=tuple(self._legend.marks),
            notes=(
                *layout.notes,
                *_left_out(picture),
                *_lost(analysis),
                *(_without_room(labels.left_out) if options.standalone else ()),
            ),
        )

    def once(self, make: Callable[[], str]) -> str:
        """Return what depends on places and texts beside arrows alone: once for all that are drawn alike."""
        boxes = tuple([(box.key, box.kind, len(box.rows)) for box in self._picture.boxes])
        texts = self._edge_renderer.texts(self._picture)
        return self._layouts.once((boxes, tuple(texts), self._options.standalone), make)

    def arrangement(self, count: int) -> dict[str, Any] | None:
        """Return where a page's script puts what is drawn, in this number of columns; None if nothing moves.

        `w` and `h` are the size, `at` is the shift of all; `boxes` has the corners of boxes and of their
        rows, `lines` the paths of lines and heads, `texts` what is written beside them with its place.
        """
        routes = self._layouts.routes(count)
        if routes is self._layouts.routes():
            return None
        layout, edge_renderer = routes.layout, self._edge_renderer.placed(routes)
        labels = self._labels(edge_renderer, layout)
        corner_of = self._node_renderer.corners
        corners = [
            corner for box in self._picture.boxes for corner in corner_of(box, *layout.positions[box.key])
        ]
        return {
            "w": round(labels.before + layout.width + labels.beyond + 2 * _MARGIN, 1),
            "h": round(layout.height + 2 * _MARGIN, 1),
            "at": [round(_MARGIN + labels.before, 1), _MARGIN],
            "boxes": [round(value, 1) for corner in corners for value in corner],
            "lines": [path for edge in self._edges for path in routes.drawn(edge.key)],
            "texts": [[round(x, 1), round(y, 1), unescape(text)] for (x, y), text in labels.placed],
        }

    def _labels(self, edge_renderer: EdgeRenderer, layout: Layout) -> Labels:
        areas = [_area(layout.positions[key], size) for key, size in self._sizes.items()]
        return edge_renderer.labels(self._picture, areas)


def render_svg(analysis: Analysis, options: DrawOptions) -> tuple[bytes, Drawing]:
    """Return the graph as a file of its own."""
    drawing = draw_graph(analysis, replace(options, standalone=True))
    if not drawing.svg:
        drawing = replace(drawing, width=480.0, height=48.0, notes=(*drawing.notes, _NOTHING))
    svg = drawing.svg or _blank(drawing)
    comment = f"<!-- Generated by trexreport {__version__} -->"
    head = '<?xml version="1.0" encoding="UTF-8"?>\n'
    return f"{head}{comment}\n{svg}\n".encode(), drawing


def _blank(drawing: Drawing) -> str:
    """Return a picture that says that there is nothing in it."""
    size = f'width="{number(drawing.width)}" height="{number(drawing.height)}"'
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} font-family="system-ui, sans-serif" font-size="12">'
        f'<rect {size} fill="{LIGHT.page}"/><text x="16" y="28" fill="{LIGHT.muted}">{_NOTHING}</text></svg>'
    )


def _by_frequency(items: Iterable[_Item]) -> tuple[_Item, ...]:
    counts = Counter(items)
    return tuple(sorted(counts, key=lambda item: (-counts[item], item)))


def _left_out(picture: Picture) -> list[str]:
    notes = []
    if picture.folded:
        notes.append(f"{counted(picture.folded, 'no-op is', 'no-ops are')} folded into the arrows.")
    if picture.hidden:
        layers = counted(
            picture.hidden, "constant or layer without data is", "constants and layers without data are"
        )
        notes.append(f"{layers} not shown.")
    return notes


def _lost(analysis: Analysis) -> list[str]:
    unpaired = unpaired_waits(analysis.layers)
    if not unpaired:
        return []
    waits = counted(unpaired, "wait for another stream names", "waits for another stream name")
    return [f"{waits} no signal and {'is' if unpaired == 1 else 'are'} not shown."]


def _without_room(labels: int) -> list[str]:
    if not labels:
        return []
    texts = counted(labels, "arrow label", "arrow labels")
    return [f"{texts} left out for lack of space; see the tooltip of the arrow."]


def _words_of_wait(analysis: Analysis, before: str, after: str) -> str:
    """Return what the tooltip of a link between streams says, given the keys of its two boxes."""
    texts = []
    for key in (after, before):
        kind, _, index = key.partition(":")
        is_layer = kind == "layer"
        texts.append(
            analysis.layers[int(index)].name if is_layer else analysis.blocks.items[int(index)].label
        )
    return "\nwaits for\n".join(texts)


def _area(center: Point, size: tuple[float, float]) -> Area:
    (x, y), (width, height) = center, size
    return x - width / 2, y - height / 2, x + width / 2, y + height / 2

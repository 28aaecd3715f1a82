"""Draw a graph for paper: in parts of the execution order that stand side by side on sheets of one size.

What a screen shows by moving about, paper shows by columns, as a newspaper does. Where a tensor leaves a
part, a small box names it, and so does another one where it is read.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from html import escape
from itertools import groupby

from trexreport.analyzer.analysis import Analysis, Block
from trexreport.analyzer.analysis.blocks import leaf_blocks
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.composing import compose
from trexreport.renderer.graph.cutting import Cutter, Part
from trexreport.renderer.graph.legend import Legend
from trexreport.renderer.graph.options import DrawOptions
from trexreport.renderer.graph.picture import Box
from trexreport.renderer.graph.streams import synchronized_boxes, waiting_boxes
from trexreport.renderer.graph.svg_edges import EdgeRenderer, Routes
from trexreport.renderer.graph.svg_nodes import NodeRenderer
from trexreport.renderer.graph.svg_text import SMALL_TEXT, fitted, number, svg_document
from trexreport.renderer.palette import LIGHT

_EDGE = 1.0
_CAPTION, _GAP = 20.0, 36.0
#: A part smaller than this begins a new column or sheet rather than to fill the rest of one.
_FEWEST, _NARROWEST, _LOWEST = 4, 240.0, 200.0


@dataclass(frozen=True)
class Sheet:
    """A drawing of one page.

    Attributes:
        svg: The drawing.
        first, last: Indices of its first and its last layer.
        label: The block of the model that holds them all; empty where that is the whole engine.
        words: What it shows, for those who can't see it.
    """

    svg: str
    width: float
    height: float
    first: int
    last: int
    label: str
    words: str


@dataclass(frozen=True)
class Sheets:
    """A graph on several sheets.

    Attributes:
        drawn: How many layers have a box.
        left_out: How many would have one if there were no limit.
        legend: A drawing that explains the marks, and its height; it is as wide as a sheet.
    """

    sheets: tuple[Sheet, ...]
    drawn: int
    left_out: int
    legend: str
    legend_height: float


def draw_sheets(
    analysis: Analysis,
    size: tuple[float, float],
    max_layers: int,
    options: DrawOptions | None = None,
    weights: Mapping[int, float] | None = None,
) -> Sheets:
    """Draw an engine on sheets.

    Args:
        analysis: The analysis.
        size: Width and height of a sheet in pixels; one with a box that is higher grows.
        max_layers: Maximum; of larger engines the slowest blocks are drawn, and of identical ones the first.
        options: How boxes look, and what is left out.
        weights: What each layer counts in that choice instead of its time; then blocks that repeat count too.
    """
    options = options or DrawOptions()
    picture = compose(analysis, options.part)
    synchronized = synchronized_boxes(analysis, picture)
    cutter = Cutter(picture, waiting_boxes(synchronized, picture))
    chosen = _chosen(analysis, cutter.main, max_layers, weights)
    legend = Legend(on_paper=True)
    press = _Press(analysis, synchronized, options, legend)
    placed_parts = _Shelf(cutter, size).fill(_runs(cutter.main, chosen))
    sheets = tuple(press.print(placed) for placed in placed_parts)
    drawn, height = legend.draw(press.pen.coloring.legend(), size[0])
    return Sheets(
        sheets=sheets,
        drawn=len(chosen),
        left_out=len(cutter.main) - len(chosen),
        legend=_svg("Legend of the graph", size[0], height, drawn),
        legend_height=height,
    )


@dataclass(frozen=True)
class _Placed:
    part: Part
    x: float
    y: float


class _Shelf:
    """Sheets that fill: parts stand below each other in columns, and columns side by side."""

    def __init__(self, cutter: Cutter, size: tuple[float, float]) -> None:
        self.sheets: list[list[_Placed]] = []
        self._cutter = cutter
        self._size = size[0] - 2 * _EDGE, size[1] - 2 * _EDGE
        self._x = self._y = self._column = 0.0

    def fill(self, runs: Iterable[tuple[int, int]]) -> list[list[_Placed]]:
        """Fill sheets column by column, in the order of execution."""
        for first, end in runs:
            place = first
            while place < end:
                place += self._place(place, end)
        return self.sheets

    def _place(self, first: int, end: int) -> int:
        """Put as many of the next layers as make a fair part where there is room first; return how many."""
        width, height = self._size
        for x, y in self._corners():
            part = self._cutter.next_part(first, end, (width - x, height - y - _CAPTION))
            if part and part.count >= min(_FEWEST, end - first):
                return self._put(part, x, y)
        self.sheets.append([])
        part = self._cutter.next_part(first, end, (width, height - _CAPTION))
        # A layer with very many tensors may need more than a sheet.
        return self._put(part or self._cutter.part(first, first + 1), 0.0, 0.0)

    def _corners(self) -> list[tuple[float, float]]:
        """Return where a part may stand on the present sheet: in this column, else in the next."""
        if not self.sheets:
            return []
        corners = [(self._x, self._y), (self._x + self._column + _GAP, 0.0)]
        width, height = self._size
        return [(x, y) for x, y in corners if width - x >= _NARROWEST and height - y >= _LOWEST]

    def _put(self, part: Part, x: float, y: float) -> int:
        self._column = part.layout.width if not y else max(self._column, part.layout.width)
        self._x, self._y = x, y + part.layout.height + _CAPTION + _GAP
        self.sheets[-1].append(_Placed(part, x, y))
        return part.count


class _Press:
    """Draws sheets."""

    def __init__(
        self,
        analysis: Analysis,
        synchronized: Iterable[tuple[str, str]],
        options: DrawOptions,
        legend: Legend,
    ) -> None:
        self.pen = NodeRenderer(analysis, options, legend)
        self._analysis = analysis
        self._options = options
        self._legend = legend
        self._signaled = set(synchronized)
        self._homes = leaf_blocks(analysis.blocks.items)

    def print(self, placed: Sequence[_Placed]) -> Sheet:
        """Return the drawing of one sheet."""
        layers = [index for each in placed for index in self._layers(each.part)]
        # Half of the lines of the outermost boxes lies outside of them.
        width = max(each.x + each.part.layout.width for each in placed) + 2 * _EDGE
        height = max(each.y + each.part.layout.height + _CAPTION for each in placed) + 2 * _EDGE
        first, last, label = min(layers), max(layers), self._label(layers)
        names = ", ".join(self._analysis.layers[index].name for index in layers)
        words = f"Graph of layers {first} to {last}" + (f" ({label})" if label else "") + f": {names}"
        svg = _svg(words, width, height, "".join(map(self._draw, placed)))
        return Sheet(svg, width, height, first, last, label, words)

    def _draw(self, placed: _Placed) -> str:
        part = placed.part
        edges = EdgeRenderer(self._analysis, Routes(part.layout), self._options, self._legend)
        arrows = edges.draw_all(part.arrows, self._signaled, [""] * len(part.waits))
        boxes = "".join(
            self.pen.draw(box, *part.layout.positions[str(place)]) for place, box in enumerate(part.boxes)
        )
        layers = self._layers(part)
        first, last = min(layers), max(layers)
        span = f"{first}–{last}" if last > first else str(first)
        label = self._label(layers)
        caption = fitted(f"{span}  {label}" if label else span, max(part.layout.width, 230.0), SMALL_TEXT)
        return (
            f'<g transform="translate({number(placed.x + _EDGE)} {number(placed.y + _EDGE)})">'
            f'<text y="11" font-size="11" font-weight="600" fill="{LIGHT.text}">{caption}</text>'
            f'<g transform="translate(0 {number(_CAPTION)})">'
            f'<g fill="none" stroke-width="1.5">{arrows}</g>'
            f'<g font-size="11" fill="{LIGHT.muted}">{boxes}</g></g></g>'
        )

    def _layers(self, part: Part) -> list[int]:
        """Return the indices of the layers that the boxes of a part stand for."""
        found: list[int] = []
        for box in part.boxes[: part.count]:
            if box.kind == "layer":
                found.append(box.index)
            else:
                for block in self._options.part.members(self._analysis, box.index):
                    found += block.layers
        return found

    def _label(self, layers: Iterable[int]) -> str:
        """Return the innermost block that holds all of these layers; empty if it has no name."""
        items = self._analysis.blocks.items
        paths = [_ancestors(items, self._homes[index]) for index in layers if index in self._homes]
        common = 0
        for blocks in zip(*paths, strict=False):
            if len(set(blocks)) > 1:
                break
            common = blocks[0]
        block = items[common]
        # The heading says the numbers already.
        is_named = not common or block.label.startswith(("layer ", "layers "))
        return block.path or ("" if is_named else block.label)


def _ancestors(items: Sequence[Block], block: int) -> list[int]:
    """Return the blocks around a block and itself, the whole engine first."""
    found = [block]
    while (parent := items[found[-1]].parent) is not None:
        found.append(parent)
    return found[::-1]


def _chosen(
    analysis: Analysis, boxes: Sequence[Box], most: int, weights: Mapping[int, float] | None
) -> set[str]:
    """Return the keys of the boxes to draw: all, or the layers of the blocks that count most.

    Without weights those are the slowest blocks, and each structure counts once.
    """
    keys = {box.index: box.key for box in boxes}
    if len(boxes) <= most:
        return set(keys.values())
    leaves = [block for block in analysis.blocks.items if not block.children]
    if weights is None:
        leaves = [block for block in leaves if block.repeat_of is None or block.differs]
    chosen: set[str] = set()
    for block in sorted(leaves, key=lambda each: (-_weight(each, weights), each.id)):
        inside = [keys[index] for index in block.layers if index in keys]
        chosen.update(inside[: most - len(chosen)])
        if len(chosen) == most:
            break
    return chosen


def _weight(block: Block, weights: Mapping[int, float] | None) -> float:
    if weights is None:
        return block.time_ms or 0.0
    return math.fsum(weights.get(index, 0.0) for index in block.layers)


def _runs(boxes: Sequence[Box], chosen: set[str]) -> list[tuple[int, int]]:
    """Return first place and end of each run of chosen boxes."""
    runs = []
    for is_chosen, run in groupby(enumerate(boxes), key=lambda place: place[1].key in chosen):
        if is_chosen:
            places = [place for place, _ in run]
            runs.append((places[0], places[-1] + 1))
    return runs


def _svg(words: str, width: float, height: float, content: str) -> str:
    return svg_document(width, height, f"<title>{escape(words)}</title>{content}")

"""The drawing of an engine's graph: from what is to be drawn to bytes."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph import selection
from trexreport.renderer.graph.options import IN_FILE, DrawOptions
from trexreport.renderer.graph.picture import Choice

ENDINGS = ("svg", "png", "dot", "gv")


@dataclass(frozen=True)
class DrawingRequest:
    """What is drawn, and how.

    Attributes:
        around: A layer of which the neighborhood is drawn: its name, a part of it, or its number.
        radius: How many steps along tensors the neighborhood reaches.
        query: A regular expression; the layers that match are drawn with their direct neighbors.
        block: The one block to draw.
        depth: Down to which level blocks are drawn as boxes; None draws the layers.
        shown: What is drawn besides: "constants", "shape", "noops".
        layout: Which engine places the boxes.
        color_by: What the color of a layer shows.
        node_text: What the box of a layer says.
        edge_text: What is written at an arrow.
    """

    around: str | None
    radius: int
    query: str | None
    block: str | None
    depth: int | None
    shown: frozenset[str]
    layout: str
    color_by: str
    node_text: tuple[str, ...]
    edge_text: tuple[str, ...]

    def __post_init__(self) -> None:
        """Check that at most one part is chosen."""
        if sum(each is not None for each in (self.around, self.query, self.block)) > 1:
            raise UsageError("--around, --query and --block choose different parts.", "Give one of them.")


def draw_graph(analysis: Analysis, kind: str, request: DrawingRequest) -> tuple[bytes, tuple[str, ...]]:
    """Return the drawing as a file, and notes for the user.

    Args:
        analysis: Of the engine.
        kind: "svg", "png", "dot" or "gv".
        request: What is drawn.

    Raises:
        UsageError: There is no such layer or block.
        MissingToolError: A program that the format or layout needs is missing.
    """
    options = DrawOptions(
        engine=request.layout,
        color_by=request.color_by,
        node_text=request.node_text,
        edge_text=request.edge_text,
        part=_part(analysis, request),
        columns=IN_FILE,
    )
    if kind in ("dot", "gv"):
        from trexreport.renderer.graph.dot_picture import to_dot_text

        return to_dot_text(analysis, options).encode("utf-8"), ()
    from trexreport.renderer.graph.drawing import render_svg

    data, drawing = render_svg(analysis, options)
    if kind == "svg":
        return data, drawing.notes
    from trexreport.renderer.graph.raster import to_png

    png = to_png(data, drawing.width, drawing.height)
    smaller = (f"The PNG is drawn at {png.scale:.0%} of its size, the largest that is possible.",)
    return png.data, (*drawing.notes, *(smaller if png.scale < 1 else ()))


def _part(analysis: Analysis, request: DrawingRequest) -> Choice:
    """Return which layers are drawn, and which blocks instead of their layers."""
    only, focus, inside = None, frozenset[int](), 0
    if request.around is not None:
        index = selection.find_layer(analysis, request.around)
        only, focus = selection.layers_around(analysis, index, request.radius), frozenset([index])
    elif request.query is not None:
        focus = selection.layers_matching(analysis, request.query)
        only = selection.with_neighbors(analysis, focus)
    elif request.block is not None:
        block = selection.find_block(analysis, request.block)
        only, inside = frozenset(block.layers), block.id
    depth = request.depth
    collapsed = selection.collapse(analysis, depth, inside) if depth and analysis.blocks.items else {}
    return Choice(request.shown, only, focus, collapsed)

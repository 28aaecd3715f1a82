"""`trexreport draw`: the graph alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.drawing_options import show_option
from trexreport.cli.messages import kind_of, say, say_notes, say_written
from trexreport.cli.output_options import force_option, output_option, refuse_input_as_output
from trexreport.cli.words import words_of
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer import Analysis
    from trexreport.renderer.graph.options import DrawOptions
    from trexreport.renderer.graph.picture import Choice

_NODE_TEXTS = ("name", "type", "time", "precision", "tactic")
_EDGE_TEXTS = ("shape", "format")


@click.command()
@capture_options
@output_option("graph.svg", "The drawing, .svg, .png or .dot; - for SVG on standard output.")
@click.option(
    "--around", metavar="LAYER", help="Draw what is near a layer: its name, a part of it, or its number."
)
@click.option(
    "--radius",
    type=click.IntRange(0, 1000),
    default=2,
    show_default=True,
    help="How many steps along tensors are near.",
)
@click.option("--query", metavar="REGEX", help="Draw the layers that fit, and their direct neighbors.")
@click.option("--block", metavar="BLOCK", help="Draw one block, such as model/layers.3.")
@click.option(
    "--collapse", is_flag=True, help="Draw blocks as boxes, the outermost ones; the same as --depth 1."
)
@click.option(
    "--depth", type=click.IntRange(1, 100), metavar="N", help="Draw blocks as boxes, N levels deep."
)
@show_option
@click.option(
    "--layout",
    type=click.Choice(["layered", "dot"]),
    default="layered",
    show_default=True,
    help="Who places the boxes: the built-in engine, or Graphviz.",
)
@click.option(
    "--color-by",
    "--color-by",
    type=click.Choice(["type", "precision", "latency", "findings", "stream"]),
    default="type",
    show_default=True,
    help="What the color of a layer shows.",
)
@click.option(
    "--node-text",
    default="name,type,time",
    show_default=True,
    metavar="WHAT",
    callback=words_of(_NODE_TEXTS),
    help=f"What the box of a layer says: {', '.join(_NODE_TEXTS)}.",
)
@click.option(
    "--edge-text",
    default="",
    metavar="WHAT",
    callback=words_of(_EDGE_TEXTS),
    help=f"What is written at an arrow: {', '.join(_EDGE_TEXTS)}.",
)
@force_option
def draw(capture: CaptureChoice, output: str, *, force: bool, **wishes: Any) -> None:
    """Draw the layers and tensors of an engine, or a part of them, as SVG, PNG or Graphviz DOT."""
    from trexreport.analyzer import analyze
    from trexreport.output import check_output, write_output

    kind = kind_of(output, ("svg", "png", "dot", "gv"), for_stdout="svg")
    if sum(wishes[name] is not None for name in ("around", "query", "block")) > 1:
        raise UsageError("--around, --query and --block choose different parts.", "Give one of them.")
    check_output(output, force=force)
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    data, notes = _drawn(analyze(engine), kind, wishes)
    write_output(output, data, force=force)
    say_written(output, len(data))
    say_notes(engine.notes)
    for note in notes:
        say(f"  {note}")


def _drawn(analysis: Analysis, kind: str, wishes: dict[str, Any]) -> tuple[bytes, tuple[str, ...]]:
    """Return the drawing as a file, and what to tell the user about it."""
    options = _options(analysis, wishes)
    if kind in ("dot", "gv"):
        from trexreport.renderer.graph.dot_picture import to_dot_text

        return to_dot_text(analysis, options).encode("utf-8"), ()
    from trexreport.renderer.graph.drawing import render_svg

    data, drawing = render_svg(analysis, options)
    if kind == "svg":
        return data, drawing.notes
    from trexreport.renderer.graph.raster import to_png

    png = to_png(data, drawing.width, drawing.height)
    smaller = (f"The PNG is drawn at {png.scale:.0%} of its size, as no program draws it larger.",)
    return png.data, (*drawing.notes, *(smaller if png.scale < 1 else ()))


def _options(analysis: Analysis, wishes: dict[str, Any]) -> DrawOptions:
    from trexreport.renderer.graph.options import DrawOptions

    return DrawOptions(
        engine=wishes["layout"],
        color_by=wishes["color_by"],
        node_text=wishes["node_text"],
        edge_text=wishes["edge_text"],
        part=_part(analysis, wishes),
    )


def _part(analysis: Analysis, wishes: dict[str, Any]) -> Choice:
    """Return which layers are drawn, and which blocks in their place."""
    from trexreport.renderer.graph import selection
    from trexreport.renderer.graph.picture import Choice

    only, focus, inside = None, frozenset[int](), 0
    if wishes["around"] is not None:
        index = selection.find_layer(analysis, wishes["around"])
        only, focus = selection.layers_around(analysis, index, wishes["radius"]), frozenset([index])
    elif wishes["query"] is not None:
        focus = selection.layers_matching(analysis, wishes["query"])
        only = selection.with_neighbors(analysis, focus)
    elif wishes["block"] is not None:
        block = selection.find_block(analysis, wishes["block"])
        only, inside = selection.layers_in(block), block.id
    depth = wishes["depth"] or (1 if wishes["collapse"] else None)
    collapsed = selection.collapse(analysis, depth, inside) if depth and analysis.blocks.items else {}
    return Choice(wishes["shown"], only, focus, collapsed)

"""`trexreport draw`: the graph alone."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import capture_options, phase_option
from trexreport.cli.command import Command
from trexreport.cli.messages import say, write_result
from trexreport.cli.output_options import force_option, output_option, show_option
from trexreport.cli.settings_options import settings_options
from trexreport.cli.values import words_of

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings

_NODE_TEXTS = ("name", "type", "time", "precision", "tactic")
_EDGE_TEXTS = ("shape", "format")


@click.command(cls=Command, short_help="Draw an engine, or a part of it, as SVG, PNG or DOT.")
@capture_options
@phase_option
@output_option("graph.svg", "The drawing, .svg, .png or .dot; - for SVG on standard output.")
@click.option(
    "--around",
    metavar="LAYER",
    help="Draw the neighborhood of a layer: its name, a part of it, or its number.",
)
@click.option(
    "--radius",
    type=click.IntRange(0, 1000),
    default=2,
    help="How many steps along tensors the neighborhood reaches.",
)
@click.option(
    "--query", metavar="REGEX", help="Draw the layers whose names match, and their direct neighbors."
)
@click.option("--block", metavar="BLOCK", help="Draw one block, such as model/layers.3.")
@click.option("--collapse", is_flag=True, help="Draw the outermost blocks as boxes; the same as --depth 1.")
@click.option(
    "--depth", type=click.IntRange(1, 100), metavar="N", help="Draw blocks as boxes, N levels deep."
)
@show_option
@click.option(
    "--layout",
    type=click.Choice(["layered", "dot"]),
    default="layered",
    help="The layout engine: the built-in one, or Graphviz.",
)
@click.option(
    "--color-by",
    type=click.Choice(["type", "precision", "latency", "bound", "findings", "stream", "error", "increase"]),
    default="type",
    help="What the color of a layer shows.",
)
@click.option(
    "--node-text",
    default="name,type,time",
    metavar="WHAT",
    callback=words_of(_NODE_TEXTS),
    help=f"Texts in the box of a layer: {', '.join(_NODE_TEXTS)}.",
)
@click.option(
    "--edge-text",
    default="",
    show_default=False,
    metavar="WHAT",
    callback=words_of(_EDGE_TEXTS),
    help=f"Texts at an arrow: {', '.join(_EDGE_TEXTS)}.",
)
@force_option
@settings_options
def draw(
    capture: CaptureInput,
    settings: Settings,
    output: str,
    *,
    phase: tuple[str, ...],
    force: bool,
    collapse: bool,
    **choices: Any,
) -> None:
    """Draw the layers and tensors of an engine, or a part of them, as SVG, PNG or Graphviz DOT.

    With several phases, --phase selects one.
    """
    from trexreport.output import check_output
    from trexreport.pipeline.drawings import ENDINGS, DrawingRequest, draw_graph
    from trexreport.pipeline.phases import choose_engine
    from trexreport.pipeline.targets import format_of

    kind = format_of(output, ENDINGS, for_stdout="svg")
    request = DrawingRequest(**{**choices, "depth": choices["depth"] or (1 if collapse else None)})
    check_output(output, force=force)
    engine = choose_engine(capture, phase, "A drawing").read([output])
    data, notes = draw_graph(settings.analyze(engine), kind, request)
    write_result(output, data, engine.notes, force=force)
    for note in notes:
        say(f"  {note}")

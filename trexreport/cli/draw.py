"""`trexreport draw`: the graph alone."""

from __future__ import annotations

from typing import Literal

import click

from trexreport.cli.messages import kind_of, say, say_notes, say_written
from trexreport.cli.options import (
    CaptureChoice,
    capture_options,
    force_option,
    output_option,
    refuse_input_as_output,
)


@click.command()
@capture_options
@output_option("graph.svg", "The drawing, .svg or .dot; - for SVG on standard output.")
@click.option(
    "--layout",
    type=click.Choice(["layered", "dot"]),
    default="layered",
    show_default=True,
    help="Who places the boxes: the built-in engine, or Graphviz.",
)
@click.option(
    "--colour-by",
    "--color-by",
    type=click.Choice(["type", "precision"]),
    default="type",
    show_default=True,
    help="What the colour of a layer shows.",
)
@force_option
def draw(
    capture: CaptureChoice, output: str, layout: str, colour_by: Literal["type", "precision"], *, force: bool
) -> None:
    """Draw the layers and tensors of an engine as SVG or Graphviz DOT."""
    from trexreport.analyzer import analyze
    from trexreport.output import check_output, write_output

    kind = kind_of(output, ("svg", "dot", "gv"), for_stdout="svg")
    check_output(output, force=force)
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    analysis = analyze(engine)
    notes: tuple[str, ...] = ()
    if kind == "svg":
        from trexreport.renderer.graph.drawing import render_svg

        data, notes = render_svg(analysis, layout, colour_by)
    else:
        from trexreport.renderer.graph.dot import to_dot_text

        data = to_dot_text(analysis, colour_by=colour_by).encode("utf-8")
    write_output(output, data, force=force)
    say_written(output, len(data))
    say_notes(engine.notes)
    for note in notes:
        say(f"  {note}")

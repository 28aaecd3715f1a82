"""`trexreport draw`: the graph alone."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

import click

from trexreport.cli.options import CaptureChoice, capture_options, force_option, output_option
from trexreport.errors import UsageError


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
    from trexreport.cli.report import tell
    from trexreport.output import write_output

    suffix = ".svg" if output == "-" else Path(output).suffix.lower()
    if suffix not in (".svg", ".dot", ".gv"):
        raise UsageError(f"{output} has no ending that says what to draw.", "Known endings: .svg, .dot.")
    engine = capture.read()
    analysis = analyze(engine)
    if suffix == ".svg":
        from trexreport.renderer.graph.drawing import render_svg

        data, notes = render_svg(analysis, layout, colour_by)
    else:
        from trexreport.renderer.graph.dot import to_dot_text

        data, notes = to_dot_text(analysis, colour_by=colour_by).encode("utf-8"), ()
    write_output(output, data, force=force)
    tell(engine, output, len(data))
    for note in notes:
        click.echo(f"  {note}", err=True)

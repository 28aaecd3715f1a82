"""`trexreport summary`: the main figures in the terminal."""

from __future__ import annotations

import click

from trexreport.cli.options import CaptureChoice, capture_options


@click.command()
@capture_options
@click.option("--json", "as_json", is_flag=True, help="As JSON, without the layers.")
@click.option(
    "--top", type=click.IntRange(0, 1000), default=10, show_default=True, help="How many layers to list."
)
def summary(capture: CaptureChoice, *, as_json: bool, top: int) -> None:
    """Print what an engine is, how fast, and where its time goes."""
    from trexreport.analyzer import analyze

    analysis = analyze(capture.read())
    if as_json:
        from trexreport.renderer.json_document import render_summary_json

        click.echo(render_summary_json(analysis).decode("utf-8"), nl=False)
        return
    from trexreport.renderer.terminal import print_summary

    print_summary(analysis, top)

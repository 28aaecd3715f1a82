"""`trexreport summary`: the main figures in the terminal."""

from __future__ import annotations

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.finding_options import FindingChoice, finding_options


@click.command()
@capture_options
@click.option("--json", "as_json", is_flag=True, help="As JSON, without the layers.")
@click.option(
    "--top", type=click.IntRange(0, 1000), default=10, show_default=True, help="How many layers to list."
)
@finding_options
def summary(capture: CaptureChoice, findings: FindingChoice, *, as_json: bool, top: int) -> None:
    """Print what an engine is, how fast, what to look at first, and where its time goes."""
    analysis = findings.analyze(capture.read())
    if as_json:
        from trexreport.renderer.json_document import render_summary_json

        click.echo(render_summary_json(analysis).decode("utf-8"), nl=False)
        return
    from trexreport.renderer.terminal import print_summary

    print_summary(analysis, top)

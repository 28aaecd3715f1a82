"""`trexreport run`: from a model or an engine to a report."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.collecting import Collecting, CollectingCommand, collecting_options
from trexreport.cli.messages import say_notes, say_written
from trexreport.cli.options import FindingChoice, finding_options, force_option, output_option


@click.command(cls=CollectingCommand)
@click.argument("source", metavar="MODEL.onnx|ENGINE")
@output_option("report.html", "The report.")
@click.option(
    "--capture",
    metavar="DIR",
    help="The folder of the capture.  [default: the report's name with .capture, replaced each time]",
)
@force_option
@finding_options
@collecting_options
def run(
    source: str,
    output: str,
    capture: str | None,
    *,
    force: bool,
    findings: FindingChoice,
    collecting: Collecting,
) -> None:
    """Build, profile and time an engine with TensorRT, and write a report of it.

    As `collect` and `report` one after the other. Arguments for trtexec stand at the end, behind -- or
    without dashes.
    """
    from trexreport.api import load, render
    from trexreport.errors import UsageError
    from trexreport.output import check_output, write_output

    if output == "-":
        raise UsageError("The report of a run goes to a file.", "Give its name with -o.")
    check_output(output, force=force)
    folder = capture or str(Path(output).with_suffix(".capture"))
    collecting.collect(source, folder, force=force or capture is None)
    engine = load(Path(folder) / Path(collecting.job(source, folder).path(".graph.json")).name)
    page = render(engine, settings=findings.settings, registry=findings.registry, gpu=findings.gpu)
    write_output(output, page.html, force=force)
    if not collecting.quiet:
        say_written(output, len(page.html))
        say_notes(engine.notes)

"""`trexreport run`: from a model or an engine to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import redact_option
from trexreport.cli.collecting import Collecting, CollectingCommand, collecting_options
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.report import kind_of_report, report
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.redaction import Redaction


@click.command(cls=CollectingCommand)
@click.argument("source", metavar="MODEL.onnx|ENGINE")
@output_option("report.html", "The report, of any kind that `report` writes.")
@click.option(
    "--capture",
    metavar="DIR",
    help="The folder of the capture.  [default: the report's name with .capture, replaced each time]",
)
@redact_option
@force_option
@collecting_options
def run(
    source: str,
    output: str,
    capture: str | None,
    *,
    redact: Redaction | None,
    force: bool,
    collecting: Collecting,
) -> None:
    """Build, profile and time an engine with TensorRT, and write a report of it.

    As `collect` and `report` one after the other; --redact is of the report, not of the capture. Arguments
    for trtexec stand at the end, behind -- or without dashes.
    """
    if output == "-":
        raise UsageError("The report of a run goes to a file.", "Give its name with -o.")
    kind_of_report(output, force=force)
    folder = capture or str(Path(output).with_suffix(".capture"))
    collecting.collect(source, folder, force=force or capture is None)
    # The folder may hold other engines, too.
    graph = collecting.job(source, folder).path(".graph.json")
    click.get_current_context().invoke(
        report, paths=(graph,), output=output, redact=redact, force=force, quiet=collecting.quiet
    )

"""`trexreport run`: from a model or an engine to a report."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import redact_option
from trexreport.cli.collecting_options import CollectingCommand, collecting_options, make_capture
from trexreport.cli.output_options import force_option, output_option
from trexreport.cli.report import write_report
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.collector.request import CollectRequest
    from trexreport.pipeline.settings import Settings
    from trexreport.redaction.kinds import Redaction


@click.command(cls=CollectingCommand, short_help="Collect an engine and write its report.")
@click.argument("source", metavar="MODEL.onnx|ENGINE")
@output_option("report.html", "The report, of any kind that `report` writes.")
@click.option(
    "--capture",
    "folder",
    metavar="DIR",
    help="The folder of the capture.  [default: the report's name with .capture, replaced each time]",
)
@redact_option
@force_option
@collecting_options
@settings_options
def run(
    source: str,
    output: str,
    folder: str | None,
    *,
    redaction: Redaction | None,
    force: bool,
    collecting: CollectRequest,
    settings: Settings,
) -> None:
    """Build, profile and time an engine with TensorRT, and write a report of it.

    Does what `collect` and `report` do; --redact applies to the report, not to the capture. Give arguments
    for trtexec at the end, after -- or without dashes.
    """
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.reports import ReportFormat, check_report_target

    if output == "-":
        raise UsageError("A report of a run can't be written to standard output.", "Name a file with -o.")
    kind = check_report_target(output, None, force=force)
    is_chosen = folder is not None
    folder = folder or str(Path(output).with_suffix(".capture"))
    make_capture(collecting, source, folder, force=force or not is_chosen)
    # The folder may contain other engines, too.
    graph = collecting.job(source, folder).path(".graph.json")
    engine = CaptureInput((str(graph),), redaction=redaction).read([output])
    write_report(engine, settings, {output: ReportFormat(kind)}, force=force, quiet=collecting.quiet)

"""`trexreport archive`: capture, report and engine in one file with hashes."""

from __future__ import annotations

from pathlib import Path

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.messages import kind_of, say_notes, say_written
from trexreport.cli.output_options import (
    force_option,
    output_option,
    refuse_input_as_output,
    refuse_to_overwrite,
)
from trexreport.errors import UsageError


@click.command()
@capture_options
@output_option(None, "The archive, .trexa.")
@click.option("--engine", "engine_file", metavar="FILE", help="Also keep the serialized engine.")
@click.option("--no-report", is_flag=True, help="Keep the files of the capture only.")
@click.option(
    "--charts",
    type=click.Choice(["interactive", "static"]),
    default="interactive",
    show_default=True,
    help="Of the report; static ones make it about 2 MB smaller.",
)
@force_option
@finding_options
def archive(
    capture: CaptureChoice,
    findings: FindingChoice,
    *,
    output: str,
    engine_file: str | None,
    no_report: bool,
    charts: str,
    force: bool,
) -> None:
    """Keep a capture byte for byte with its report, and perhaps its engine, in one file with hashes.

    The archive is read wherever a PATH is; `verify` checks it and `extract` gives its files back.
    """
    from trexreport.api import render
    from trexreport.archive import ArchiveContents, write_archive
    from trexreport.output import check_output, write_output_in_parts

    kind_of(output, ("trexa",), for_stdout="")
    if output == "-":
        raise UsageError("An archive goes to a file.", "Give its name with -o.")
    if engine_file is not None and capture.redact:
        raise UsageError("An engine can't be redacted.", "Leave --engine out, or --redact.")
    check_output(output, force=force)
    refuse_to_overwrite(output, [engine_file] if engine_file else [])
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    page = None
    if not no_report:
        page = render(
            engine,
            interactive_charts=charts == "interactive",
            settings=findings.settings,
            registry=findings.registry,
            gpu=findings.gpu,
        ).html
    contents = ArchiveContents(
        engine.name,
        engine.sources,
        engine.optimization_profile,
        page,
        Path(engine_file) if engine_file else None,
    )
    size = write_output_in_parts(output, lambda file: write_archive(file, contents), force=force)
    say_written(output, size)
    say_notes(engine.notes)

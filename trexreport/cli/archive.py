"""`trexreport archive`: capture, report and engine in one file with hashes."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options, phase_options
from trexreport.cli.command import Command
from trexreport.cli.messages import say_notes, say_written
from trexreport.cli.output_options import charts_option, force_option, output_option
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phases import PhasesInput
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.pipeline.settings import Settings


@click.command(cls=Command, short_help="Keep a capture, its report and its engine in one file.")
@capture_options
@phase_options
@output_option(None, "The archive, .trexa.")
@click.option("--engine", "engine_file", metavar="FILE", help="Also keep the serialized engine.")
@click.option("--no-report", is_flag=True, help="Keep the files of the capture only.")
@charts_option("interactive", "Static charts make the report about 2 MB smaller.")
@force_option
@settings_options
def archive(
    capture: CaptureInput,
    settings: Settings,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    output: str,
    engine_file: str | None,
    no_report: bool,
    interactive_charts: bool,
    force: bool,
) -> None:
    """Keep a capture byte for byte with its report, and optionally its engine, in one file with hashes.

    Several phases are kept together, with their counts.

    The archive is accepted wherever a PATH is; `verify` checks it and `extract` unpacks it.
    """
    from trexreport.archive import ArchiveContents, write_archive
    from trexreport.output import check_output, write_output_in_parts
    from trexreport.pipeline.phases import PhasesInput, choose_engines
    from trexreport.pipeline.reports import ReportFormat, make_report
    from trexreport.pipeline.targets import format_of, refuse_to_overwrite
    from trexreport.renderer.html_options import HtmlOptions

    format_of(output, ("trexa",), for_stdout="")
    if output == "-":
        raise UsageError("An archive can't be written to standard output.", "Name a file with -o.")
    if engine_file is not None and capture.redaction:
        raise UsageError("An engine can't be redacted.", "Leave out --engine or --redact.")
    check_output(output, force=force)
    refuse_to_overwrite(output, [engine_file] if engine_file else [])
    chosen = choose_engines(capture, phase, times)
    format_ = None if no_report else ReportFormat(page=HtmlOptions(interactive_charts))
    if isinstance(chosen, PhasesInput):
        if engine_file is not None:
            raise UsageError("--engine keeps one engine, and these are several phases.", "Leave it out.")
        _write_set(chosen, settings, format_, output, force=force)
        return
    engine = chosen.read([output])
    page = None if format_ is None else make_report(engine, settings, format_)[1].data
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


def _write_set(
    phases: PhasesInput, settings: Settings, format_: ReportFormat | None, output: str, *, force: bool
) -> None:
    """Keep several phases in one archive."""
    from trexreport.archive import ArchiveContents, write_archive
    from trexreport.output import write_output_in_parts
    from trexreport.pipeline.phase_reports import make_phases_report

    read = phases.read([output])
    page = None if format_ is None else make_phases_report(phases.title, read, settings, format_)[1].data
    contents = ArchiveContents(phases.title, (), report=page, phases=tuple(read))
    size = write_output_in_parts(output, lambda file: write_archive(file, contents), force=force)
    say_written(output, size)
    for each in read:
        say_notes(each.engine.notes, of=each.name)

"""`trexreport report`: one file that explains an engine."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options, phase_options
from trexreport.cli.command import Command
from trexreport.cli.messages import say, say_notes, say_written
from trexreport.cli.output_options import (
    charts_option,
    force_option,
    format_option,
    max_size_option,
    outputs_option,
    quiet_option,
    show_option,
)
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from collections.abc import Mapping

    from trexreport.model import Engine
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phases import PhasesInput
    from trexreport.pipeline.reports import ReportFormat
    from trexreport.pipeline.settings import Settings
    from trexreport.renderer.sizing import SizedReport


@click.command(cls=Command)
@capture_options
@phase_options
@outputs_option(
    "The report, .html, .pdf, .md (a summary) or .json; - for standard output. Repeatable.  "
    "[default: report.html]"
)
@charts_option("interactive", "Static charts omit plotly.js, which makes the report about 2 MB smaller.")
@format_option(("html", "pdf", "md", "json"))
@show_option
@max_size_option
@quiet_option
@force_option
@settings_options
def report(
    capture: CaptureInput,
    settings: Settings,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    outputs: tuple[str, ...],
    interactive_charts: bool,
    format_: str | None,
    shown: frozenset[str],
    max_bytes: int | None,
    quiet: bool,
    force: bool,
) -> None:
    """Write a report of an engine.

    PATH is a capture folder, a *.graph.json file (the files beside it are found by their names), other files
    of the capture, an archive (.trexa, TREx's .tea), or an earlier report. With --phase, or for a folder that
    `collect --phase` made, it is a report of several engines with a tab for each.
    """
    from trexreport.pipeline.phases import PhasesInput, choose_engines
    from trexreport.pipeline.reports import ReportFormat, check_report_target
    from trexreport.pipeline.targets import check_distinct
    from trexreport.renderer.html_options import HtmlOptions

    outputs = outputs or ("report.html",)
    check_distinct(outputs, format_)
    kinds = {output: check_report_target(output, format_, force=force) for output in outputs}
    page = HtmlOptions(interactive_charts, shown=shown)
    formats = {output: ReportFormat(kind, page, max_bytes) for output, kind in kinds.items()}
    chosen = choose_engines(capture, phase, times)
    if isinstance(chosen, PhasesInput):
        _write_phases(chosen, settings, formats, force=force, quiet=quiet)
        return
    carry_inputs = {"html", "pdf"}.issuperset(kinds.values())
    keeps_inputs = carry_inputs and not (chosen.redaction or chosen.files or max_bytes)
    engine = chosen.read(outputs, keeps_inputs=keeps_inputs)
    write_report(engine, settings, formats, force=force, quiet=quiet)


def _write_phases(
    phases: PhasesInput, settings: Settings, formats: Mapping[str, ReportFormat], *, force: bool, quiet: bool
) -> None:
    """Write reports of several phases by file, and print where they are and the notes of each."""
    from trexreport.pipeline.phase_reports import analyze_phases, render_phases_report

    read = phases.read(list(formats))
    analyzed = analyze_phases(phases.title, read, settings)
    for output, format_ in formats.items():
        _write(render_phases_report(analyzed, read, format_), output, force=force, quiet=quiet)
    for each in () if quiet else read:
        say_notes(each.engine.notes, of=each.name)


def write_report(
    engine: Engine,
    settings: Settings,
    formats: Mapping[str, ReportFormat],
    *,
    force: bool,
    quiet: bool = False,
) -> None:
    """Write reports by file, and print where they are, what was left out, and the engine's notes."""
    from trexreport.pipeline.reports import render_report

    analysis = settings.analyze(engine)
    for output, format_ in formats.items():
        _write(render_report(analysis, engine.sources, format_), output, force=force, quiet=quiet)
    if not quiet:
        say_notes(engine.notes)


def _write(sized: SizedReport, output: str, *, force: bool, quiet: bool) -> None:
    from trexreport.output import write_output

    write_output(output, sized.data, force=force)
    if not quiet:
        say_written(output, len(sized.data))
        if sized.left_out:
            say(f"  Left out to fit: {', '.join(sized.left_out)}.")

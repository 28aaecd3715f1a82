"""`trexreport lint`: what slows an engine down, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options, phase_option
from trexreport.cli.command import Command
from trexreport.cli.messages import say, say_notes, write_result
from trexreport.cli.output_options import (
    BY_ENDING,
    FINDING_FORMATS,
    finding_format,
    force_option,
    format_option,
    output_option,
)
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings
    from trexreport.renderer.phases.findings import PhasesLint

_FOUND = 1


@click.command(cls=Command, short_help="List what slows an engine down and how to fix it.")
@capture_options
@phase_option
@format_option(FINDING_FORMATS, None, BY_ENDING)
@output_option("-", "The findings; - for standard output.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    help="Exit with 1 for findings of this severity or a higher one.  [default: error]",
)
@settings_options
@click.option(
    "--verbose", "-v", is_flag=True, help="In text, also list all places and rules that did not run."
)
@force_option
def lint(
    capture: CaptureInput,
    settings: Settings,
    format_: str | None,
    output: str,
    fail_on: str | None,
    *,
    phase: tuple[str, ...],
    verbose: bool,
    force: bool,
) -> None:
    """List what slows an engine down, the estimated savings, and how to fix it.

    Exits with 1 if there is a finding of the severity that --fail-on or the configuration names,
    or if a rule fails; with several phases, if any of them has one.
    """
    from trexreport.output import check_output
    from trexreport.pipeline.lints import lint_engine, lint_set
    from trexreport.pipeline.phases import PhasesInput, choose_engines
    from trexreport.renderer.console import open_console
    from trexreport.renderer.findings import FORMATS, print_findings, render_text
    from trexreport.renderer.findings.run import sum_up, unstated_notes

    check_output(output, force=force)
    format_ = format_ or finding_format(output)
    chosen = choose_engines(capture, phase)
    if isinstance(chosen, PhasesInput):
        found, notes = lint_set(chosen, settings, fail_on, [output])
        _write_set(found, format_, output, verbose=verbose, force=force)
        for name, of_phase in notes:
            say_notes(of_phase, of=name)
        if found.failed:
            for name, of_phase_run in found.runs:
                _say_failed(f"{name}: {sum_up(of_phase_run)}", output)
            click.get_current_context().exit(_FOUND)
        return
    engine = chosen.read([output])
    run = lint_engine(engine, settings, fail_on)
    if format_ == "text" and output == "-":
        print_findings(run, open_console(), verbose=verbose)
        say_notes(unstated_notes(run, engine.notes))
    else:
        data = render_text(run, verbose=verbose) if format_ == "text" else FORMATS[format_](run)
        write_result(output, data, engine.notes, force=force)
    if run.failed:
        _say_failed(sum_up(run), output)
        click.get_current_context().exit(_FOUND)


def _say_failed(summary: str, output: str) -> None:
    """Print why the command exits with 1 where the findings went into a file."""
    if output != "-":
        say(summary)


def _write_set(found: PhasesLint, format_: str, output: str, *, verbose: bool, force: bool) -> None:
    """Print or write the findings of several phases."""
    from trexreport.renderer.console import open_console
    from trexreport.renderer.phases.findings import (
        PHASES_LINT_FORMATS,
        print_phases_findings,
        render_phases_findings,
    )

    if format_ == "text" and output == "-":
        print_phases_findings(found, open_console(), verbose=verbose)
        return
    if format_ == "text":
        data = render_phases_findings(found, verbose=verbose)
    else:
        data = PHASES_LINT_FORMATS[format_](found)
    write_result(output, data, force=force)

"""`trexreport lint`: what slows an engine down, for people and for programs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options
from trexreport.cli.command import Command
from trexreport.cli.messages import say_notes, write_result
from trexreport.cli.output_options import FINDING_FORMATS, force_option, format_option, output_option
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings

_FOUND = 1


@click.command(cls=Command)
@capture_options
@format_option(FINDING_FORMATS, "text", "The output format.")
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
    format_: str,
    output: str,
    fail_on: str | None,
    *,
    verbose: bool,
    force: bool,
) -> None:
    """List what slows an engine down, the estimated savings, and how to fix it.

    Exits with 1 if there is a finding of the severity that --fail-on or the configuration names,
    or if a rule is broken.
    """
    from trexreport.analyzer.rules.description import describe_rules
    from trexreport.output import check_output
    from trexreport.renderer.console import open_console
    from trexreport.renderer.findings import FORMATS, LintRun, print_findings, render_text

    check_output(output, force=force)
    engine = capture.read([output])
    wanted = [rule for rule in settings.rules.rules if settings.lint.wants(rule)]
    # No rule asks for blocks.
    analysis = settings.analyze(engine, with_blocks=False)
    run = LintRun(analysis, describe_rules(wanted), fail_on or settings.lint.fail_on)
    if format_ == "text" and output == "-":
        print_findings(run, open_console(), verbose=verbose)
        say_notes(engine.notes)
    else:
        data = render_text(run, verbose=verbose) if format_ == "text" else FORMATS[format_](run)
        write_result(output, data, engine.notes, force=force)
    if run.failed:
        click.get_current_context().exit(_FOUND)

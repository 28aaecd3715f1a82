"""`trexreport lint`: what slows an engine down, for people and for programs."""

from __future__ import annotations

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.messages import say_notes, say_written
from trexreport.cli.output_options import force_option, output_option, refuse_input_as_output

_FOUND = 1


@click.command()
@capture_options
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "sarif", "junit", "markdown", "github"]),
    default="text",
    show_default=True,
    help="Who is to read it.",
)
@output_option("-", "The findings; - for standard output.")
@click.option(
    "--fail-on",
    type=click.Choice(["error", "warning", "info", "never"]),
    help="Exit with 1 for findings of this severity or a graver one.  [default: error]",
)
@finding_options
@click.option("--verbose", "-v", is_flag=True, help="As text, also all places and what could not run.")
@force_option
def lint(
    capture: CaptureChoice,
    findings: FindingChoice,
    format_: str,
    output: str,
    fail_on: str | None,
    *,
    verbose: bool,
    force: bool,
) -> None:
    """List what slows an engine down, how much it could gain, and what to do.

    Exits with 1 if there is a finding of the severity that --fail-on or the configuration names,
    or if a rule broke.
    """
    from trexreport.analyzer.rules import describe_rules
    from trexreport.output import check_output, write_output
    from trexreport.renderer.console import open_console
    from trexreport.renderer.findings import FORMATS, LintRun, print_findings, render_text

    check_output(output, force=force)
    engine = capture.read()
    refuse_input_as_output(capture, engine, output)
    settings = findings.settings
    wanted = [rule for rule in findings.registry.rules if settings.wants(rule)]
    # No rule asks for blocks.
    analysis = findings.analyze(engine, with_blocks=False)
    run = LintRun(analysis, describe_rules(wanted), fail_on or settings.fail_on)
    if format_ == "text" and output == "-":
        print_findings(run, open_console(), verbose=verbose)
    else:
        data = render_text(run, verbose=verbose) if format_ == "text" else FORMATS[format_](run)
        write_output(output, data, force=force)
        say_written(output, len(data))
    say_notes(engine.notes)
    if run.failed:
        click.get_current_context().exit(_FOUND)

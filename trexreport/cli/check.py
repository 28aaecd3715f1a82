"""`trexreport check`: whether an engine meets its budget, for CI."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import capture_options, phase_options
from trexreport.cli.command import Command
from trexreport.cli.messages import say, say_notes, say_written
from trexreport.cli.option_groups import option_group
from trexreport.cli.output_options import (
    BY_ENDING,
    FINDING_FORMATS,
    finding_format,
    force_option,
    format_option,
    outputs_option,
)
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError, in_part

if TYPE_CHECKING:
    from trexreport.analyzer.analysis.budget import BudgetCheck
    from trexreport.analyzer.analysis.phases_check import PhasesCheck
    from trexreport.configuration import Configuration
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phases import PhasesInput
    from trexreport.pipeline.settings import Settings

_FAILED = 1


def _read_budget(options: dict[str, Any]) -> None:
    from trexreport.configuration import read_budget_file

    options["written"], options["config"] = read_budget_file(
        options.pop("budget"), options["config"], isolated=options["isolated"]
    )


#: Add --budget; the command gets what the file says as `written`.
_budget_option = option_group(
    _read_budget,
    click.option("--budget", metavar="FILE", help="The file with [budget], instead of the configuration."),
)


@click.command(cls=Command, short_help="Check an engine against a budget and a baseline, for CI.")
@capture_options
@phase_options
@click.option(
    "--baseline", metavar="PATH", help="The capture or report that regressions are measured against."
)
@click.option(
    "--runs",
    metavar="PATH",
    multiple=True,
    help="Another measurement of the engine, for the spread between runs. Repeatable.",
)
@click.option(
    "--baseline-runs", metavar="PATH", multiple=True, help="Another measurement of the baseline. Repeatable."
)
@_budget_option
@format_option(FINDING_FORMATS, None, BY_ENDING)
@outputs_option("Also write .json, .sarif, .xml (JUnit), .md, .html or .txt. Repeatable.")
@click.option(
    "--suggest", is_flag=True, help="Check nothing; print limits that the engine meets today, as TOML."
)
@click.option(
    "--no-summary", is_flag=True, help="Do not append Markdown to the file named by $GITHUB_STEP_SUMMARY."
)
@settings_options
@force_option
def check(
    capture: CaptureInput,
    settings: Settings,
    written: Configuration,
    baseline: str | None,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    runs: tuple[str, ...],
    baseline_runs: tuple[str, ...],
    format_: str | None,
    outputs: tuple[str, ...],
    suggest: bool,
    no_summary: bool,
    force: bool,
) -> None:
    """Check an engine against the budget in trexreport.toml, and against a baseline.

    Exits with 1 if a limit of level "error" is exceeded. A figure that is missing from the files is reported,
    as a warning unless the budget makes it an error.
    """
    from trexreport.output import check_output
    from trexreport.pipeline.captures import CaptureInput, read_with_runs
    from trexreport.pipeline.checks import check_engine, read_budget
    from trexreport.pipeline.phase_runs import with_runs
    from trexreport.pipeline.phases import PhasesInput, choose_set
    from trexreport.renderer.budget import render_budget_markdown

    if suggest:
        if baseline or runs or baseline_runs or format_ or outputs:
            raise UsageError(
                "--suggest can't be combined with outputs, runs or a baseline.", "It prints TOML."
            )
        _suggest(capture, choose_set(capture, phase, times), settings)
        return
    if baseline_runs and baseline is None:
        raise UsageError("--baseline-runs needs a baseline.", "Name it with --baseline.")
    phases = choose_set(capture, phase, times)
    targets = _targets(outputs, format_)
    for target in targets:
        check_output(target, force=force)
    earlier = _read_baseline(baseline, capture, is_set=phases is not None)
    if phases is not None:
        before = with_runs(earlier, baseline_runs) if isinstance(earlier, PhasesInput) else None
        phases = with_runs(phases, runs)
        _check_set(phases, before, written, settings, targets, no_summary=no_summary, force=force)
        return
    budget = read_budget(written, settings.rules, capture.redaction)
    engine = read_with_runs(capture, runs, outputs)
    old = None
    if isinstance(earlier, CaptureInput):
        with in_part(str(baseline)):
            old = read_with_runs(earlier, baseline_runs, outputs)
    result = check_engine(engine, old, budget, settings)
    for target, its_format in targets.items():
        _write(result, target, its_format, force=force)
    if not no_summary:
        _append_summary(partial(render_budget_markdown, result))
    say_notes(engine.notes, of=engine.name if old else "")
    if old:
        say_notes(old.notes, of=f"baseline, {old.name}")
    if result.failed:
        click.get_current_context().exit(_FAILED)


def _suggest(capture: CaptureInput, phases: PhasesInput | None, settings: Settings) -> None:
    """Print the limits that an engine, or the phases of a set, meet today."""
    from trexreport.pipeline.checks import suggest_budget, suggest_set_budget

    if phases is None:
        engine = capture.read()
        click.echo(suggest_budget(engine, settings), nl=False)
        say_notes(engine.notes)
        return
    text, read = suggest_set_budget(phases, settings)
    click.echo(text, nl=False)
    for each in read:
        say_notes(each.engine.notes, of=each.name)


def _read_baseline(
    baseline: str | None, capture: CaptureInput, *, is_set: bool
) -> CaptureInput | PhasesInput | None:
    """Return the baseline of an engine or of a set; an error if it is of the other kind."""
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phases import PhasesInput, choose_engines

    if baseline is None:
        return None
    earlier = choose_engines(CaptureInput((baseline,), redaction=capture.redaction))
    if isinstance(earlier, PhasesInput) != is_set:
        raise UsageError(
            "Of what is checked and its baseline, one is one engine and one is several phases.",
            "Give two sets with the same phases, or two engines.",
        )
    return earlier


def _check_set(
    phases: PhasesInput,
    baseline: PhasesInput | None,
    written: Configuration,
    settings: Settings,
    targets: dict[str, str],
    *,
    no_summary: bool,
    force: bool,
) -> None:
    """Check the phases of a set, write what came of it, and exit."""
    from trexreport.pipeline.checks import check_set, read_set_budget
    from trexreport.renderer.phases.budget import render_phases_budget_markdown

    budget = read_set_budget(written, settings.rules, phases.capture.redaction, phases)
    result, notes = check_set(phases, baseline, budget, settings, list(targets))
    for target, its_format in targets.items():
        _write(result, target, its_format, force=force)
    if not no_summary:
        _append_summary(partial(render_phases_budget_markdown, result))
    for name, of_phase in notes:
        say_notes(of_phase, of=name)
    if result.failed:
        click.get_current_context().exit(_FAILED)


def _targets(outputs: Sequence[str], format_: str | None) -> dict[str, str]:
    """Return where to write in which format; text goes to standard output unless something else does."""
    from trexreport.pipeline.targets import check_distinct

    check_distinct(outputs, format_)
    if not outputs:
        return {"-": format_ or "text"}
    targets = {output: format_ or finding_format(output) for output in outputs}
    return targets if "-" in targets else {"-": "text", **targets}


def _write(result: BudgetCheck | PhasesCheck, target: str, format_: str, *, force: bool) -> None:
    from trexreport.analyzer.analysis.phases_check import PhasesCheck
    from trexreport.output import write_output
    from trexreport.renderer.budget import BUDGET_FORMATS, print_budget
    from trexreport.renderer.console import open_console
    from trexreport.renderer.phases.budget import PHASES_BUDGET_FORMATS, print_phases_budget

    if (target, format_) == ("-", "text"):
        if isinstance(result, PhasesCheck):
            print_phases_budget(result, open_console())
        else:
            print_budget(result, open_console())
        return
    if isinstance(result, PhasesCheck):
        data = PHASES_BUDGET_FORMATS[format_](result)
    else:
        data = BUDGET_FORMATS[format_](result)
    write_output(target, data, force=force)
    say_written(target, len(data))


def _append_summary(render: Callable[[int], bytes]) -> None:
    from trexreport.step_summary import VARIABLE, append_step_summary

    path = os.environ.get(VARIABLE)
    if path and (trouble := append_step_summary(path, render)):
        say(trouble)

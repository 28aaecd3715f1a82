"""`trexreport check`: whether an engine keeps its budget, for CI."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial, wraps
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.capture_options import CaptureChoice, capture_options
from trexreport.cli.finding_options import FindingChoice, finding_options
from trexreport.cli.messages import kind_of, say, say_notes, say_written
from trexreport.cli.output_options import force_option, refuse_input_as_output, refuse_unclear_outputs
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer.analysis.budget import BudgetCheck
    from trexreport.analyzer.budget import Budget
    from trexreport.configuration import Configuration
    from trexreport.model import Engine
    from trexreport.redaction import Redaction

_BROKEN = 1
_KINDS = {"txt": "text", "json": "json", "sarif": "sarif", "xml": "junit", "md": "markdown"}


def _budget_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add --budget; the command gets what the file says as `written`."""

    @wraps(command)
    def chosen(*args: Any, **options: Any) -> Any:
        from trexreport.configuration import Configuration, read_configuration

        path, config, isolated = options.pop("budget"), options["config"], options["isolated"]
        written = Configuration() if isolated and path is None else read_configuration(path or config)
        # A file that says more than limits is a configuration, one of limits alone goes with the usual one.
        if path is not None and config is None and not isolated and written.says_more_than_budget:
            options["config"] = path
        return command(*args, written=written, **options)

    return click.option(
        "--budget", metavar="FILE", help="Where [budget] stands, instead of the configuration."
    )(chosen)


@click.command()
@capture_options
@click.option("--baseline", metavar="PATH", help="The capture or report that regression is held against.")
@click.option(
    "--runs",
    metavar="PATH",
    multiple=True,
    help="Another measurement of the engine, for the spread between runs; may be given several times.",
)
@click.option("--baseline-runs", metavar="PATH", multiple=True, help="The same of the baseline.")
@_budget_option
@click.option(
    "--format",
    "format_",
    type=click.Choice(["text", "json", "sarif", "junit", "markdown", "github"]),
    help="Of what is printed, or of the one file that -o names.  [default: text, or by the file's ending]",
)
@click.option(
    "-o",
    "--output",
    "outputs",
    metavar="FILE",
    multiple=True,
    help="Also write .json, .sarif, .xml (JUnit), .md or .txt; may be given several times.",
)
@click.option(
    "--suggest", is_flag=True, help="Check nothing, but print limits that the engine keeps today, as TOML."
)
@click.option(
    "--no-summary", is_flag=True, help="Do not append Markdown to the file that $GITHUB_STEP_SUMMARY names."
)
@finding_options
@force_option
def check(
    capture: CaptureChoice,
    findings: FindingChoice,
    written: Configuration,
    baseline: str | None,
    *,
    runs: tuple[str, ...],
    baseline_runs: tuple[str, ...],
    format_: str | None,
    outputs: tuple[str, ...],
    suggest: bool,
    no_summary: bool,
    force: bool,
) -> None:
    """Hold an engine against the budget in trexreport.toml, and against a baseline.

    Exits with 1 if a limit of level "error" is broken. A figure that no file tells is said, and is a
    warning unless the budget makes it an error.
    """
    from trexreport.analyzer.budget import check_budget
    from trexreport.output import check_output

    if suggest:
        if baseline or runs or baseline_runs or format_ or outputs:
            raise UsageError("--suggest goes with no output, runs or baseline.", "It prints TOML.")
        _suggest(capture, findings)
        return
    if baseline_runs and baseline is None:
        raise UsageError("--baseline-runs are of a baseline.", "Name it with --baseline.")
    budget = _budget(written, findings)
    if capture.redact is not None:
        budget = _redacted(budget, capture.redact)
    targets = _targets(outputs, format_)
    for target in targets:
        check_output(target, force=force)
    engine = _read(capture, runs, outputs)
    earlier = None if baseline is None else CaptureChoice((baseline,), redact=capture.redact)
    old = None if earlier is None else _read(earlier, baseline_runs, outputs)
    result = check_budget(
        budget,
        (engine, findings.analyze(engine, with_blocks=budget.needs_blocks)),
        None if old is None else (old, findings.analyze(old, with_blocks=False)),
        rules=findings.registry.rules,
        settings=findings.settings,
    )
    for target, kind in targets.items():
        _write(result, target, kind, force=force)
    if not no_summary:
        _append_summary(result)
    for each in (engine, old):
        say_notes(each.notes if each else ())
    if result.failed:
        click.get_current_context().exit(_BROKEN)


def _suggest(capture: CaptureChoice, findings: FindingChoice) -> None:
    from trexreport.analyzer.budget import suggest_limits
    from trexreport.renderer.budget import render_suggestion

    engine = capture.read()
    analysis = findings.analyze(engine, with_blocks=False)
    limits = suggest_limits((engine, analysis), findings.registry.rules, findings.settings)
    click.echo(render_suggestion(limits, engine.name), nl=False)
    say_notes(engine.notes)


def _budget(written: Configuration, findings: FindingChoice) -> Budget:
    from trexreport.analyzer.budget import parse_budget

    if written.budget is None:
        place = f"{written.prefix}budget is missing." if written.prefix else "There is no budget."
        raise UsageError(place, "Write [budget] into trexreport.toml, or name its file with --budget.")
    rules = findings.registry
    try:
        return parse_budget(written.budget, f"{written.prefix}budget.", rules.rules, file=written.file)
    except UsageError as error:
        # A rule may be unknown because its package is broken.
        raise UsageError(" ".join((str(error), *rules.failures))) from None


def _redacted(budget: Budget, redaction: Redaction) -> Budget:
    """Return a budget whose patterns fit the redacted names, and which tells no others."""
    from trexreport.redaction import redact_text

    parts = (
        replace(each, pattern=redact_text(each.pattern, redaction), title=redact_text(each.title, redaction))
        for each in budget.parts
    )
    return replace(budget, file=Path(budget.file).name, parts=tuple(parts))


def _targets(outputs: Sequence[str], format_: str | None) -> dict[str, str]:
    """Return where to write in which format; text goes to standard output unless something else does.

    Raises:
        UsageError: An ending says nothing, a file is named twice, or one format is to be that of several.
    """
    refuse_unclear_outputs(outputs, format_)
    if not outputs:
        return {"-": format_ or "text"}
    targets = {
        output: format_ or ("text" if output == "-" else _KINDS[kind_of(output, tuple(_KINDS), "")])
        for output in outputs
    }
    return targets if "-" in targets else {"-": "text", **targets}


def _read(capture: CaptureChoice, runs: Sequence[str], outputs: Sequence[str]) -> Engine:
    """Read an engine and its further runs, none of whose files is an output."""
    from trexreport.reader import add_runs

    choices = [capture, *(CaptureChoice((run,), redact=capture.redact) for run in runs)]
    engines = [choice.read() for choice in choices]
    for choice, engine in zip(choices, engines, strict=True):
        for output in outputs:
            refuse_input_as_output(choice, engine, output)
    return add_runs(engines[0], engines[1:])


def _write(result: BudgetCheck, target: str, kind: str, *, force: bool) -> None:
    from trexreport.output import write_output
    from trexreport.renderer.budget import BUDGET_FORMATS, print_budget
    from trexreport.renderer.console import open_console

    if (target, kind) == ("-", "text"):
        print_budget(result, open_console())
        return
    data = BUDGET_FORMATS[kind](result)
    write_output(target, data, force=force)
    say_written(target, len(data))


def _append_summary(result: BudgetCheck) -> None:
    from trexreport.renderer.budget import render_budget_markdown
    from trexreport.step_summary import VARIABLE, append_step_summary

    path = os.environ.get(VARIABLE)
    if path and (trouble := append_step_summary(path, partial(render_budget_markdown, result))):
        say(trouble)

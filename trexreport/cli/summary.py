"""`trexreport summary`: the main figures in the terminal, or as a text for scripts and language models."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options, phase_options
from trexreport.cli.command import Command
from trexreport.cli.output_options import format_option, max_tokens_option
from trexreport.cli.settings_options import settings_options
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.analyzer.analysis import Analysis
    from trexreport.analyzer.analysis.phases import PhasesReport
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.settings import Settings
    from trexreport.renderer.short_document.document import ShortDocument

_TOP = 10


@click.command(cls=Command, short_help="Print the main figures, top findings and slowest layers.")
@capture_options
@phase_options
@format_option(("text", "md", "json"), text="How it is printed.  [default: text]")
@click.option(
    "--json", "as_json", is_flag=True, help="Print JSON, without the layers: the same as --format json."
)
@max_tokens_option
@click.option(
    "--top", type=click.IntRange(0, 1000), metavar="N", help=f"How many layers to list.  [default: {_TOP}]"
)
@settings_options
def summary(
    capture: CaptureInput,
    settings: Settings,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    format_: str | None,
    as_json: bool,
    max_tokens: int | None,
    top: int | None,
) -> None:
    """Print what an engine is, how fast it is, its top findings, and where its time goes."""
    from trexreport.pipeline.phase_reports import analyze_phases
    from trexreport.pipeline.phases import PhasesInput, choose_engines

    if as_json and format_ not in (None, "json"):
        raise UsageError(f"--json and --format {format_} contradict each other.", "Give one of them.")
    kind = "json" if as_json else format_ or ("text" if max_tokens is None else "md")
    if max_tokens is not None and kind != "md":
        raise UsageError("--max-tokens is for Markdown.", "Leave it out, or use --format md.")
    chosen = choose_engines(capture, phase, times)
    result: Analysis | PhasesReport = (
        analyze_phases(chosen.title, chosen.read(), settings)
        if isinstance(chosen, PhasesInput)
        else settings.analyze(chosen.read())
    )
    if max_tokens is not None:
        from trexreport.renderer.token_summary import token_summary

        click.echo(token_summary(result, max_tokens, max_rows=top), nl=False)
    elif kind == "json":
        click.echo(_json(result).decode("utf-8"), nl=False)
    elif kind == "md":
        from trexreport.renderer.short_document.markdown import render_markdown

        click.echo(render_markdown(_document(result, top)).decode("utf-8"), nl=False)
    else:
        from trexreport.renderer.console import open_console
        from trexreport.renderer.short_document.terminal import print_document

        print_document(_document(result, top), open_console())


def _document(result: Analysis | PhasesReport, top: int | None) -> ShortDocument:
    from trexreport.analyzer.analysis import Analysis

    max_layers = _TOP if top is None else top
    if isinstance(result, Analysis):
        from trexreport.renderer.engine_summary import engine_summary

        return engine_summary(result, max_layers=max_layers, max_findings=None)
    from trexreport.renderer.phases.summary import phases_summary

    return phases_summary(result, max_layers=max_layers)


def _json(result: Analysis | PhasesReport) -> bytes:
    from trexreport.analyzer.analysis import Analysis
    from trexreport.renderer.json_document import render_phases_summary_json, render_summary_json

    if isinstance(result, Analysis):
        return render_summary_json(result)
    return render_phases_summary_json(result)

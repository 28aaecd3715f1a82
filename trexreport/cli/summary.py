"""`trexreport summary`: the main figures in the terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.capture_options import capture_options
from trexreport.cli.command import Command
from trexreport.cli.phase_options import phase_options
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.captures import CaptureInput
    from trexreport.pipeline.phases import PhasesInput
    from trexreport.pipeline.settings import Settings


@click.command(cls=Command)
@capture_options
@phase_options
@click.option("--json", "as_json", is_flag=True, help="Print JSON, without the layers.")
@click.option("--top", type=click.IntRange(0, 1000), default=10, help="How many layers to list.")
@settings_options
def summary(
    capture: CaptureInput,
    settings: Settings,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    as_json: bool,
    top: int,
) -> None:
    """Print what an engine is, how fast it is, its top findings, and where its time goes."""
    from trexreport.pipeline.phases import PhasesInput, choose_engines

    chosen = choose_engines(capture, phase, times)
    if isinstance(chosen, PhasesInput):
        _print_phases(chosen, settings, as_json=as_json, top=top)
        return
    analysis = settings.analyze(chosen.read())
    if as_json:
        from trexreport.renderer.json_document import render_summary_json

        click.echo(render_summary_json(analysis).decode("utf-8"), nl=False)
        return
    from trexreport.renderer.console import open_console
    from trexreport.renderer.engine_summary import engine_summary
    from trexreport.renderer.short_document.terminal import print_document

    print_document(engine_summary(analysis, max_layers=top, max_findings=None), open_console())


def _print_phases(phases: PhasesInput, settings: Settings, *, as_json: bool, top: int) -> None:
    """Print the summary of several phases."""
    from trexreport.pipeline.phase_reports import analyze_phases

    report = analyze_phases(phases.title, phases.read(), settings, "md")
    if as_json:
        from trexreport.renderer.json_document import render_phases_summary_json

        click.echo(render_phases_summary_json(report).decode("utf-8"), nl=False)
        return
    from trexreport.renderer.console import open_console
    from trexreport.renderer.phases.summary import phases_summary
    from trexreport.renderer.short_document.terminal import print_document

    print_document(phases_summary(report, max_layers=top), open_console())

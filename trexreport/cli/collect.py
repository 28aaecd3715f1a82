"""`trexreport collect`: from a model or an engine to a capture."""

from __future__ import annotations

import shlex
from typing import TYPE_CHECKING

import click

from trexreport.cli.collecting_options import CollectingCommand, collecting_options, make_capture
from trexreport.cli.messages import say
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.collector.commands import Plan
    from trexreport.collector.request import CollectRequest


@click.command(cls=CollectingCommand)
@click.argument("source", metavar="MODEL.onnx|ENGINE")
@click.option("--output", "-o", metavar="DIR", required=True, help="The folder of the capture.")
@click.option("--force", is_flag=True, help="Replace an earlier capture, once the new one is complete.")
@click.option("--dry-run", is_flag=True, help="Print the commands and run nothing.")
@click.option("--script", metavar="FILE", help="Write a shell script of the commands and run nothing.")
@click.option(
    "--for-version",
    metavar="VERSION",
    help="Write commands for this version of TensorRT, without asking trtexec.",
)
@click.option("--from-log", is_flag=True, help="Make a capture from existing logs of trtexec: LOG...")
@collecting_options
def collect(
    source: str,
    output: str,
    script: str | None,
    for_version: str | None,
    *,
    force: bool,
    dry_run: bool,
    from_log: bool,
    collecting: CollectRequest,
) -> None:
    """Build, profile and time an engine with TensorRT, and keep everything that a report needs.

    A model (*.onnx) is built first; any other file is an engine. Give arguments for trtexec at the end, after
    -- or without dashes: `trexreport collect m.onnx -o out fp16 shapes=x:1x3x224x224`.
    """
    if not output:
        raise UsageError("The name of the folder is empty.", "Give one with -o.")
    if from_log:
        from trexreport.collector.from_log import capture_from_logs

        capture_from_logs((source, *collecting.arguments), output, force=force)
    elif dry_run or script is not None:
        _write_commands(collecting.plan(source, output, for_version), script, force=force)
        return
    elif for_version is not None:
        raise UsageError(
            "--for-version needs --dry-run or --script.", "Otherwise trtexec states its version itself."
        )
    else:
        make_capture(collecting, source, output, force=force)
    if not collecting.quiet:
        say(f"Wrote the capture to {output}. Next: trexreport report {shlex.quote(output)}")


def _write_commands(plan: Plan, script: str | None, *, force: bool) -> None:
    """Print the commands, or write them as a script."""
    import os

    from trexreport.collector.script import render_script
    from trexreport.output import write_output

    for note in plan.notes:
        say(f"note: {note}")
    if script is None:
        for command in plan.commands:
            click.echo(shlex.join(command.words))
        return
    write_output(script, os.fsencode(render_script(plan)), force=force)
    if script != "-":
        say(f"Wrote {script}. Next: sh {shlex.quote(script)}")

"""`trexreport collect`: from a model or an engine to a capture."""

from __future__ import annotations

import shlex
from dataclasses import replace
from typing import TYPE_CHECKING

import click

from trexreport.cli.collecting_options import CollectingCommand, collecting_options, make_capture
from trexreport.cli.messages import say
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.collector.jobs import Plan
    from trexreport.collector.request import CollectRequest


@click.command(
    cls=CollectingCommand, short_help="Build, profile and time an engine; keep what a report needs."
)
@click.argument("source", metavar="MODEL.onnx|ENGINE", required=False)
@click.option(
    "--output", "-o", metavar="DIR", help="The folder of the capture; may follow the model without -o."
)
@click.option("--force", is_flag=True, help="Replace an earlier capture, once the new one is complete.")
@click.option(
    "--phase",
    multiple=True,
    metavar="NAME=MODEL",
    help="A phase of several, such as prefill=prefill.onnx, in place of a single model. Repeatable.",
)
@click.option(
    "--times",
    multiple=True,
    metavar="NAME=N",
    help="How often a phase runs per request: decode=128. Repeatable.",
)
@click.option("--build-only", is_flag=True, help="Build the engine and measure nothing.")
@click.option(
    "--profile-only", is_flag=True, help="Measure the engine that was built into the folder, without a build."
)
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
    source: str | None,
    output: str | None,
    script: str | None,
    for_version: str | None,
    *,
    phase: tuple[str, ...],
    times: tuple[str, ...],
    force: bool,
    build_only: bool,
    profile_only: bool,
    dry_run: bool,
    from_log: bool,
    collecting: CollectRequest,
) -> None:
    """Build, profile and time an engine with TensorRT, and keep everything that a report needs.

    A model (*.onnx) is built first; any other file is an engine. Give arguments for trtexec at the end, after
    -- or without dashes: `trexreport collect m.onnx out fp16 shapes=x:1x3x224x224`.
    """
    if build_only:
        _refuse_to_run(collecting)
    if phase:
        stated = {"from-log": from_log, "dry-run": dry_run, "script": script is not None}
        _refuse_with_phases({**stated, "profile-only": profile_only})
        # Without a model the first argument is one for trtexec.
        arguments = (*((source,) if source else ()), *collecting.arguments)
        collecting = replace(collecting, arguments=arguments, measures=not build_only)
        _collect_phases(collecting, phase, times, output, force=force)
        return
    if times:
        raise UsageError("--times is for several phases.", "Name them with --phase NAME=MODEL.")
    if source is None:
        raise UsageError("There is nothing to collect from.", "Give a model (*.onnx) or an engine.")
    folder, collecting = _find_folder(output, collecting, takes_argument=not from_log)
    collecting = replace(collecting, measures=not build_only)
    if profile_only:
        if build_only:
            raise UsageError("--build-only and --profile-only exclude each other.", "Give one of them.")
        job = collecting.job(source, folder)
        source = job.engine
    if from_log:
        from trexreport.collector.from_log import capture_from_logs

        capture_from_logs((source, *collecting.arguments), folder, force=force)
    elif dry_run or script is not None:
        _write_commands(collecting.plan(source, folder, for_version), script, force=force)
        return
    elif for_version is not None:
        raise UsageError(
            "--for-version needs --dry-run or --script.", "Otherwise trtexec states its version itself."
        )
    else:
        make_capture(collecting, source, folder, force=force)
    if not collecting.quiet:
        step = f"collect {shlex.quote(source)} -o {shlex.quote(folder)} --profile-only"
        following = f"report {shlex.quote(folder)}" if collecting.measures else step
        say(f"Wrote the capture to {folder}. Next: trexreport {following}")


def _refuse_to_run(collecting: CollectRequest) -> None:
    given = {"nsys": collecting.nsys, "ncu": collecting.ncu, "accuracy": collecting.accuracy}
    tool = next((name for name, value in given.items() if value), "")
    if tool:
        raise UsageError(f"--{tool} runs the engine, and --build-only does not.", "Leave one of them out.")


def _refuse_with_phases(given: dict[str, bool]) -> None:
    excluded = next((name for name, is_given in given.items() if is_given), "")
    if excluded:
        raise UsageError(f"--phase and --{excluded} exclude each other.", "Collect each phase alone.")


def _collect_phases(
    collecting: CollectRequest,
    named: tuple[str, ...],
    counts: tuple[str, ...],
    output: str | None,
    *,
    force: bool,
) -> None:
    """Make a capture of each phase, in folders of their own, and the list of them."""
    from pathlib import Path

    from trexreport.pipeline.phase_list import check_folder, plan_phases, write_list

    if not output:
        raise UsageError("The folder of the phases is missing.", "Give one with -o DIR.")
    phases = plan_phases(named, counts)
    check_folder(output, force=force)
    for done, each in enumerate(phases, 1):
        if not collecting.quiet:
            say(f"Phase {each.name}:")
        make_capture(collecting, each.source, str(Path(output) / each.folder), force=force)
        write_list(output, phases[:done])
    if not collecting.quiet:
        say(f"Wrote the captures to {output}. Next: trexreport report {shlex.quote(output)}")


def _find_folder(
    output: str | None, collecting: CollectRequest, *, takes_argument: bool
) -> tuple[str, CollectRequest]:
    """Return the folder of the capture, and the request without it.

    Without -o it is the first argument, as in TREx's process_engine.py, unless that is one for trtexec.
    """
    from trexreport.collector.flags import flag_table

    if output:
        return output, collecting
    if output is not None:
        raise UsageError("The name of the folder is empty.", "Give one with -o.")
    first, *others = collecting.arguments or ("",)
    is_flag = not first or first.startswith("-") or "=" in first or first in flag_table().spans
    if is_flag or not takes_argument:
        raise UsageError("The folder of the capture is missing.", "Give one with -o DIR.")
    return first, replace(collecting, arguments=tuple(others))


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

"""Options that `collect` and `run` share."""

from __future__ import annotations

import signal
from dataclasses import fields
from typing import TYPE_CHECKING, Any

import click

from trexreport.cli.command import Command
from trexreport.cli.messages import say
from trexreport.cli.option_groups import option_group
from trexreport.cli.output_options import quiet_option
from trexreport.cli.progress import open_progress
from trexreport.cli.values import NumberRange
from trexreport.errors import UsageError

if TYPE_CHECKING:
    from trexreport.collector.request import CollectRequest

_SIGNAL_BASE = 128


class CollectingCommand(Command):
    """A command that passes arguments to trtexec, which belong after "--"."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Explain where a flag of trtexec belongs that is given among the options."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from trexreport.collector.flags import flag_table

            name = error.option_name.lstrip("-")
            if name not in flag_table().spans:
                raise
            raise UsageError(
                f"--{name} is for trtexec.", "Give such arguments at the end, after --, or without dashes."
            ) from None


def _make_request(options: dict[str, Any]) -> None:
    from trexreport.collector.request import CollectRequest

    options["collecting"] = CollectRequest(
        **{each.name: options.pop(each.name) for each in fields(CollectRequest) if each.name in options}
    )


#: Add the options of collecting; the command gets them as `collecting`.
collecting_options = option_group(
    _make_request,
    click.argument("arguments", nargs=-1, type=click.UNPROCESSED, metavar="[-- TRTEXEC ARGUMENTS]"),
    click.option(
        "--backend",
        type=click.Choice(["auto", "trtexec", "api"]),
        default="auto",
        help="What builds and measures the engine: trtexec, or TensorRT's Python bindings.",
    ),
    click.option(
        "--tool",
        type=click.Choice(["trtexec", "tensorrt_rtx"]),
        default="trtexec",
        help="The program on PATH: trtexec, or the one of TensorRT for RTX.",
    ),
    click.option(
        "--trtexec",
        metavar="COMMAND",
        help="The command that starts trtexec, such as 'docker run … trtexec'.  "
        "[default: $TREXREPORT_TRTEXEC, PATH]",
    ),
    click.option(
        "--runs",
        type=click.IntRange(0, 1000),
        default=3,
        metavar="N",
        help="Separate runs that time queries, to see how much runs differ; 0 times them while profiling.",
    ),
    click.option(
        "--timeout",
        "timeout_s",
        type=NumberRange(0, min_open=True),
        metavar="SECONDS",
        help="Time limit for each run.",
    ),
    click.option(
        "--lock-clocks",
        metavar="MHZ|sustained",
        help="Lock the GPU's SM clock during the runs; needs permission, and is always reset.",
    ),
    click.option(
        "--power-limit",
        "power_limit_w",
        type=NumberRange(0, min_open=True),
        metavar="WATT",
        help="Set the GPU's power limit during the runs; it is always reset.",
    ),
    click.option(
        "--gpu-interval",
        "gpu_interval_ms",
        type=NumberRange(0),
        default=100,
        metavar="MS",
        help="Time between two samples of the GPU's state; 0 takes none.",
    ),
    click.option("--nsys", is_flag=True, help="Record the kernels of 30 queries with Nsight Systems."),
    click.option(
        "--ncu", is_flag=True, help="Count bytes and operations of up to 2,000 kernels with Nsight Compute."
    ),
    click.option(
        "--accuracy",
        is_flag=True,
        help="Compare the engine with its model, tensor by tensor: with Polygraphy on ONNX Runtime, else by "
        "the ranges of trtexec's debug tensors.",
    ),
    click.option(
        "--accuracy-tool",
        type=click.Choice(["auto", "polygraphy", "trtexec"]),
        default="auto",
        help="What --accuracy runs.",
    ),
    quiet_option,
    click.option("--verbose", "-v", is_flag=True, help="Show the log as it is written."),
)


def make_capture(collecting: CollectRequest, source: str, folder: str, *, force: bool) -> None:
    """Make a capture; a signal that ends it ends the command, with the exit code of a shell."""
    from trexreport.collector.interruption import Interrupted, signals_raise

    def announce(text: str) -> None:
        if not collecting.quiet:
            say(text)

    try:
        with signals_raise(), open_progress(quiet=collecting.quiet, verbose=collecting.verbose) as progress:
            journal = collecting.collect(source, folder, progress, force=force, announce=announce)
    except KeyboardInterrupt as error:
        stopped = error if isinstance(error, Interrupted) else Interrupted(signal.SIGINT)
        kept = f" What was finished is in {stopped.kept_in}, incomplete." if stopped.kept_in else ""
        say(f"{stopped}{kept}")
        click.get_current_context().exit(_SIGNAL_BASE + stopped.signal)
    if not collecting.quiet:
        for note in journal.notes:
            say(f"  note: {note}")

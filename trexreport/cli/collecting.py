"""What `collect` and `run` share: their options, and how a capture is made from them."""

from __future__ import annotations

import signal
from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import wraps
from typing import TYPE_CHECKING, Any, Literal

import click

from trexreport.cli.messages import say
from trexreport.cli.progress import open_progress
from trexreport.cli.ranges import NumberRange
from trexreport.errors import UsageError
from trexreport.toml_table import quoted

if TYPE_CHECKING:
    from trexreport.collector.commands import Job, Plan
    from trexreport.collector.gpu import GpuOptions
    from trexreport.collector.journal import Journal

_SIGNAL_BASE = 128
_MOST_DIGITS = 9
_SAME_NAMES = ("backend", "trtexec", "lock_clocks", "power_limit", "gpu_interval", "quiet", "verbose")


class CollectingCommand(click.Command):
    """A command that hands arguments on to trtexec, which belong behind "--"."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Say where a flag of trtexec belongs that stands among ours."""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            from trexreport.collector.flags import flag_table

            name = error.option_name.lstrip("-")
            if name not in flag_table().spans:
                raise
            raise UsageError(
                f"--{name} is for trtexec.",
                "Put such arguments at the end, behind --, or leave the dashes out.",
            ) from None


@dataclass(frozen=True)
class Collecting:
    """How the user wants a capture to be made.

    Attributes:
        arguments: For trtexec.
        backend: One of `collector.backends.NAMES`.
        trtexec: The command that starts it, if stated.
    """

    arguments: tuple[str, ...]
    backend: str
    trtexec: str | None
    repeats: int
    timeout_s: float | None
    lock_clocks: str | None
    power_limit: float | None
    gpu_interval: float
    quiet: bool
    verbose: bool

    def job(self, source: str, folder: str) -> Job:
        """Return what is to be collected."""
        from trexreport.collector.commands import Job

        return Job(source, folder, self.arguments, repeats=self.repeats)

    def plan(self, source: str, folder: str, version: str | None) -> Plan:
        """Return the commands, for a version of trtexec or for what is there.

        Raises:
            UsageError: The version is none, or does not fit the backend.
        """
        from trexreport.collector.backends import choose_backend
        from trexreport.collector.commands import plan_commands
        from trexreport.collector.trtexec import find_trtexec
        from trexreport.collector.versions import Version

        job = self.job(source, folder)
        if version is None:
            return choose_backend(self.backend, self.trtexec, self.timeout_s)[0].plan(job)
        parsed = Version.parse(version)
        if parsed is None:
            raise UsageError(f"--for-version: {quoted(version)} is no version.", "Write it as in 10.3.")
        if self.backend == "api":
            raise UsageError("--for-version writes commands for trtexec.", "Leave --backend out.")
        program = job.program if self.trtexec is None else find_trtexec(self.trtexec)
        return plan_commands(replace(job, program=program), parsed)

    def collect(self, source: str, folder: str, *, force: bool) -> None:
        """Make the capture; a signal that ends it ends trexreport, too, with the exit code of a shell."""
        from trexreport.collector.interruption import Interrupted, signals_raise

        try:
            with signals_raise():
                journal = self._collect(self.job(source, folder), force=force)
        except KeyboardInterrupt as error:
            stopped = error if isinstance(error, Interrupted) else Interrupted(signal.SIGINT)
            kept = (
                "" if stopped.kept_in is None else f" What was finished is in {stopped.kept_in}, incomplete."
            )
            say(f"{stopped}{kept}")
            click.get_current_context().exit(_SIGNAL_BASE + stopped.signal)
        if not self.quiet:
            for note in journal.notes:
                say(f"  note: {note}")

    def _collect(self, job: Job, *, force: bool) -> Journal:
        from trexreport.collector.backends import choose_backend
        from trexreport.collector.collect import Options, check_source, collect

        # What can be wrong is said before a container is started to ask for the version.
        check_source(job)
        gpu = self._gpu_options()
        backend, what = choose_backend(self.backend, self.trtexec, self.timeout_s)
        if not self.quiet:
            say(f"Collecting with {what}.")
        gpu = replace(gpu, is_remote=backend.plan(job).job.is_remote)
        with open_progress(quiet=self.quiet, verbose=self.verbose) as progress:
            return collect(job, backend, progress, Options(force, self.timeout_s, gpu))

    def _gpu_options(self) -> GpuOptions:
        """Return how to treat the GPU that trtexec is told to use.

        Raises:
            UsageError: The clock is no number, or an amount is out of range.
        """
        from trexreport.collector.arguments import read_arguments
        from trexreport.collector.flags import flag_table
        from trexreport.collector.gpu import SUSTAINED, GpuOptions

        arguments = read_arguments(self.arguments, flag_table())
        device = next((each.value or "" for each in arguments if each.name == "device"), "")
        clock: int | Literal["sustained"] | None = None
        if self.lock_clocks == SUSTAINED:
            clock = SUSTAINED
        elif self.lock_clocks is not None:
            if not self.lock_clocks.isdecimal() or len(self.lock_clocks) > _MOST_DIGITS:
                raise UsageError(
                    f"--lock-clocks: {quoted(self.lock_clocks)} is no clock.",
                    f"Give it in MHz, or {SUSTAINED}.",
                )
            clock = int(self.lock_clocks)
        return GpuOptions(
            device,
            watches=self.gpu_interval > 0,
            interval_ms=self.gpu_interval or 100,
            lock_clocks=clock,
            power_limit_w=self.power_limit,
        )


_OPTIONS = (
    click.option(
        "--backend",
        type=click.Choice(["auto", "trtexec", "api"]),
        default="auto",
        show_default=True,
        help="What builds and measures: trtexec, or TensorRT's Python bindings.",
    ),
    click.option(
        "--trtexec",
        metavar="COMMAND",
        help="How trtexec is started, also as 'docker run … trtexec'.  [default: $TREXREPORT_TRTEXEC, PATH]",
    ),
    click.option(
        "--repeat",
        type=click.IntRange(0, 1000),
        default=1,
        show_default=True,
        metavar="N",
        help="Separate runs that time queries, to see how much runs differ; 0 times them while profiling.",
    ),
    click.option(
        "--timeout", type=NumberRange(0, min_open=True), metavar="SECONDS", help="The most for each run."
    ),
    click.option(
        "--lock-clocks",
        metavar="MHZ|sustained",
        help="Hold the GPU's SM clock meanwhile; needs the right to, and is always put back.",
    ),
    click.option(
        "--power-limit",
        type=NumberRange(0, min_open=True),
        metavar="WATT",
        help="Hold the GPU's power limit meanwhile.",
    ),
    click.option(
        "--gpu-interval",
        type=NumberRange(0),
        default=100,
        show_default=True,
        metavar="MS",
        help="Time between two samples of the GPU's state; 0 takes none.",
    ),
    click.option("--quiet", "-q", is_flag=True, help="Print nothing but errors."),
    click.option("--verbose", "-v", is_flag=True, help="Show the log while it grows."),
)


def collecting_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Add the options of how to collect; the command gets them as `collecting`."""

    @wraps(command)
    def chosen(*args: Any, **options: Any) -> Any:
        words = options.pop("words")
        collecting = Collecting(
            arguments=words,
            repeats=options.pop("repeat"),
            timeout_s=options.pop("timeout"),
            **{name: options.pop(name) for name in _SAME_NAMES},
        )
        return command(*args, collecting=collecting, **options)

    for option in reversed(_OPTIONS):
        chosen = option(chosen)
    return click.argument("words", nargs=-1, type=click.UNPROCESSED, metavar="[-- TRTEXEC ARGUMENTS]")(chosen)

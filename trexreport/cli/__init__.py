"""The command line: a file for each command, with its options and no logic."""

from __future__ import annotations

import atexit
import gc
import io
import os
import shlex
import sys
from typing import Any

import click

from trexreport import __version__
from trexreport.cli.commands import Commands
from trexreport.cli.messages import say
from trexreport.cli.renamed_options import renamed_option
from trexreport.cli.streams import drop_output, open_closed_streams, system_error_text
from trexreport.docstrings import docstring
from trexreport.errors import InputError, OutputError, TrexReportError
from trexreport.garbage import collection_paused
from trexreport.visible import one_line

#: A shell's exit status of a program whose output pipe was closed; 1 would mean that a gate failed.
_PIPE_CLOSED = 141
#: Likewise, of a program that Ctrl-C ended.
_INTERRUPTED = 130


class _Group(click.Group):
    """A group of commands in which an error of this package becomes one line and an exit code.

    A command ends soon and frees all memory: collecting garbage before would only cost time.
    """

    def main(self, *args: Any, **options: Any) -> Any:
        open_closed_streams()
        try:
            with collection_paused():
                return super().main(*args, **options)
        except OSError as error:
            text = system_error_text(error)
            if text is None:
                raise
            drop_output()
            say(f"Error: {text}")
            sys.exit(OutputError.exit_code)

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        # What can't be a path, as it is too long, is not an error of the system here.
        if args[0] not in self.commands and os.path.exists(args[0]):  # noqa: PTH110
            path = one_line(shlex.quote(args[0]))
            raise click.UsageError(
                f"{path} is a path and no command. For a report: trexreport report {path}", ctx
            )
        return super().resolve_command(ctx, args)

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except BrokenPipeError:
            drop_output()
            ctx.exit(_PIPE_CLOSED)
        except KeyboardInterrupt:
            say("Interrupted.")
            ctx.exit(_INTERRUPTED)
        except click.NoSuchOption as error:
            renamed = renamed_option(error)
            if renamed is None:
                raise
            say(f"Error: {renamed}")
            ctx.exit(renamed.exit_code)
        except MemoryError:
            say("Error: The input needs more memory than there is.")
            ctx.exit(InputError.exit_code)
        except TrexReportError as error:
            say(f"Error: {error}")
            for line in error.details:
                say(f"  {line}")
            ctx.exit(error.exit_code)


@click.group(
    cls=_Group,
    commands=Commands(),
    context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
)
@click.version_option(__version__, prog_name="trexreport")
def main() -> None:
    """Show what is inside a TensorRT engine.

    Start with `trexreport demo`, or with `trexreport report FOLDER` for the files that trtexec wrote.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows its number instead.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def run_program() -> None:
    """Run the command line as a program of its own, whose end frees all memory at once.

    The collector would search all of it first: when the command has ended, and again with the interpreter.
    """
    gc.disable()
    atexit.register(gc.freeze)
    main()


if main.help is None and main.callback is not None:
    main.help = docstring(main.callback)

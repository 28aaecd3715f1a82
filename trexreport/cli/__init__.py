"""The command line: one thin file for each command, no logic."""

from __future__ import annotations

import io
import sys
from typing import Any

import click

from trexreport import __version__
from trexreport.cli.demo import demo
from trexreport.cli.draw import draw
from trexreport.cli.explain import explain
from trexreport.cli.export import export
from trexreport.cli.extract import extract
from trexreport.cli.lint import lint
from trexreport.cli.messages import say
from trexreport.cli.report import report
from trexreport.cli.rules import rules
from trexreport.cli.summary import summary
from trexreport.errors import InputError, TrexReportError


class _Group(click.Group):
    """A group of commands in which our own errors become one line and an exit code."""

    def invoke(self, ctx: click.Context) -> Any:
        try:
            return super().invoke(ctx)
        except MemoryError:
            say("Error: The input needs more memory than there is.")
            ctx.exit(InputError.exit_code)
        except TrexReportError as error:
            say(f"Error: {error}")
            ctx.exit(error.exit_code)


@click.group(cls=_Group, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="trexreport")
def main() -> None:
    """Show what is inside a TensorRT engine.

    Start with `trexreport demo`, or with `trexreport report FOLDER` for the files that trtexec left.
    """
    for stream in (sys.stdout, sys.stderr):
        # A terminal that lacks a character shows its number; that is no reason to fail.
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


for _command in (report, summary, lint, rules, explain, draw, export, extract, demo):
    main.add_command(_command)

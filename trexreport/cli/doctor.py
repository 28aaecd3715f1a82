"""`trexreport doctor`: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import shutil
import sys

import click

from trexreport.cli.command import Command
from trexreport.visible import one_line

#: Columns of what a finding is: "optional".
_INDENT = 9


@click.command(cls=Command, short_help="List the tools that trexreport can use.")
@click.option("--trtexec", metavar="COMMAND", help="The command that starts trtexec.")
def doctor(trtexec: str | None) -> None:
    """List the tools that trexreport can use, and how to install the missing ones."""
    from trexreport.collector.doctor import examine
    from trexreport.renderer.graph.raster import png_program
    from trexreport.renderer.pdf import check_pdf_tools

    for finding in examine(trtexec, check_pdf=check_pdf_tools, find_png=png_program):
        _print(f"{finding.state:<{_INDENT}}", f"{finding.name}: {finding.detail}")
        if finding.hint:
            _print(" " * _INDENT, finding.hint)


def _print(before: str, text: str) -> None:
    """Print a text in the columns of a terminal, else in one line."""
    line = before + one_line(text)
    if sys.stdout.isatty():
        columns = shutil.get_terminal_size().columns
        line = click.wrap_text(line[_INDENT:], columns, before, " " * _INDENT)
    click.echo(line)

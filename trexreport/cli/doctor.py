"""`trexreport doctor`: what is installed, what is missing, and how to install it."""

from __future__ import annotations

import click

from trexreport.cli.command import Command
from trexreport.visible import one_line


@click.command(cls=Command, short_help="List the tools that trexreport can use.")
@click.option("--trtexec", metavar="COMMAND", help="The command that starts trtexec.")
def doctor(trtexec: str | None) -> None:
    """List the tools that trexreport can use, and how to install the missing ones."""
    from trexreport.collector.doctor import examine
    from trexreport.renderer.graph.raster import png_program
    from trexreport.renderer.pdf import check_pdf_tools

    for finding in examine(trtexec, check_pdf=check_pdf_tools, find_png=png_program):
        click.echo(one_line(f"{finding.state:<9}{finding.name}: {finding.detail}"))
        if finding.hint:
            click.echo(one_line(f"{'':<9}{finding.hint}"))

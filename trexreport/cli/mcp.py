"""`trexreport mcp`: a server for assistants."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from trexreport.cli.command import Command
from trexreport.cli.settings_options import settings_options

if TYPE_CHECKING:
    from trexreport.pipeline.settings import Settings


@click.command(cls=Command, short_help="Answer questions of AI assistants about captures.")
@click.argument("folders", nargs=-1, required=True, metavar="FOLDER...")
@settings_options
def mcp(folders: tuple[str, ...], settings: Settings) -> None:
    """Answer an assistant's questions about the captures below FOLDERs, over the Model Context Protocol.

    An assistant starts this command and talks to it on standard input and output. Nothing is written, and
    nothing outside of FOLDERs is read.
    """
    from trexreport.assistant.server import serve

    serve(folders, settings)

"""Options that several commands take to say what a graph shows."""

from __future__ import annotations

import click

from trexreport.cli.words import words_of

# The same as `FOLDABLE` of the renderer, which is not loaded for the help.
_SHOWN = ("constants", "shape", "noops")


def _as_set(context: click.Context, parameter: click.Parameter, value: str) -> frozenset[str]:
    return frozenset(words_of(_SHOWN)(context, parameter, value))


show_option = click.option(
    "--show",
    "shown",
    default="",
    metavar="WHAT",
    callback=_as_set,
    help=f"Draw also what is left out of graphs otherwise: {', '.join(_SHOWN)}.",
)

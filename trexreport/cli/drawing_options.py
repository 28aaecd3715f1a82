"""Options that several commands take to say what a graph shows."""

from __future__ import annotations

import click

from trexreport.cli.values import words_of

# The same as `FOLDABLE` of the renderer, which is not imported for the help.
_SHOWN = ("constants", "shape", "noops")


def _as_set(context: click.Context, parameter: click.Parameter, value: str) -> frozenset[str]:
    return frozenset(words_of(_SHOWN)(context, parameter, value))


show_option = click.option(
    "--show",
    "shown",
    default="",
    show_default=False,
    metavar="WHAT",
    callback=_as_set,
    help=f"Also draw layers that graphs leave out: {', '.join(_SHOWN)}.",
)

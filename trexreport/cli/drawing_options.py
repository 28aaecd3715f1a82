"""Options that several commands take to say what a graph shows."""

from __future__ import annotations

from typing import Any

import click

from trexreport.errors import UsageError

# The same as `FOLDABLE` of the renderer, which is not loaded for the help.
_SHOWN = ("constants", "shape", "noops")


def words_of(known: tuple[str, ...]) -> Any:
    """Return a callback that splits "a,b" and refuses words that are not known."""

    def split(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        words = tuple(word.strip() for word in value.split(",") if word.strip())
        unknown = [word for word in words if word not in known]
        if unknown:
            raise UsageError(f"{parameter.opts[0]} has no '{unknown[0]}'.", f"Known: {', '.join(known)}.")
        return words

    return split


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

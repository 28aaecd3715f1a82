"""Options whose value is a list of words with commas between them."""

from __future__ import annotations

from typing import Any

import click

from trexreport.errors import UsageError


def split_words(*values: str) -> list[str]:
    """Return the words of "a, b" and "c"."""
    return [word for value in values for part in value.split(",") if (word := part.strip())]


def words_of(known: tuple[str, ...]) -> Any:
    """Return a callback that splits "a,b" and refuses words that are not known."""

    def split(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        words = tuple(split_words(value))
        unknown = [word for word in words if word not in known]
        if unknown:
            raise UsageError(f"{parameter.opts[0]} has no '{unknown[0]}'.", f"Known: {', '.join(known)}.")
        return words

    return split

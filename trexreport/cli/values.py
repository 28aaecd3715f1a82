"""Kinds of values that options take."""

from __future__ import annotations

import math
import re
from typing import Any

import click

from trexreport.errors import UsageError
from trexreport.regex import regex

_SIZE = regex(r"(\d{1,12}(?:\.\d{1,6})?)\s*([a-z]{0,3})", re.ASCII)
_UNITS = {"": 1, "b": 1, "kb": 10**3, "mb": 10**6, "gb": 10**9, "kib": 2**10, "mib": 2**20, "gib": 2**30}


class NumberRange(click.FloatRange):
    """A range of numbers; NaN is not in it, although it is outside of no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        number = super().convert(value, param, ctx)
        if math.isnan(number):
            self.fail(f"{value} is not a number.", param, ctx)
        return number


def words_of(known: tuple[str, ...]) -> Any:
    """Return a callback that splits "a,b" and refuses words that are not known."""

    def split(_context: click.Context, parameter: click.Parameter, value: str) -> tuple[str, ...]:
        words = tuple(word for part in value.split(",") if (word := part.strip()))
        unknown = [word for word in words if word not in known]
        if unknown:
            raise UsageError(f"{parameter.opts[0]} has no '{unknown[0]}'.", f"Known: {', '.join(known)}.")
        return words

    return split


def size_in_bytes(_context: click.Context, parameter: click.Parameter, value: str | None) -> int | None:
    """Return a size such as 10MB, 500 kB, 2MiB or 4096 in bytes; a callback."""
    if value is None:
        return None
    match = _SIZE.fullmatch(value.strip().lower())
    factor = _UNITS.get(match[2]) if match else None
    if match is None or factor is None or float(match[1]) * factor < 1:
        raise UsageError(
            f"{parameter.opts[0]}: '{value[:40]}' is not a size.", "Write it as 10MB, 500kB or 2MiB."
        )
    return int(float(match[1]) * factor)

"""Take checked values out of a table of TOML; a mistake becomes one line with file and key."""

from __future__ import annotations

import datetime as dt
import difflib
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, TypeVar

from trexreport.errors import UsageError
from trexreport.visible import one_line

WordT = TypeVar("WordT", bound=str)
ValueT = TypeVar("ValueT")

_MAX_SHOWN = 60


class TomlTable:
    """A table of a configuration.

    Attributes:
        values: Key to value, as the parser gives them.
        prefix: What precedes a key in messages, such as "trexreport.toml: lint.".
    """

    def __init__(self, values: Mapping[str, Any], prefix: str) -> None:
        self.values = values
        self.prefix = prefix

    def __iter__(self) -> Iterator[str]:
        return iter(self.values)

    def refuse_unknown(self, known: Iterable[str], renamed: Mapping[str, str] | None = None) -> None:
        """Check that there are no keys besides the known ones.

        Args:
            known: The keys that may be there.
            renamed: Keys of earlier versions to what they are called now, for messages.

        Raises:
            UsageError: There is another key; the message names the one that was meant.
        """
        keys = list(known)
        for key in self.values:
            if renamed and key in renamed:
                raise self.wrong(key, "has a new name", f"It is now called {renamed[key]}.")
            if key not in keys:
                hint = did_you_mean(key, keys) or f"Known: {', '.join(keys)}."
                raise self.wrong(key, "is not a known key", hint)

    def text(self, key: str) -> str | None:
        """Return a text that is not empty, or None where the key is missing."""
        return self._checked(key, str, "a text that is not empty", lambda value: bool(value.strip()))

    def needed_text(self, key: str, meaning: str) -> str:
        """Return a text that must be there; `meaning` says what it is for where it is missing."""
        value = self.text(key)
        if value is None:
            raise self.wrong(key, "is missing", meaning)
        return value

    def texts(self, key: str) -> tuple[str, ...]:
        """Return a list of texts, or nothing where the key is missing."""
        return tuple(self._list(key, str, "a list of texts"))

    def one_of(self, key: str, choices: Iterable[WordT]) -> WordT | None:
        """Return one of several words, or None where the key is missing."""
        allowed = list(choices)
        wanted = f"{', '.join(allowed[:-1])} or {allowed[-1]}"
        value = self._checked(key, str, wanted, allowed.__contains__)
        return next((each for each in allowed if each == value), None)

    def truth(self, key: str, default: bool = False) -> bool:
        """Return true or false; the default where the key is missing."""
        value = self._checked(key, bool, "true or false")
        return default if value is None else value

    def number(self, key: str, least: float, most: float) -> float:
        """Return a number within bounds."""
        return self._number(key, self.values[key], least, most)

    def numbers(self, key: str, least: float, most: float) -> tuple[float, ...]:
        """Return numbers within bounds, or nothing where the key is missing; one needs no list around it."""
        value = self.values.get(key, [])
        return tuple(
            self._number(key, each, least, most) for each in (value if isinstance(value, list) else [value])
        )

    def whole(self, key: str, least: int, most: int) -> int | None:
        """Return a whole number within bounds, or None where the key is missing."""
        wanted = f"a whole number from {least} to {most}"
        return self._checked(
            key, int, wanted, lambda value: least <= value <= most and not isinstance(value, bool)
        )

    def _number(self, key: str, value: Any, least: float, most: float) -> float:
        # A whole number may be too large for a float; of all numbers only NaN differs from itself.
        if isinstance(value, bool) or not isinstance(value, (int, float)) or value != value:  # noqa: PLR0124
            raise self._kind(key, value, "a number")
        if not least <= value <= most:
            raise self._kind(key, value, f"{least:g} to {most:g}")
        return value

    def day(self, key: str) -> dt.date | None:
        """Return a date, or None where the key is missing."""
        # A time of day is a date to Python, too.
        wanted = "a date without quotes, such as 2030-12-31"
        return self._checked(key, dt.date, wanted, lambda value: not isinstance(value, dt.datetime))

    def table(self, key: str) -> TomlTable:
        """Return a table of this one; an empty one where the key is missing."""
        return TomlTable(self._checked(key, dict, "a table") or {}, f"{self.prefix}{_shown(key)}.")

    def tables(self, key: str) -> list[TomlTable]:
        """Return the tables of a list, none where the key is missing; they are counted from 1."""
        found = self._list(key, dict, f"a list of tables, each under [[…{key}]]")
        return [
            TomlTable(each, f"{self.prefix}{_shown(key)} {number}: ") for number, each in enumerate(found, 1)
        ]

    def _checked(
        self, key: str, kind: type[ValueT], wanted: str, is_right: Callable[[ValueT], bool] = lambda _: True
    ) -> ValueT | None:
        """Return the value of a key if it is right, None where it is missing; else raise UsageError."""
        value = self.values.get(key)
        if value is not None and not (isinstance(value, kind) and is_right(value)):
            raise self._kind(key, value, wanted)
        return value

    def _list(self, key: str, kind: type[ValueT], wanted: str) -> list[ValueT]:
        found = self._checked(key, list, wanted) or []
        for number, each in enumerate(found, 1):
            if not isinstance(each, kind):
                raise self.wrong(key, f"must be {wanted}; entry {number} is {_value(each)}")
        return found

    def wrong(self, key: str, what: str, hint: str = "") -> UsageError:
        """Return the error that something is wrong with a key."""
        return UsageError(f"{self.prefix}{_shown(key)} {what}.", hint)

    def _kind(self, key: str, value: object, wanted: str) -> UsageError:
        return self.wrong(key, f"must be {wanted}, not {_value(value)}")


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return the question for the known word that comes closest, or an empty text if none is close."""
    by_lower = {each.lower(): each for each in known}
    close = difflib.get_close_matches(word.lower(), by_lower, n=1, cutoff=0.5)
    return f"Did you mean {by_lower[close[0]]}?" if close else ""


def quoted(text: str) -> str:
    """Return the text in quotes, on one line and not too long for a message."""
    shown = one_line(text[:_MAX_SHOWN])
    return f'"{shown}"' if len(text) <= _MAX_SHOWN else f'"{shown}…"'


def _shown(key: str) -> str:
    bare = key.replace("-", "").replace("_", "")
    return key if bare.isascii() and bare.isalnum() and len(key) <= _MAX_SHOWN else quoted(key)


def _value(value: object) -> str:
    if isinstance(value, Mapping):
        return "a table"
    if isinstance(value, list):
        return "a list" if value else "an empty list"
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, int) and abs(value) >= 10**_MAX_SHOWN:
        # Python writes no whole number of thousands of digits.
        return "that"
    return str(value)

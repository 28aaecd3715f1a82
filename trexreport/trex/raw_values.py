"""Lists and records of the file as cells of a table that can be added up.

pandas adds the cells of every column in `frame.groupby(...).sum()`. Lists join under "+", but dictionaries
raise an error, and a list beside a text does too. These two types join under "+" with anything: the sum of
such cells is the list of all their items.
"""

from __future__ import annotations

from typing import Any


class RawList(list[Any]):
    """A list of the file; "+" appends whatever is no list."""

    def __add__(self, other: Any) -> RawList:
        return RawList([*self, *_items(other)])

    def __radd__(self, other: Any) -> RawList:
        return RawList([*_items(other), *self])


class RawRecord(dict[str, Any]):
    """A dictionary of the file; "+" gives a list of both sides."""

    def __add__(self, other: Any) -> RawList:
        return RawList([self, *_items(other)])

    def __radd__(self, other: Any) -> RawList:
        return RawList([*_items(other), self])


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    # Sums begin with 0.
    return [] if value is None or (isinstance(value, (int, float)) and value == 0) else [value]


def raw_value(value: Any) -> Any:
    """Return a list or dictionary as one that can be added; anything else as it is."""
    if isinstance(value, list):
        return RawList(value)
    return RawRecord(value) if isinstance(value, dict) else value

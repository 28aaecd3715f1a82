"""Lists and records of the file as cells of a table that can be added up.

pandas adds the cells of every column in `frame.groupby(...).sum()`. Lists join under "+", but dictionaries
raise an error, and a list or text beside a number does too. These types join under "+" with anything: the
sum of lists and dictionaries is the list of all their items, and 0, the mark of a missing cell, adds
nothing.
"""

from __future__ import annotations

from typing import Any


class RawList(list[Any]):
    """A list of the file; "+" appends whatever is not a list, and columns of lists can be grouped by."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(len(each) if isinstance(each, (list, dict)) else each for each in self))

    def __add__(self, other: Any) -> RawList:
        return RawList([*self, *_items(other)])

    def __radd__(self, other: Any) -> RawList:
        return RawList([*_items(other), *self])


class RawRecord(dict[str, Any]):
    """A dictionary of the file; "+" gives a list of both sides."""

    def __hash__(self) -> int:  # type: ignore[override]
        return hash(tuple(sorted(map(str, self))))

    def __add__(self, other: Any) -> RawList:
        return RawList([self, *_items(other)])

    def __radd__(self, other: Any) -> RawList:
        return RawList([*_items(other), self])


class RawText(str):
    """A text of a column that holds other cells too; "+" appends whatever is not a list."""

    __slots__ = ()

    def __add__(self, other: Any) -> Any:
        if isinstance(other, (list, dict)):
            return RawList([self, *_items(other)])
        return RawText(f"{self}{'' if _is_missing(other) else other}")

    def __radd__(self, other: Any) -> Any:
        return RawText(f"{'' if _is_missing(other) else other}{self}")


def _is_missing(value: Any) -> bool:
    return value is None or (isinstance(value, (int, float)) and value == 0)


def _items(value: Any) -> list[Any]:
    if isinstance(value, list):
        return value
    # Sums begin with 0.
    return [] if _is_missing(value) else [value]


def raw_value(value: Any) -> Any:
    """Return a list or dictionary as one that can be added; anything else as it is."""
    if isinstance(value, list):
        return RawList(value)
    return RawRecord(value) if isinstance(value, dict) else value

"""Take numbers and texts out of JSON values of any kind, without ever failing."""

from __future__ import annotations

import math
from functools import lru_cache
from typing import Any

#: More than any tensor can hold; larger extents are damage, not data.
LARGEST_EXTENT = 2**48
#: TensorRT's tensors have at most 8 extents.
_MOST_EXTENTS = 16
_LONGEST_VERSION = 100

#: No run lasts longer (30 years in ms), and no clock resolves less; beyond, sums and quotients overflow.
LONGEST_MS = 1e12
SHORTEST_MS = 1e-12


def number(value: Any) -> float | None:
    """Return the value as a finite float if it is a number or the text of one, else None."""
    if isinstance(value, bool) or not isinstance(value, (int, float, str)):
        return None
    try:
        result = float(value)
    except (ValueError, OverflowError):
        return None
    return result if math.isfinite(result) else None


def duration(value: Any) -> float | None:
    """Return the value as a time in ms of at least 0 and of sensible size, else None."""
    result = number(value)
    if result is None or not 0 <= result <= LONGEST_MS:
        return None
    return result if result >= SHORTEST_MS else 0.0


def integer(value: Any) -> int | None:
    """Return the value if it is a whole number of sensible size, else None."""
    result = number(value)
    if result is None or abs(result) > LARGEST_EXTENT or result != int(result):
        return None
    return int(result)


def known_extents(value: list[Any]) -> tuple[int, ...] | None:
    """Return extents if each is a whole number of at least 0 and of sensible size, else None."""
    if len(value) > _MOST_EXTENTS:
        # Of no tensor: it is not worth remembering, and may be as long as a file.
        return _known_extents.__wrapped__(*value)
    try:
        return _known_extents(*value)
    except TypeError:  # a list or an object among them
        return None


# A network has few different shapes, which tens of thousands of tensors have. Typed: 1.0 and true equal 1.
@lru_cache(maxsize=4096, typed=True)
def _known_extents(*extents: Any) -> tuple[int, ...] | None:
    is_known = set(map(type, extents)) <= {int} and all(0 <= each <= LARGEST_EXTENT for each in extents)
    return extents if is_known else None


def text(value: Any) -> str:
    """Return the value if it is a text, else an empty one."""
    return value if isinstance(value, str) else ""


def version_text(value: Any) -> str:
    """Return the value if it may be a version, else an empty text: Python refuses numbers of 5,000 digits."""
    return value if isinstance(value, str) and len(value) <= _LONGEST_VERSION else ""


def mapping(value: Any) -> dict[str, Any]:
    """Return the value if it is a dictionary, else an empty one."""
    return value if isinstance(value, dict) else {}


def items(value: Any) -> list[Any]:
    """Return the value if it is a list, else an empty one."""
    return value if isinstance(value, list) else []


def records(value: Any) -> list[dict[str, Any]]:
    """Return the dictionaries in a list; anything else counts as none."""
    return [item for item in items(value) if isinstance(item, dict)]

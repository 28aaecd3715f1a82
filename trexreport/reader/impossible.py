"""Refuse values that nothing can have: each counts as unknown, and a note names its file and place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import field
from typing import Any, Final

from trexreport.lazy_dataclass import dataclass
from trexreport.model import IMPOSSIBLE, UNUSUAL, InputWarning
from trexreport.numbers import middle_ellipsis
from trexreport.reader.values import LARGEST_EXTENT, LONGEST_MS, SHORTEST_MS

#: The sections of a report whose figures a value may change if it is not known what it belongs to.
ALL_SECTIONS = ("build", "latency", "layers", "memory", "precision", "timing")
#: Places that a note names.
_SHOWN = 4
_LONGEST_NAME = 60
_ABSENT: Final = object()


@dataclass(frozen=True)
class Kind:
    """What a number can be.

    Attributes:
        noun: What it is not if it is refused.
        low, high: The bounds, which it may equal.
        whole: Whether it has no fraction.
        may_be_null: Whether writers put null for "not measured".
    """

    noun: str
    low: float
    high: float
    whole: bool = False
    may_be_null: bool = False

    def holds(self, value: Any) -> bool:
        """Return whether a value of JSON is such a number."""
        kind = type(value)
        if (kind is not float and kind is not int) or not self.low <= value <= self.high:
            return False
        return not self.whole or bool(value == math.floor(value))


#: Bounds are those of physics and of formats, not of what is usual: no GPU has a clock above 6 GHz, memory
#: with an effective rate above 40 GHz, or 16 TiB of memory (GB300: 288 GB), and 5 kW or 150 °C destroy any
#: (B300: 1.4 kW, slowdown below 110 °C). A clock of a few MHz is one in GHz.
COUNT = Kind("a whole number of at least 1", 1, LARGEST_EXTENT, whole=True)
WHOLE = Kind("a whole number of at least 0", 0, LARGEST_EXTENT, whole=True)
FLAG = Kind("0 or 1", 0, 1, whole=True)
STREAM = Kind("the index of a stream", 0, 999_999, whole=True)
TIME_MS = Kind("a time in ms", 0, LONGEST_MS)
POSITIVE_MS = Kind("a time in ms above 0", SHORTEST_MS, LONGEST_MS)
STAMP_MS = Kind("a time stamp in ms", -LONGEST_MS, LONGEST_MS)
SECONDS = Kind("a time in s", 0, 1e9)
POSITIVE_SECONDS = Kind("a time in s above 0", 1e-9, 1e9)
THROUGHPUT = Kind("a throughput", 1e-9, 1e9)
#: Writers round the percentage of a layer that takes all of the time.
PERCENT = Kind("a percentage", 0, 100.01)
SM_CLOCK_MHZ = Kind("the clock of a GPU in MHz", 5, 6_000)
MEMORY_CLOCK_MHZ = Kind("the memory clock of a GPU in MHz", 1, 40_000)
POWER_W = Kind("the power of a GPU in W", 0.1, 5_000)
#: NVML's 64-bit mask of reasons for a lower clock.
EVENT_BITS = Kind("a mask of clock event reasons", 0, 2**64 - 1, whole=True)
ENERGY_J = Kind("an energy in J", 0, 1e12)
TEMPERATURE_C = Kind("the temperature of a GPU in °C", -60, 150)
BYTES = Kind("a size in bytes", 0, 2**48, whole=True)


@dataclass
class ImpossibleValues:
    """Collects the values of one file that are refused, and those that are rare.

    Attributes:
        file: Name of the file.
        affects: Sections of the report whose figures depend on them.
    """

    file: str
    affects: tuple[str, ...] = ALL_SECTIONS
    refused: dict[str, str] = field(default_factory=dict)
    rare: dict[str, str] = field(default_factory=dict)

    def number(self, kind: Kind, value: Any, place: str) -> float | None:
        """Return a number of JSON, or None with a note if it is none of its kind."""
        if kind.holds(value):
            return float(value)
        if value is None and kind.may_be_null:
            return None
        self.refuse(place, value, f"is not {kind.noun}")
        return None

    def of(self, record: Mapping[str, Any], key: str, kind: Kind, place: str = "") -> float | None:
        """Return a number of a record as `number` does; None without a note if the key is absent."""
        value = record.get(key, _ABSENT)
        if value is _ABSENT:
            return None
        # The place of most values is never named.
        return (
            float(value)
            if kind.holds(value)
            else self.number(kind, value, f"{place}.{key}" if place else key)
        )

    def refuse(self, place: str, value: Any, why: str) -> None:
        """Note a value; `why` completes the sentence "value …"."""
        self.refused.setdefault(place, f"{place} = {shown(value)} {why}")

    def mark(self, place: str, what: str) -> None:
        """Note a rare value, which is kept; `what` says it in few words."""
        self.rare.setdefault(place, f"{place} {what}")

    def notes(self) -> list[InputWarning]:
        """Return at most one note of each sort."""
        found = []
        if self.refused:
            message = f"Impossible values in {self.file} count as unknown: {_few(self.refused.values())}."
            hint = "Write the file again, or correct the program that writes it."
            found.append(InputWarning("degraded", IMPOSSIBLE, message, self.file, self.affects, hint))
        if self.rare:
            message = f"Unusual values in {self.file}, which are kept: {_few(self.rare.values())}."
            found.append(InputWarning("info", UNUSUAL, message, self.file, self.affects))
        return found


def _few(texts: Iterable[str]) -> str:
    listed = list(texts)
    more = f"; and {len(listed) - _SHOWN:,} more" if len(listed) > _SHOWN else ""
    return "; ".join(listed[:_SHOWN]) + more


def quoted(name: str) -> str:
    """Return a name of a file as notes state a place: on one line, in quotes, and not longer than needed."""
    text = name if name.isprintable() else " ".join(name.split())
    return f"'{middle_ellipsis(text, _LONGEST_NAME)}'"


def shown(value: Any) -> str:
    """Return a value of JSON as a note shows it."""
    if value is None:
        return "null or NaN"
    if isinstance(value, (dict, list)):
        return "an object" if isinstance(value, dict) else "a list"
    try:
        text = f'"{value}"' if isinstance(value, str) else f"{value}".lower()
    except ValueError:  # a whole number of more digits than Python writes
        return "a number of thousands of digits"
    return middle_ellipsis(text, 40)

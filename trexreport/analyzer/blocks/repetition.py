"""Find what repeats in the order of execution, where names do not state it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass

#: Shorter repetitions are not blocks that an engineer would name.
MIN_PERIOD = 4
_MAX_PERIOD = 1000
_CANDIDATES = 24
_MIN_UNITS = 3


@dataclass(frozen=True)
class Run:
    """Layers `start` to `end` (exclusive); `units` equal parts of them, or 0 where nothing repeats."""

    start: int
    end: int
    units: int


def repetitions(numbers: Sequence[int]) -> list[Run]:
    """Split a sequence into runs that repeat and the rest between them.

    The period that covers most is taken, the shortest of equals; then what it leaves over is searched again.
    """
    open_parts, found = [(0, len(numbers))], list[Run]()
    while open_parts:
        low, high = open_parts.pop()
        best = _best(numbers, low, high)
        if best is None:
            found.append(Run(low, high, 0))
            continue
        first, period, units = best
        last = first + period * units
        found.append(Run(first, last, units))
        open_parts += [part for part in ((low, first), (last, high)) if part[0] < part[1]]
    return sorted(found, key=lambda run: run.start)


def _best(numbers: Sequence[int], low: int, high: int) -> tuple[int, int, int] | None:
    """Return first position, period and number of units of the repetition that covers most."""
    best: tuple[int, int, int] | None = None
    for period in _periods(numbers, low, high):
        first, length = _longest(numbers, low, high, period)
        units = length // period + 1
        if units >= _MIN_UNITS and (best is None or units * period > best[1] * best[2]):
            best = first, period, units
    return best


def _periods(numbers: Sequence[int], low: int, high: int) -> list[int]:
    """Return the distances at which equal layers most often follow each other, ascending."""
    last: dict[int, int] = {}
    distances: Counter[int] = Counter()
    for position in range(low, high):
        before = last.get(numbers[position])
        if before is not None and MIN_PERIOD <= position - before <= _MAX_PERIOD:
            distances[position - before] += 1
        last[numbers[position]] = position
    ordered = sorted(distances.items(), key=lambda item: (-item[1], item[0]))
    return sorted(period for period, _ in ordered[:_CANDIDATES])


def _longest(numbers: Sequence[int], low: int, high: int, period: int) -> tuple[int, int]:
    """Return where the longest stretch begins in which each layer equals the one a period later."""
    best, length = (low, 0), 0
    for position in range(low, high - period):
        length = length + 1 if numbers[position] == numbers[position + period] else 0
        if length > best[1]:
            best = position - length + 1, length
    return best

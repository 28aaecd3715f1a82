"""Times from when to when, as whole nanoseconds: their union, and how much of another time it covers."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterable, Sequence
from itertools import accumulate

#: Begin and end.
Times = tuple[int, int]


def union(spans: Iterable[Times]) -> list[Times]:
    """Return the times that at least one span covers, in order and without overlap."""
    merged: list[Times] = []
    for begin, end in sorted(spans):
        if merged and begin <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(end, merged[-1][1]))
        else:
            merged.append((begin, end))
    return merged


def without(spans: Sequence[Times], holes: Sequence[Times]) -> list[Times]:
    """Return what is left of spans without the holes; both are unions."""
    left = []
    place = 0
    for begin, end in spans:
        now = begin
        while place < len(holes) and holes[place][1] <= begin:
            place += 1
        at = place
        while at < len(holes) and holes[at][0] < end:
            if holes[at][0] > now:
                left.append((now, holes[at][0]))
            now = max(now, holes[at][1])
            at += 1
        if now < end:
            left.append((now, end))
    return left


class Coverage:
    """Answers how much of a time a union covers."""

    def __init__(self, spans: Sequence[Times]) -> None:
        self._begins = [begin for begin, _ in spans]
        self._spans = spans
        self._before = [0, *accumulate(end - begin for begin, end in spans)]

    def between(self, begin: int, end: int) -> int:
        """Return how much of the time from `begin` to `end` is covered."""
        return self._until(end) - self._until(begin) if begin < end else 0

    def _until(self, moment: int) -> int:
        place = bisect_right(self._begins, moment)
        if not place:
            return 0
        begin, end = self._spans[place - 1]
        return self._before[place - 1] + min(moment, end) - begin

"""Find the levels of query times that change in several steps, as of a GPU that lowers its clocks."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

#: Parts of the run whose medians show levels, the fewest that show one, and what may lie between levels.
_PARTS, _MIN_PARTS, _MAX_BETWEEN = 100, 5, 10
#: Parts of a level differ by less than this part of it, and its halves by a fraction of each step.
_FLAT, _FLATTER = 0.01, 4.0
#: Two levels are one step, which `modes.py` finds.
_SEVERAL = 3


class Level(NamedTuple):
    """Queries one after the other that take about the same time.

    Attributes:
        begins: The number of queries before it.
        part: Of the queries, between 0 and 1.
        ms: Their median time.
    """

    begins: int
    part: float
    ms: float


def find_levels(times_ms: Sequence[float], positions: Sequence[int]) -> list[Level]:
    """Return the levels of times that change in two steps or more; none where they do not, or gradually.

    Args:
        times_ms: Of queries, in order.
        positions: The number of each query.
    """
    size = max(1, len(times_ms) // _PARTS)
    parts = [(at, median(times_ms[at : at + size])) for at in range(0, len(times_ms), size)]
    flat = [run for run in _runs(parts) if len(run) >= _MIN_PARTS]
    if sum(map(len, flat)) < len(parts) - _MAX_BETWEEN:
        return []
    flat = list(_runs(part for run in flat for part in run))
    steps = [abs(_level(one) - _level(other)) for one, other in pairwise(flat)]
    drifts = [abs(_level(run[: len(run) // 2]) - _level(run[len(run) // 2 :])) for run in flat]
    if len(flat) < _SEVERAL or min(steps) < _FLATTER * max(drifts):
        return []
    begins = [0]
    for before, after in pairwise(flat):
        middle_ms = (_level(before) + _level(after)) / 2
        window = range(before[-1][0], after[0][0] + size)
        is_slower = _level(before) > middle_ms
        begins.append(window[0] + sum((times_ms[at] > middle_ms) == is_slower for at in window))
    numbers = [*(positions[at] for at in begins), positions[-1] + 1]
    return [
        Level(first, (last - first) / numbers[-1], _level(run))
        for run, (first, last) in zip(flat, pairwise(numbers), strict=True)
    ]


def _runs(parts: Iterable[tuple[int, float]]) -> list[list[tuple[int, float]]]:
    """Return the parts in runs of about the same time."""
    runs: list[list[tuple[int, float]]] = []
    for part in parts:
        if runs and abs(part[1] - _level(runs[-1])) <= _FLAT * part[1]:
            runs[-1].append(part)
        else:
            runs.append([part])
    return runs


def _level(run: Sequence[tuple[int, float]]) -> float:
    return median(ms for _, ms in run)

"""Find what two sequences have in common in the same order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Sequence

#: Longer stretches are compared piece by piece, so that time grows with the length and not its square.
_WINDOW = 2048


def rising(values: Sequence[int]) -> list[int]:
    """Return the positions of a longest strictly rising subsequence.

    Source: patience sorting, M. L. Fredman, "On computing the length of longest increasing subsequences",
    Discrete Mathematics 11 (1975).
    """
    tops: list[int] = []
    at: list[int] = []
    before = [-1] * len(values)
    for position, value in enumerate(values):
        pile = bisect_left(tops, value)
        if pile:
            before[position] = at[pile - 1]
        if pile == len(tops):
            tops.append(value)
            at.append(position)
        else:
            tops[pile], at[pile] = value, position
    found: list[int] = []
    position = at[-1] if at else -1
    while position >= 0:
        found.append(position)
        position = before[position]
    return found[::-1]


def common(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return pairs of positions of a long common subsequence; the longest where both fit the window.

    Of several such the one that ends latest: what a fused layer hides comes first of what follows it.
    """
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while len(left) - i > _WINDOW or len(right) - j > _WINDOW:
        if i >= len(left) or j >= len(right):
            return pairs
        until_window = max(len(left) - i, len(right) - j) - _WINDOW
        alike = _count_alike(left[i : i + until_window], right[j : j + until_window])
        if alike:
            pairs += zip(range(i, i + alike), range(j, j + alike), strict=True)
            i, j = i + alike, j + alike
            continue
        found = _longest_from_start(left[i : i + _WINDOW], right[j : j + _WINDOW])
        # What is near the end of a window may have its better partner beyond it.
        kept = [(a, b) for a, b in found if a < _WINDOW // 2 and b < _WINDOW // 2]
        pairs += [(i + a, j + b) for a, b in kept]
        if kept:
            i, j = i + kept[-1][0] + 1, j + kept[-1][1] + 1
        else:
            i, j = i + _WINDOW // 2, j + _WINDOW // 2
    return pairs + [(i + a, j + b) for a, b in _longest(left[i:], right[j:])]


def _count_alike(left: Sequence[Hashable], right: Sequence[Hashable]) -> int:
    """Return how many items both begin with."""
    pairs = enumerate(zip(left, right, strict=False))
    return next((at for at, (one, other) in pairs if one != other), min(len(left), len(right)))


def _longest_from_start(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return, of several longest common subsequences, the one that starts earliest."""
    turned = _longest(left[::-1], right[::-1])
    return [(len(left) - 1 - a, len(right) - 1 - b) for a, b in reversed(turned)]


def _longest(left: Sequence[Hashable], right: Sequence[Hashable]) -> list[tuple[int, int]]:
    """Return a longest common subsequence.

    Rows of the table of lengths are kept as bits: bit j of row i is 0 where the length grows by column j.
    Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.
    """
    left_end, right_end = len(left), len(right)
    while left_end and right_end and left[left_end - 1] == right[right_end - 1]:
        left_end, right_end = left_end - 1, right_end - 1
    tail = list(zip(range(left_end, len(left)), range(right_end, len(right)), strict=True))
    where: defaultdict[Hashable, int] = defaultdict(int)
    for position in range(right_end):
        where[right[position]] |= 1 << position
    full = (1 << right_end) - 1
    rows = []
    row = full
    for value in left[:left_end]:
        meet = row & where.get(value, 0)
        row = ((row + meet) | (row - meet)) & full
        rows.append(row)
    found: list[tuple[int, int]] = []
    i, j = left_end - 1, right_end - 1
    while i >= 0 and j >= 0:
        if left[i] == right[j]:
            found.append((i, j))
            i, j = i - 1, j - 1
        elif rows[i] >> j & 1:
            j -= 1
        else:
            i -= 1
    return found[::-1] + tail

"""Find what two sequences have in common in the same order."""

from __future__ import annotations

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Hashable, Mapping, Sequence
from itertools import pairwise

#: Longer stretches are compared piece by piece, so that time grows with the length and not its square.
_WINDOW = 2048
#: Sequences are in the same order if this part of what they have in common is.
IN_ORDER = 0.75
#: Of an exchanged branch at least this many values move, and this part of all.
_LEAST_MOVED, _MOVED_PART = 3, 0.1


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


def are_in_turns(values: Sequence[int]) -> bool:
    """Return whether values rise in few long parts, of which later ones begin below: exchanged branches."""
    rises = sum(after > before for before, after in pairwise(values))
    moved = len(values) - len(rising(values))
    return rises >= IN_ORDER * len(values) and moved >= max(_LEAST_MOVED, _MOVED_PART * len(values))


def common(
    left: Sequence[Hashable], right: Sequence[Hashable], wanted: Mapping[int, int] | None = None
) -> list[tuple[int, int]]:
    """Return pairs of positions of a long common subsequence; the longest where both fit the window.

    Of several such the one that ends latest: what a fused layer hides comes first of what follows it.

    Args:
        left: One sequence.
        right: The other.
        wanted: Pairs of equal values: those that cost no length are taken, from the end on.
    """
    wanted = wanted or {}
    pairs: list[tuple[int, int]] = []
    i = j = 0
    while len(left) - i > _WINDOW or len(right) - j > _WINDOW:
        if i >= len(left) or j >= len(right):
            return pairs
        until_window = max(len(left) - i, len(right) - j) - _WINDOW
        alike = _count_alike(left, right, (i, j), until_window, wanted)
        if alike:
            pairs += zip(range(i, i + alike), range(j, j + alike), strict=True)
            i, j = i + alike, j + alike
            continue
        found = _longest_from_start(
            left[i : i + _WINDOW], right[j : j + _WINDOW], _from(wanted, i, j, _WINDOW)
        )
        # What is near the end of a window may have its better partner beyond it.
        kept = [(a, b) for a, b in found if a < _WINDOW // 2 and b < _WINDOW // 2]
        pairs += [(i + a, j + b) for a, b in kept]
        if kept:
            i, j = i + kept[-1][0] + 1, j + kept[-1][1] + 1
        else:
            i, j = i + _WINDOW // 2, j + _WINDOW // 2
    return pairs + [(i + a, j + b) for a, b in _longest(left[i:], right[j:], _from(wanted, i, j, _WINDOW))]


def common_wanted(
    left: Sequence[Hashable], right: Sequence[Hashable], wanted: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return pairs of a long common subsequence, with as many wanted ones as from the end or the start on."""
    found = common(left, right, wanted)
    kept = _count_wanted(found, wanted)
    if kept == len(wanted):
        return found
    last, its_last = len(left) - 1, len(right) - 1
    turned = common(left[::-1], right[::-1], {last - a: its_last - b for a, b in wanted.items()})
    other = [(last - a, its_last - b) for a, b in reversed(turned)]
    return other if len(other) >= len(found) and _count_wanted(other, wanted) > kept else found


def _count_wanted(pairs: Sequence[tuple[int, int]], wanted: Mapping[int, int]) -> int:
    return sum(wanted.get(left) == right for left, right in pairs)


def _from(wanted: Mapping[int, int], left: int, right: int, length: int) -> Mapping[int, int]:
    """Return the wanted pairs of pieces of both sequences, as positions in these."""
    if not wanted:
        return wanted
    ends = ((at, wanted[at]) for at in range(left, left + length) if at in wanted)
    return {one - left: other - right for one, other in ends if right <= other < right + length}


def _count_alike(
    left: Sequence[Hashable],
    right: Sequence[Hashable],
    starts: tuple[int, int],
    most: int,
    wanted: Mapping[int, int],
) -> int:
    """Return how many items follow two places alike, up to where another pair of these is wanted.

    What lies behind the first difference is not looked at, so that a long sequence of short likenesses costs
    no more than one long likeness.
    """
    i, j = starts
    length = min(most, len(left) - i, len(right) - j)
    for at in range(length):
        partner = wanted.get(i + at, j + at)
        if left[i + at] != right[j + at] or (partner != j + at and j <= partner < j + most):
            return at
    return length


def _longest_from_start(
    left: Sequence[Hashable], right: Sequence[Hashable], wanted: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return, of several longest common subsequences, the one that starts earliest."""
    last, its_last = len(left) - 1, len(right) - 1
    turned = _longest(left[::-1], right[::-1], {last - a: its_last - b for a, b in wanted.items()})
    return [(last - a, its_last - b) for a, b in reversed(turned)]


def _longest(
    left: Sequence[Hashable], right: Sequence[Hashable], wanted: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return a longest common subsequence.

    Rows of the table of lengths are kept as bits: bit j of row i is 0 where the length grows by column j.
    Source: H. Hyyrö, "Bit-parallel LCS-length computation revisited", AWOCA 2004.
    """
    left_end, right_end = len(left), len(right)
    wanting = {other: one for one, other in wanted.items()}
    while left_end and right_end and left[left_end - 1] == right[right_end - 1]:
        left_end, right_end = left_end - 1, right_end - 1
        if wanted.get(left_end, right_end) != right_end or wanting.get(right_end, left_end) != left_end:
            left_end, right_end = left_end + 1, right_end + 1
            break
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
            # A wanted pair that costs no length, of the one item or of the other: the nearer of both.
            one, other = wanting.get(j, i), wanted.get(i, j)
            if other < j and (one >= i or j - other <= i - one):
                j = other if _length(rows[i], other) == _length(rows[i], j) else j
            elif one < i:
                i = one if _length(rows[one], j) == _length(rows[i], j) else i
            found.append((i, j))
            i, j = i - 1, j - 1
        elif rows[i] >> j & 1:
            j -= 1
        else:
            i -= 1
    return found[::-1] + tail


def _length(row: int, column: int) -> int:
    """Return the length that a row of the table has in a column."""
    return column + 1 - (row & ((2 << column) - 1)).bit_count()

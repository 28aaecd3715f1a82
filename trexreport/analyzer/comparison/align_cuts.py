"""Decide which of several equal stretches of layers it is that one engine has more than the other."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from trexreport.analyzer.comparison.items import Item
from trexreport.analyzer.comparison.match import FLOW, ORDER, Match


def settle(match: Match) -> None:
    """Let what one side has alone be a stretch that few results enter and leave: a whole block.

    Of equal blocks in a row, one of which the other side lacks, any may be the one, and so may the end of
    one with the beginning of the next. Ties by names stay, and those of what is fused.
    """
    if match.open_left == match.open_right == 0:
        return
    ties = Counter(edge.left for edge in match.edges), Counter(edge.right for edge in match.edges)
    fixed = {
        edge.left: edge.right
        for edge in match.edges
        if edge.key < FLOW or ties[0][edge.left] > 1 or ties[1][edge.right] > 1
    }
    pairs = match.anchors()
    found = _settled(pairs, match.left, fixed)
    turned = _settled([(b, a) for a, b in found], match.right, {b: a for a, b in fixed.items()})
    moved = {(a, b) for b, a in turned}.difference(pairs)
    if moved:
        gone = {left for left, _ in moved}, {right for _, right in moved}
        match.keep([edge for edge in match.edges if edge.left not in gone[0] and edge.right not in gone[1]])
        for pair in sorted(moved):
            match.tie(*pair, ORDER)


def _settled(
    pairs: Sequence[tuple[int, int]], items: Sequence[Item], fixed: Mapping[int, int]
) -> list[tuple[int, int]]:
    """Return pairs of which those next to what the first side has alone may have moved past it."""
    found = list(pairs)
    for at in range(len(found) - 1):
        (before, its_before), (after, its_after) = found[at], found[at + 1]
        alone = after - before - 1
        if its_after != its_before + 1 or alone < 2:
            continue
        steps = _free(found, at, 1, items, fixed), _free(found, at, -1, items, fixed)
        best = _best(items, before + 1, after, steps)
        for number in range(at + 1, at + 1 + best):
            found[number] = found[number][0] - alone, found[number][1]
        for number in range(at + 1 + best, at + 1):
            found[number] = found[number][0] + alone, found[number][1]
    return found


def _free(
    pairs: Sequence[tuple[int, int]], at: int, step: int, items: Sequence[Item], fixed: Mapping[int, int]
) -> int:
    """Return past how many pairs after one, or up to it, the items between it and the next can move."""
    (before, its_before), (after, its_after) = pairs[at], pairs[at + 1]
    alone = after - before - 1
    left, right = (after, its_after) if step > 0 else (before, its_before)
    number, moved = (at + 1 if step > 0 else at), 0
    while (
        0 <= number < len(pairs)
        and pairs[number] == (left, right)
        and left not in fixed
        and _look(items[left]) == _look(items[left - step * alone])
    ):
        left, right, number, moved = left + step, right + step, number + step, moved + 1
    return moved


def _look(item: Item) -> Hashable:
    return item.signature.build, item.signature.inputs


def _best(items: Sequence[Item], begin: int, end: int, steps: tuple[int, int]) -> int:
    """Return how far a stretch moves to where it exchanges the fewest results with the others."""
    best = 0
    for step, most in zip((1, -1), steps, strict=True):
        low, high, gained = begin, end, 0
        least = 0
        for moved in range(1, most + 1):
            enters, leaves = (high, low) if step > 0 else (low - 1, high - 1)
            gained -= _exchanged(items[leaves], low, high, but=leaves)
            low, high = low + step, high + step
            gained += _exchanged(items[enters], low, high, but=enters)
            if gained < least:
                best, least = step * moved, gained
    return best


def _exchanged(item: Item, low: int, high: int, *, but: int) -> int:
    """Return how many results an item exchanges beyond a stretch, less those that it does within."""
    return sum(-1 if low <= at < high and at != but else 1 for at in (*item.previous, *item.following))

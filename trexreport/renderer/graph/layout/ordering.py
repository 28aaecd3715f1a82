"""Order the vertices of each rank so that few edges cross."""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from collections.abc import Iterator
from itertools import pairwise
from random import Random

from trexreport.renderer.graph.layout.layering import Layering

Rows = list[list[int]]

# Bounds on the work, counted in vertices that a sweep looks at: large graphs get fewer sweeps and starts.
_SWEPT_PER_START = 80_000
_SHUFFLED = 5_000
_MAX_ROUNDS = 24
_MAX_SHUFFLES = 8
_PATIENCE = 5
_QUICK_ROUNDS = 4


def count_crossings(layering: Layering, rows: Rows) -> int:
    """Count the pairs of edges between neighboring rows that cross."""
    place = layering.places(rows)
    pairs = pairwise(rows)
    return sum([_crossings_below(layering, each, place) for each, below in pairs if len(below) > 1])


def _crossings_below(layering: Layering, row: list[int], place: list[int]) -> int:
    if len(row) < 2:
        return 0
    down = layering.down
    ends: list[int] = []
    crossings = 0
    for vertex in row:
        targets = down[vertex]
        # Most vertices have one neighbor only, and most edges cross none.
        if len(targets) == 1:
            target = place[targets[0]]
            if not ends or ends[-1] <= target:
                ends.append(target)
            else:
                crossings += len(ends) - bisect_right(ends, target)
                insort(ends, target)
            continue
        # Targets of one vertex never cross each other, so they are compared before they are added.
        targets = [place[target] for target in targets]
        for target in targets:
            crossings += len(ends) - bisect_right(ends, target)
        for target in targets:
            insort(ends, target)
    return crossings


def _places(vertices: list[int], place: list[int]) -> list[int]:
    """Return the places of vertices in ascending order; most vertices have one neighbor only."""
    if len(vertices) == 1:
        return [place[vertices[0]]]
    return sorted([place[vertex] for vertex in vertices])


def reduce_crossings(layering: Layering, *, keep_first: bool = False, is_thorough: bool = True) -> None:
    """Reorder the rows of a layering in place.

    Args:
        layering: What to reorder.
        keep_first: Leave the first row in the order given.
        is_thorough: Try many orders; else one, in a tenth of the time and with somewhat more crossings.
    """
    size = sum(len(row) for row in layering.rows if len(row) > 1)
    if not size:
        return
    rounds = max(2, min(_MAX_ROUNDS, _SWEPT_PER_START // size)) if is_thorough else _QUICK_ROUNDS
    best = [list(row) for row in layering.rows]
    fewest = count_crossings(layering, best)
    for start in _starts(layering, size) if is_thorough else [_walk(layering, layering.down, layering.up)]:
        if not fewest:
            break
        if keep_first:
            start[0] = list(layering.rows[0])
        rows, crossings = _improve(layering, start, rounds, keep_first=keep_first)
        if crossings < fewest:
            best, fewest = rows, crossings
    layering.rows[:] = best


def _starts(layering: Layering, size: int) -> Iterator[Rows]:
    """Make orders to start from: walks from above and from below, the given one, and shuffled ones."""
    yield _walk(layering, layering.down, layering.up)
    if size > _SWEPT_PER_START:
        return
    yield _walk(layering, layering.up, layering.down)
    yield [list(row) for row in layering.rows]
    random = Random(1)  # always the same shuffles: the layout has to be repeatable
    for _ in range(min(_MAX_SHUFFLES, _SHUFFLED // size)):
        rows = [list(row) for row in layering.rows]
        for row in rows:
            random.shuffle(row)
        yield rows


def _walk(layering: Layering, ahead: list[list[int]], behind: list[list[int]]) -> Rows:
    """Order each row by when a depth-first walk along the edges meets its vertices."""
    rows: Rows = [[] for _ in layering.rows]
    seen = [False] * len(layering.ranks)
    roots = [vertex for vertex in range(len(seen)) if not behind[vertex]]
    for root in roots:
        stack = [root]
        while stack:
            vertex = stack.pop()
            if seen[vertex]:
                continue
            seen[vertex] = True
            rows[layering.ranks[vertex]].append(vertex)
            stack.extend(reversed(ahead[vertex]))
            # Also take what else feeds this vertex, so that the sources of one place stay together.
            stack.extend(other for other in reversed(behind[vertex]) if not seen[other])
    return rows


def _improve(layering: Layering, rows: Rows, rounds: int, *, keep_first: bool) -> tuple[Rows, int]:
    """Sweep down and up until nothing gets better; return the best rows seen and their crossings."""
    best, fewest, idle = [list(row) for row in rows], count_crossings(layering, rows), 0
    for number in range(rounds):
        downward = number % 2 == 0
        _sweep(layering, rows, downward=downward, median=number % 4 < 2, keep_first=keep_first)
        _exchange_neighbors(layering, rows, keep_first=keep_first, swap_ties=number % 4 > 1)
        crossings = count_crossings(layering, rows)
        if crossings < fewest:
            best, fewest, idle = [list(row) for row in rows], crossings, 0
        else:
            idle += 1
        if not fewest or idle >= _PATIENCE:
            break
    return best, fewest


def _sweep(layering: Layering, rows: Rows, *, downward: bool, median: bool, keep_first: bool) -> None:
    """Sort each row by where its neighbors on the row before stand."""
    place = layering.places(rows)
    neighbors = layering.up if downward else layering.down
    numbers = range(1, len(rows)) if downward else range(len(rows) - 2, 0 if keep_first else -1, -1)
    for number in numbers:
        row = rows[number]
        if len(row) < 2:
            continue
        keys: dict[int, float] = {}
        for vertex in row:
            others = neighbors[vertex]
            if len(others) == 1:
                keys[vertex] = place[others[0]]
            elif others:
                places = _places(others, place)
                keys[vertex] = _weighted_median(places) if median else sum(places) / len(places)
        # `keys` is in the order of the row.
        moving = sorted(keys, key=keys.__getitem__)
        if len(moving) < len(row):
            following = iter(moving)
            # A vertex without neighbors on that side keeps its place in the row.
            moving = [next(following) if vertex in keys else vertex for vertex in row]
        row[:] = moving
        for index, vertex in enumerate(row):
            place[vertex] = index


def _weighted_median(places: list[int]) -> float:
    """Return the median; between two middle values, lean to the side where the others are denser."""
    middle = len(places) // 2
    if len(places) % 2:
        return places[middle]
    if len(places) == 2:
        return (places[0] + places[1]) / 2
    left, right = places[middle - 1] - places[0], places[-1] - places[middle]
    if not left + right:
        return (places[middle - 1] + places[middle]) / 2
    return (places[middle - 1] * right + places[middle] * left) / (left + right)


def _exchange_neighbors(layering: Layering, rows: Rows, *, keep_first: bool, swap_ties: bool) -> None:
    """Swap neighbors in a row as long as that removes crossings."""
    place = layering.places(rows)
    up, down = layering.up, layering.down
    for number in range(1 if keep_first else 0, len(rows)):
        row = rows[number]
        if len(row) < 2:
            continue
        above: dict[int, list[int]] = {}
        below: dict[int, list[int]] = {}
        for neighbors, places in ((up, above), (down, below)):
            for vertex in row:
                others = neighbors[vertex]
                places[vertex] = [place[others[0]]] if len(others) == 1 else _places(others, place)
        # What swapping a pair gains is the same in each attempt, and the opposite for the swapped pair.
        gains: dict[tuple[int, int], int] = {}
        for attempt in range(4):
            changed = False
            for index in range(len(row) - 1):
                left, right = row[index], row[index + 1]
                gain = gains.get((left, right))
                if gain is None:
                    gain = _gain(above[left], above[right]) + _gain(below[left], below[right])
                    gains[left, right], gains[right, left] = gain, -gain
                if gain > 0 or (swap_ties and not attempt and not gain):
                    row[index], row[index + 1] = right, left
                    changed = changed or gain > 0
            if not changed:
                break
        for index, vertex in enumerate(row):
            place[vertex] = index


def _gain(left: list[int], right: list[int]) -> int:
    """Count how many crossings fewer there are when two neighbors in a row swap."""
    if not left or not right:
        return 0
    if len(left) == 1:
        end = left[0]
        if len(right) == 1:
            return (end > right[0]) - (end < right[0])
        return bisect_left(right, end) - len(right) + bisect_right(right, end)
    gain = -len(left) * len(right)
    for end in left:
        gain += bisect_left(right, end) + bisect_right(right, end)
    return gain

"""Set a tall drawing in columns, as a newspaper does, so that it uses the width of a screen or of a sheet.

A layout of a network is often a chain: a hundred boxes high and one box wide. It is cut where no box is and
few edges pass, and what passes is led from the foot of a column to the head of the next.
"""

from __future__ import annotations

import operator
from bisect import bisect_right
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from math import ceil, inf, sqrt

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.folding import Area, Folded, fold
from trexreport.renderer.graph.layout.interface import Layout, Node, Point, moved
from trexreport.renderer.graph.layout.routing import simplify

#: With more edges open at a cut than this, lanes between the columns would take more room than the columns.
_MOST_OPEN = 16
#: The least free height between boxes in which a drawing may be cut, in pixels.
_FREE = 4.0
#: How much higher than their mean columns may be, and in which last part one may end where few edges pass.
_SLACKS, _FLEXIBLE = (1.03, 1.07, 1.12, 1.2, 1.35), (0.3, 0.15, 0.05)


@dataclass(frozen=True)
class Proportions:
    """What a drawing in columns aims at.

    Attributes:
        least_height: In pixels; no drawing that is lower is cut.
        aspect: The width of the whole over its height.
    """

    least_height: float
    aspect: float


def in_columns(layout: Layout, nodes: Sequence[Node], wanted: Proportions) -> Layout:
    """Return a layout in columns, or the layout itself where it is low or has no place to be cut.

    Args:
        layout: From top to bottom.
        nodes: The boxes that it places.
        wanted: How high and wide the result should be.
    """
    if layout.height <= wanted.least_height or layout.width > wanted.aspect * layout.height:
        return layout
    limit = max(wanted.least_height, sqrt(layout.height * (layout.width + 60.0) / wanted.aspect))
    return _divided(layout, nodes, ceil(layout.height / limit), limit)


def in_column_count(layout: Layout, nodes: Sequence[Node], count: int) -> Layout:
    """Return a layout in this number of columns or in fewer, or the layout itself where it can't be cut."""
    return _divided(layout, nodes, count, layout.height / count * _SLACKS[-1])


def _divided(layout: Layout, nodes: Sequence[Node], count: int, limit: float) -> Layout:
    cuts = _cuts(layout, nodes)
    if not cuts:
        return layout
    strips = _strips(layout, nodes, cuts)
    folded = _balanced(strips, layout.height, count, limit)
    if not folded.turns or any(turn.lanes > _MOST_OPEN for turn in folded.turns.values()):
        return layout
    return _Columns(layout, cuts, strips, folded).layout()


def _balanced(strips: Sequence[Area], height: float, count: int, limit: float) -> Folded:
    """Return the strips in columns of about one height: the last one is not to hold a few boxes only."""
    tries = (
        fold(strips, tallest=height / count * slack, aspect=inf, flexible=flexible)
        for slack in _SLACKS
        for flexible in _FLEXIBLE
    )
    last = fold(strips, tallest=limit, aspect=inf)
    return next((folded for folded in tries if len(folded.turns) < count), last)


def _cuts(layout: Layout, nodes: Sequence[Node]) -> list[float]:
    """Return the heights at which no box is, from top to bottom: the middle between two rows of boxes."""
    rows = sorted(
        (layout.positions[node.key][1] - node.height / 2, layout.positions[node.key][1] + node.height / 2)
        for node in nodes
    )
    cuts, foot = [], rows[0][1] if rows else 0.0
    for top, bottom in rows:
        if top - foot >= _FREE:
            cuts.append((foot + top) / 2)
        foot = max(foot, bottom)
    return cuts


def _strips(layout: Layout, nodes: Sequence[Node], cuts: Sequence[float]) -> list[Area]:
    """Return the strips between cuts: how far each reaches to both sides, and how many edges leave it."""
    lefts, rights = [layout.width] * (len(cuts) + 1), [0.0] * (len(cuts) + 1)
    opened = [0] * (len(cuts) + 1)

    def reach(strip: int, left: float, right: float) -> None:
        lefts[strip], rights[strip] = min(lefts[strip], left), max(rights[strip], right)

    for node in nodes:
        x, y = layout.positions[node.key]
        reach(bisect_right(cuts, y), x - node.width / 2, x + node.width / 2)
    columns = []
    for route in layout.routes.values():
        for x, y in route:
            reach(bisect_right(cuts, y), x, x)
        for start, end in pairwise(route):
            passed = _passed(cuts, start, end)
            if start[0] == end[0] and passed:
                # An edge around most of a network passes most cuts.
                columns.append((start[0], min(passed[0], passed[-1]), max(passed[0], passed[-1])))
                continue
            for cut in passed:
                x = _crossing(start, end, cuts[cut])
                opened[cut] += 1
                reach(cut, x, x)
                reach(cut + 1, x, x)
    _take_outermost(lefts, sorted(columns), min)
    _take_outermost(rights, sorted(columns, reverse=True), max)
    begun = Counter(first for _, first, _ in columns)
    begun.subtract(last + 1 for _, _, last in columns)
    passing = accumulate(begun[strip] for strip in range(len(opened)))
    opened = list(map(operator.add, opened, passing))
    tops = [0.0, *cuts, layout.height]
    return [
        Area(left, top, max(right - left, 0.0), bottom - top, count)
        for left, right, (top, bottom), count in zip(lefts, rights, pairwise(tops), opened, strict=True)
    ]


def _take_outermost(
    ends: list[float], columns: Sequence[tuple[float, int, int]], choose: Callable[[float, float], float]
) -> None:
    """Let strips reach to the vertical pieces that pass them, given from the outermost one on."""
    following = list(range(len(ends) + 1))

    def first_open(strip: int) -> int:
        while following[strip] != strip:
            following[strip] = following[following[strip]]
            strip = following[strip]
        return strip

    for x, first, last in columns:
        strip = first_open(first)
        while strip <= last + 1:
            ends[strip] = choose(ends[strip], x)
            following[strip] = strip + 1
            strip = first_open(strip + 1)


def _passed(cuts: Sequence[float], start: Point, end: Point) -> range:
    """Return which cuts a straight piece of a route passes, in its own direction."""
    first, last = bisect_right(cuts, start[1]), bisect_right(cuts, end[1])
    return range(first, last) if first <= last else range(first - 1, last - 1, -1)


def _crossing(start: Point, end: Point, y: float) -> float:
    """Return where a straight piece of a route meets a height."""
    return start[0] + (end[0] - start[0]) * (y - start[1]) / (end[1] - start[1])


class _Columns:
    """A layout whose strips have new places."""

    def __init__(self, layout: Layout, cuts: Sequence[float], strips: Sequence[Area], folded: Folded) -> None:
        self._old = layout
        self._cuts = cuts
        self._folded = folded
        self._turns = sorted(folded.turns)
        self._heights = [cuts[cut] for cut in self._turns]
        self._shifts = [
            (x - strip.x, y - strip.y) for strip, (x, y) in zip(strips, folded.offsets, strict=True)
        ]
        self._lanes = self._assign_lanes()

    def layout(self) -> Layout:
        return replace(
            self._old,
            width=self._folded.width,
            height=self._folded.height,
            positions={key: self._moved(point) for key, point in self._old.positions.items()},
            routes={key: self._route(key, route) for key, route in self._old.routes.items()},
        ).rounded()

    def _assign_lanes(self) -> dict[tuple[str, int, int], int]:
        """Number the edges that turn after a strip from left to right, by edge, piece of route and cut."""
        turning: dict[int, list[tuple[float, str, int]]] = {cut: [] for cut in self._turns}
        for key, route in self._old.routes.items():
            for piece, (start, end) in enumerate(pairwise(route)):
                for cut in self._turns_of(start, end):
                    turning[cut].append((_crossing(start, end, self._cuts[cut]), key, piece))
        return {
            (key, piece, cut): lane
            for cut, passing in turning.items()
            for lane, (_, key, piece) in enumerate(sorted(passing))
        }

    def _turns_of(self, start: Point, end: Point) -> Iterator[int]:
        """Yield the cuts between columns that a straight piece of a route passes, in its own direction."""
        return (self._turns[place] for place in _passed(self._heights, start, end))

    def _moved(self, point: Point) -> Point:
        return moved(point, *self._shifts[bisect_right(self._cuts, point[1])])

    def _route(self, key: str, route: Sequence[Point]) -> tuple[Point, ...]:
        points = [self._moved(route[0])]
        for piece, (start, end) in enumerate(pairwise(route)):
            for cut in self._turns_of(start, end):
                points += self._turned(start, end, cut, self._lanes[key, piece, cut])
            points.append(self._moved(end))
        return tuple(simplify(points))

    def _turned(self, start: Point, end: Point, cut: int, lane: int) -> list[Point]:
        """Return the way of an edge between two columns, in its own direction."""
        x, y = _crossing(start, end, self._cuts[cut]), self._cuts[cut]
        above, below = moved((x, y), *self._shifts[cut]), moved((x, y), *self._shifts[cut + 1])
        points = [above, *self._folded.turns[cut].points(lane, above[0], below[0]), below]
        return points if end[1] > start[1] else points[::-1]

"""Measure a drawing: what overlaps, what runs through boxes, what crosses."""

from __future__ import annotations

from itertools import pairwise

from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point

Box = tuple[float, float, float, float]
#: How far a place may be off where places and sizes are rounded to tenths, whose sums are not exact.
ROUNDING = 0.1 + 1e-6
_CELL = 200.0


def boxes(nodes: list[Node], layout: Layout, shrink: float = 0.0) -> dict[str, Box]:
    """Return left, top, right and bottom of each node."""
    found = {}
    for node in nodes:
        x, y = layout.positions[node.key]
        half_width, half_height = node.width / 2 - shrink, node.height / 2 - shrink
        found[node.key] = (x - half_width, y - half_height, x + half_width, y + half_height)
    return found


class _Grid:
    """Things by the cells of a square grid that they touch."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], list[int]] = {}

    @staticmethod
    def around(box: Box) -> list[tuple[int, int]]:
        left, top, right, bottom = (int(value // _CELL) for value in box)
        return [(x, y) for x in range(left, right + 1) for y in range(top, bottom + 1)]

    def add(self, number: int, box: Box) -> None:
        for cell in self.around(box):
            self.cells.setdefault(cell, []).append(number)


def overlapping_boxes(nodes: list[Node], layout: Layout) -> list[tuple[str, str]]:
    """Return the pairs of nodes whose boxes overlap by more than rounding."""
    found, grid, pairs = list(boxes(nodes, layout, 0.06).items()), _Grid(), set()
    for number, (key, box) in enumerate(found):
        for cell in grid.around(box):
            for other in grid.cells.get(cell, ()):
                other_key, there = found[other]
                if (box[0] < there[2] and there[0] < box[2]) and (box[1] < there[3] and there[1] < box[3]):
                    pairs.add((other_key, key))
        grid.add(number, box)
    return sorted(pairs)


def foreign_boxes_crossed(
    nodes: list[Node], edges: list[Edge], layout: Layout, shrink: float = 0.5
) -> list[tuple[str, str]]:
    """Return edge and node for every route that runs through the box of a node it does not join.

    The boxes are shrunk by half a pixel, so that a route along a border by rounding does not count.
    """
    found, grid, pairs = list(boxes(nodes, layout, shrink).items()), _Grid(), set()
    for number, (_, box) in enumerate(found):
        grid.add(number, box)
    for edge in edges:
        own = (edge.source, edge.target)
        route = layout.routes.get(edge.key, ())
        for start, end in pairwise(route):
            for cell in grid.around(_around(start, end)):
                for number in grid.cells.get(cell, ()):
                    key, box = found[number]
                    if key not in own and _hits(start, end, box):
                        pairs.add((edge.key, key))
    return sorted(pairs)


def _around(start: Point, end: Point) -> Box:
    return (min(start[0], end[0]), min(start[1], end[1]), max(start[0], end[0]), max(start[1], end[1]))


def _hits(start: Point, end: Point, box: Box) -> bool:
    """Clip the piece against the box, exactly."""
    low, high = 0.0, 1.0
    for axis in (0, 1):
        delta = end[axis] - start[axis]
        near, far = box[axis] - start[axis], box[axis + 2] - start[axis]
        if delta == 0:
            if near >= 0 or far <= 0:
                return False
            continue
        one, other = sorted((near / delta, far / delta))
        low, high = max(low, one), min(high, other)
        if low >= high:
            return False
    return True


def count_crossings(edges: list[Edge], layout: Layout) -> int:
    """Count the crossings between drawn routes of edges that share no node."""
    pieces: list[tuple[Point, Point, int]] = []
    grid = _Grid()
    for number, edge in enumerate(edges):
        route = layout.routes.get(edge.key, ())
        for start, end in pairwise(route):
            grid.add(len(pieces), _around(start, end))
            pieces.append((start, end, number))
    crossing: set[tuple[int, int]] = set()
    for members in grid.cells.values():
        for index, one in enumerate(members):
            for other in members[:index]:
                pair = (other, one)
                if pair not in crossing and _cross(pieces[one], pieces[other], edges):
                    crossing.add(pair)
    return len(crossing)


def _cross(one: tuple[Point, Point, int], other: tuple[Point, Point, int], edges: list[Edge]) -> bool:
    first, second = edges[one[2]], edges[other[2]]
    if {first.source, first.target} & {second.source, second.target}:
        return False
    a, b, c, d = one[0], one[1], other[0], other[1]
    # Half-open on one end of each piece: a crossing in a joint of a route is counted once.
    return (_side(a, b, c) >= 0) != (_side(a, b, d) >= 0) and (_side(c, d, a) >= 0) != (_side(c, d, b) >= 0)


def _side(start: Point, end: Point, point: Point) -> float:
    return (end[0] - start[0]) * (point[1] - start[1]) - (end[1] - start[1]) * (point[0] - start[0])


def routes_that_miss_their_boxes(nodes: list[Node], edges: list[Edge], layout: Layout) -> list[str]:
    """Return the edges whose route does not begin and end on the border of its boxes."""
    outer, inner = boxes(nodes, layout, -0.6), boxes(nodes, layout, 0.6)
    missed = []
    for edge in edges:
        route = layout.routes[edge.key]
        for point, key in ((route[0], edge.source), (route[-1], edge.target)):
            if not _inside(point, outer[key]) or _inside(point, inner[key]):
                missed.append(edge.key)
    return missed


def _inside(point: Point, box: Box) -> bool:
    return box[0] <= point[0] <= box[2] and box[1] <= point[1] <= box[3]

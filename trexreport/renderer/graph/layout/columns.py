"""Give every vertex its x coordinate: straight columns first, then columns close to what they connect to.

Vertices that an edge joins and that can stand exactly below each other become one column. What is left,
the offset of every other edge, is made small in total by network simplex over the columns.
"""

from __future__ import annotations

from collections import Counter
from itertools import pairwise
from math import ceil

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.alignment import straight_columns
from trexreport.renderer.graph.layout.layering import Layering
from trexreport.renderer.graph.layout.ranking import Arc, longest_paths, topological_order
from trexreport.renderer.graph.layout.simplex import Constraint, solve

NODE_GAP = 28.0
BEND_GAP = 14.0

# A long edge with a kink looks worse than a slanted short one, so edges have the weights of Gansner et al.
_WEIGHT_NODE_NODE, _WEIGHT_NODE_BEND, _WEIGHT_BEND_BEND = 1, 2, 8
_STEPS_PER_COLUMN = 1500
_MAX_STEPS = 1_500_000


@dataclass(frozen=True)
class Extents:
    """How far each node reaches to the left and to the right of its center."""

    left: list[float]
    right: list[float]


def place_columns(layering: Layering, arcs: list[Arc], extents: Extents) -> list[int]:
    """Return the x coordinate of the center of each vertex."""
    column = straight_columns(layering, arcs)
    count = max(column, default=-1) + 1
    distances: Counter[Arc] = Counter()
    for row in layering.rows:
        for left, right in pairwise(row):
            pair = column[left], column[right]
            distances[pair] = max(distances[pair], _distance(layering, extents, left, right))
    pulls: Counter[Arc] = Counter()
    for chain in layering.chains:
        for upper, lower in pairwise(chain):
            one, other = sorted((column[upper], column[lower]))
            if one != other:
                pulls[one, other] += _weight(layering, upper, lower)
    start = longest_paths(count, distances)
    _relax(count, distances, pulls, start)
    xs = _settle(distances, pulls, start)
    return [xs[number] for number in column]


def _distance(layering: Layering, extents: Extents, left: int, right: int) -> int:
    gap = NODE_GAP
    reach = 0.0
    if layering.is_bend(left) or layering.is_bend(right):
        gap = BEND_GAP
    if not layering.is_bend(left):
        reach += extents.right[left]
    if not layering.is_bend(right):
        reach += extents.left[right]
    return ceil(reach + gap)


def _weight(layering: Layering, upper: int, lower: int) -> int:
    bends = layering.is_bend(upper) + layering.is_bend(lower)
    return (_WEIGHT_NODE_NODE, _WEIGHT_NODE_BEND, _WEIGHT_BEND_BEND)[bends]


def _relax(count: int, distances: dict[Arc, int], pulls: dict[Arc, int], xs: list[int]) -> None:
    """Move each column toward what it connects to, as far as its neighbors let it, a few times."""
    left_of: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    right_of: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (left, right), distance in distances.items():
        right_of[left].append((right, distance))
        left_of[right].append((left, distance))
    pulled: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for (one, other), weight in pulls.items():
        pulled[one].append((other, weight))
        pulled[other].append((one, weight))
    order = topological_order(count, list(distances))
    for number in range(4):
        for column in order if number % 2 else reversed(order):
            if not pulled[column]:
                continue
            wanted = _median([(xs[other], weight) for other, weight in pulled[column]])
            for other, distance in left_of[column]:
                wanted = max(wanted, xs[other] + distance)
            for other, distance in right_of[column]:
                wanted = min(wanted, xs[other] - distance)
            xs[column] = wanted


def _median(weighted: list[tuple[int, int]]) -> int:
    weighted.sort()
    half = sum(weight for _, weight in weighted) / 2
    for value, weight in weighted:
        half -= weight
        if half <= 0:
            return value
    return weighted[-1][0]


def _settle(distances: dict[Arc, int], pulls: dict[Arc, int], start: list[int]) -> list[int]:
    """Make the weighted sum of all offsets least, by network simplex."""
    constraints = [Constraint(left, right, distance, 0) for (left, right), distance in distances.items()]
    values = list(start)
    for (one, other), weight in pulls.items():
        # The absolute difference of two columns is the way both have from a common point on their left.
        constraints.append(Constraint(len(values), one, 0, weight))
        constraints.append(Constraint(len(values), other, 0, weight))
        values.append(min(start[one], start[other]))
    steps = min(_MAX_STEPS, _STEPS_PER_COLUMN * len(values))
    solved = solve(constraints, values, steps)
    return solved[: len(start)]

"""Give every vertex its x coordinate: straight columns first, then columns close to what they connect to.

Vertices that an edge joins and that can stand exactly below each other become one column. What is left,
the offset of every other edge, is made small in total by network simplex over the columns.
"""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from itertools import pairwise
from math import ceil

from trexreport.lazy_dataclass import dataclass
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
    column = _straight_columns(layering, arcs)
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


# A person draws the main path straight and hangs the rest beside it. So the graph is cut into long paths, the
# longest first, and the pieces of each path are taken as far as they do not cross a piece taken before.
def _straight_columns(layering: Layering, arcs: list[Arc]) -> list[int]:
    """Choose the edges to draw exactly vertical; return the number of the column of each vertex."""
    place = layering.places()
    above = [-1] * len(place)
    has_below = [False] * len(place)
    chosen: list[list[tuple[int, int]]] = [[] for _ in layering.rows]
    for upper, lower in _by_priority(layering, arcs, place):
        if has_below[upper] or above[lower] >= 0:
            continue
        pairs = chosen[layering.ranks[upper]]
        pair = place[upper], place[lower]
        index = bisect_left(pairs, pair)
        crosses_left = index > 0 and pairs[index - 1][1] > pair[1]
        crosses_right = index < len(pairs) and pairs[index][1] < pair[1]
        if not crosses_left and not crosses_right:
            pairs.insert(index, pair)
            above[lower], has_below[upper] = upper, True
    column = [-1] * len(place)
    count = 0
    for row in layering.rows:
        for vertex in row:
            if above[vertex] >= 0:
                column[vertex] = column[above[vertex]]
            else:
                column[vertex] = count
                count += 1
    return column


def _by_priority(layering: Layering, arcs: list[Arc], place: list[int]) -> list[Arc]:
    """Sort the pieces of edges: inside long edges, along long paths, between middle neighbors first."""
    path = _long_paths(layering, arcs, place)
    keyed: list[tuple[int, int, int, int, Arc]] = []
    for number, chain in enumerate(layering.chains):
        for upper, lower in pairwise(chain):
            bends = layering.is_bend(upper) + layering.is_bend(lower)
            off_middle = _off_middle(layering.down[upper], lower, place)
            off_middle += _off_middle(layering.up[lower], upper, place)
            keyed.append(((1, 2, 0)[bends], path[number], off_middle, number, (upper, lower)))
    keyed.sort()
    return [piece for *_, piece in keyed]


def _long_paths(layering: Layering, arcs: list[Arc], place: list[int]) -> list[int]:
    """Cut the nodes into paths, longest first; return for each arc the number of its path.

    An arc that is on no path gets a number above all others.
    """
    nodes = layering.nodes
    out: list[list[int]] = [[] for _ in range(nodes)]
    for number, (tail, _) in enumerate(arcs):
        out[tail].append(number)
    depth = longest_paths(nodes, dict.fromkeys(arcs, 1))
    height = longest_paths(nodes, {(head, tail): 1 for tail, head in arcs})
    order = topological_order(nodes, arcs)
    path = [nodes] * len(arcs)
    taken = [False] * nodes
    starts = sorted(order, key=lambda vertex: (-depth[vertex] - height[vertex], depth[vertex]))
    for rank, start in enumerate(starts):
        vertex = start
        while not taken[vertex]:
            taken[vertex] = True
            free = [number for number in out[vertex] if not taken[arcs[number][1]]]
            if free:
                here = [(-height[arcs[number][1]], _lean(layering, place, number), number) for number in free]
                number = min(here)[2]
                path[number] = rank
                vertex = arcs[number][1]
    return path


def _lean(layering: Layering, place: list[int], number: int) -> int:
    """Return how far from the middle an arc leaves its tail and reaches its head."""
    chain = layering.chains[number]
    if not chain:
        return len(place)  # an arc in a lane cannot be straight
    lean = _off_middle(layering.down[chain[0]], chain[1], place)
    return lean + _off_middle(layering.up[chain[-1]], chain[-2], place)


def _off_middle(neighbors: list[int], vertex: int, place: list[int]) -> int:
    """Return how far a neighbor is from the middle of its siblings, in half places."""
    here = place[vertex]
    before = sum(place[other] < here for other in neighbors)
    after = sum(place[other] > here for other in neighbors)
    return abs(before - after)

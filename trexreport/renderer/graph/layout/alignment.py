"""Choose which pieces of edges are drawn exactly vertical.

A person draws the main path straight and hangs the rest beside it. So the graph is cut into long paths, the
longest first, and the pieces of each path are taken as far as they do not cross a piece taken before.
"""

from __future__ import annotations

from bisect import bisect_left
from itertools import pairwise

from trexreport.renderer.graph.layout.layering import Layering
from trexreport.renderer.graph.layout.ranking import Arc, longest_paths, topological_order


def straight_columns(layering: Layering, arcs: list[Arc]) -> list[int]:
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

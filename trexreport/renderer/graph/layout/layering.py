"""Ranks as rows of vertices: the nodes and, where an edge passes a rank, a bend of that edge."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

from trexreport.renderer.graph.layout.ranking import Arc

# More bends than this make the later steps slow; the surplus edges then run beside the drawing.
_MIN_BENDS = 3000
_BENDS_PER_NODE = 10


@dataclass
class Layering:
    """Rows of vertices in which every arc joins neighboring rows.

    Attributes:
        nodes: Vertices below this number are nodes, the others are bends.
        ranks: Rank of each vertex.
        rows: The vertices of each rank, from left to right.
        chains: For each arc its vertices from tail to head; empty when the arc runs in a lane.
        lanes: The arcs that run in a lane beside the drawing, because bends for them would be too many.
        up: For each vertex its neighbors on the rank above; one entry for each arc.
        down: For each vertex its neighbors on the rank below; one entry for each arc.
    """

    nodes: int
    ranks: list[int]
    rows: list[list[int]]
    chains: list[list[int]]
    lanes: list[int]
    up: list[list[int]]
    down: list[list[int]]

    def places(self, rows: list[list[int]] | None = None) -> list[int]:
        """Return the place of each vertex in its row, in these rows or in others of the same vertices."""
        places = [0] * len(self.ranks)
        for row in self.rows if rows is None else rows:
            for index, vertex in enumerate(row):
                places[vertex] = index
        return places

    def is_bend(self, vertex: int) -> bool:
        """Return whether it is a bend of an edge, not a node."""
        return vertex >= self.nodes


def layer(count: int, arcs: list[Arc], ranks: list[int]) -> Layering:
    """Build the rows and give every long arc its bends."""
    ranks = list(ranks)
    rows: list[list[int]] = [[] for _ in range(max(ranks, default=-1) + 1)]
    for vertex in range(count):
        rows[ranks[vertex]].append(vertex)
    lanes = _arcs_for_lanes(arcs, ranks, max(_MIN_BENDS, _BENDS_PER_NODE * count))
    in_lane = set(lanes)
    chains: list[list[int]] = []
    for number, (tail, head) in enumerate(arcs):
        if number in in_lane:
            chains.append([])
            continue
        chain = [tail]
        for rank in range(ranks[tail] + 1, ranks[head]):
            chain.append(len(ranks))
            rows[rank].append(len(ranks))
            ranks.append(rank)
        chain.append(head)
        chains.append(chain)
    up: list[list[int]] = [[] for _ in ranks]
    down: list[list[int]] = [[] for _ in ranks]
    for chain in chains:
        for upper, lower in pairwise(chain):
            down[upper].append(lower)
            up[lower].append(upper)
    return Layering(count, ranks, rows, chains, lanes, up, down)


def _arcs_for_lanes(arcs: list[Arc], ranks: list[int], bound: int) -> list[int]:
    """Choose long arcs, those of the busiest tails first, until the others need few enough bends."""
    bends = [ranks[head] - ranks[tail] - 1 for tail, head in arcs]
    total = sum(bends)
    if total <= bound:
        return []
    of_tail: dict[int, list[int]] = {}
    for number, (tail, _) in enumerate(arcs):
        if bends[number] > 1:
            of_tail.setdefault(tail, []).append(number)
    chosen: list[int] = []
    for numbers in sorted(of_tail.values(), key=lambda numbers: -sum(bends[number] for number in numbers)):
        if total <= bound:
            break
        chosen.extend(numbers)
        total -= sum(bends[number] for number in numbers)
    return sorted(chosen)

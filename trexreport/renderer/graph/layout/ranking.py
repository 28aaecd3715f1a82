"""Choose the direction of each edge and the rank of each node."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from heapq import heapify, heappop, heappush

from trexreport.renderer.graph.layout.simplex import Constraint, solve

Arc = tuple[int, int]

_STEPS_PER_VERTEX = 400
_MIN_STEPS = 200_000
_MAX_STEPS = 2_000_000


def orient(count: int, edges: list[tuple[int, int, bool]]) -> list[bool]:
    """Choose the edges to turn around so that no cycle is left.

    Edges flagged as running back do not take part in the choice: they follow the order that the others give.

    Args:
        count: Number of vertices; they are numbered in execution order.
        edges: Source, target and flag of each edge; no self-loops.

    Returns:
        For each edge, whether it is turned around.
    """
    successors: list[list[tuple[int, int]]] = [[] for _ in range(count)]
    for number, (source, target, back) in enumerate(edges):
        if not back:
            successors[source].append((target, number))
    closing = set(_closing_edges(successors))
    turned = [number in closing for number in range(len(edges))]
    arcs = [
        (target, source) if turned[number] else (source, target)
        for number, (source, target, back) in enumerate(edges)
        if not back
    ]
    place = {vertex: index for index, vertex in enumerate(topological_order(count, arcs))}
    for number, (source, target, back) in enumerate(edges):
        if back:
            turned[number] = place[source] > place[target]
    return turned


def _closing_edges(successors: list[list[tuple[int, int]]]) -> list[int]:
    """Find the edges that close a cycle in a depth-first walk, without recursion."""
    unseen, open_, done = 0, 1, 2
    state = [unseen] * len(successors)
    closing: list[int] = []
    for root in range(len(successors)):
        if state[root] != unseen:
            continue
        state[root] = open_
        stack = [(root, iter(successors[root]))]
        while stack:
            vertex, remaining = stack[-1]
            for target, number in remaining:
                if state[target] == open_:
                    closing.append(number)
                elif state[target] == unseen:
                    state[target] = open_
                    stack.append((target, iter(successors[target])))
                    break
            else:
                state[vertex] = done
                stack.pop()
    return closing


def topological_order(count: int, arcs: list[Arc]) -> list[int]:
    """Order the vertices so that every arc points forward, staying near the given order."""
    successors: list[list[int]] = [[] for _ in range(count)]
    waiting = [0] * count
    for tail, head in arcs:
        successors[tail].append(head)
        waiting[head] += 1
    ready = [vertex for vertex in range(count) if not waiting[vertex]]
    heapify(ready)
    order: list[int] = []
    while ready:
        vertex = heappop(ready)
        order.append(vertex)
        for head in successors[vertex]:
            waiting[head] -= 1
            if not waiting[head]:
                heappush(ready, head)
    return order


def longest_paths(count: int, lengths: Mapping[Arc, int]) -> list[int]:
    """Return the length of the longest path to each vertex of a graph without cycles."""
    following: list[list[int]] = [[] for _ in range(count)]
    for tail, head in lengths:
        following[tail].append(head)
    longest = [0] * count
    for vertex in topological_order(count, list(lengths)):
        for head in following[vertex]:
            longest[head] = max(longest[head], longest[vertex] + lengths[vertex, head])
    return longest


def components(count: int, arcs: list[Arc]) -> list[list[int]]:
    """Group the vertices that are connected, each group in ascending order, groups by first vertex."""
    neighbors: list[list[int]] = [[] for _ in range(count)]
    for tail, head in arcs:
        neighbors[tail].append(head)
        neighbors[head].append(tail)
    seen = [False] * count
    groups: list[list[int]] = []
    for root in range(count):
        if seen[root]:
            continue
        seen[root] = True
        group = [root]
        for vertex in group:
            for other in neighbors[vertex]:
                if not seen[other]:
                    seen[other] = True
                    group.append(other)
        groups.append(sorted(group))
    return groups


def assign_ranks(count: int, arcs: list[Arc], top: Sequence[int], bottom: Sequence[int]) -> list[int]:
    """Give each vertex a rank from 0 on, heads below their tails, long arcs as short as possible.

    Args:
        count: Number of vertices.
        arcs: Tail and head of each arc; free of cycles.
        top: Vertices without arcs in, to stand alone on the first rank.
        bottom: Vertices without arcs out, to stand alone on the last rank.
    """
    pinned = {*top, *bottom}
    weights: Counter[Arc] = Counter()
    for tail, head in arcs:
        weights[tail, head] += tail not in pinned and head not in pinned
    constraints = [Constraint(tail, head, 1, weight) for (tail, head), weight in weights.items()]
    steps = min(_MAX_STEPS, max(_MIN_STEPS, _STEPS_PER_VERTEX * (count + len(constraints))))
    ranks = solve(constraints, longest_paths(count, dict.fromkeys(weights, 1)), steps)
    first = 1 if top else 0
    for group in components(count, arcs):
        free = [vertex for vertex in group if vertex not in pinned]
        least = min((ranks[vertex] for vertex in free), default=0)
        for vertex in free:
            ranks[vertex] += first - least
    last = max((ranks[vertex] for vertex in range(count) if vertex not in pinned), default=first - 1) + 1
    for vertex in top:
        ranks[vertex] = 0
    for vertex in bottom:
        ranks[vertex] = last
    return ranks

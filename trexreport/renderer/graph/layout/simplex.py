"""Network simplex: integers that keep minimum distances and make a weighted sum of distances small.

The method is that of Gansner, Koutsofios, North and Vo, "A Technique for Drawing Directed Graphs"
(IEEE Transactions on Software Engineering 19, 1993), section 2. It serves twice here: for the ranks of
the nodes and for the x coordinates of the columns.

A cut value is the weight that leaves a subtree minus the weight that enters it. That is a plain sum over
the subtree's nodes, so exchanging a tree edge only changes sums on two paths to the root.
"""

from __future__ import annotations

from heapq import heappop, heappush

from trexreport.lazy_dataclass import dataclass

# How many edges with a negative cut value are compared before the worst of them leaves the tree.
_CANDIDATES = 20


@dataclass(frozen=True)
class Constraint:
    """Demand `value[head] - value[tail] >= length`; each unit of distance costs `weight`."""

    tail: int
    head: int
    length: int
    weight: int


class _Tree:
    """A spanning forest of edges without slack, and the values that it defines."""

    def __init__(self, constraints: list[Constraint], start: list[int]) -> None:
        self.constraints = constraints
        self.values = start
        count = len(start)
        self.incident: list[list[int]] = [[] for _ in range(count)]
        self.surplus = [0] * count  # weight of edges in minus weight of edges out, per subtree later on
        self.size = [1] * count
        self.parent = [-1] * count
        self.parent_edge = [-1] * count
        self.neighbors: list[dict[int, int]] = [{} for _ in range(count)]
        for number, constraint in enumerate(constraints):
            self.incident[constraint.tail].append(number)
            self.incident[constraint.head].append(number)
            self.surplus[constraint.head] += constraint.weight
            self.surplus[constraint.tail] -= constraint.weight
        self._grow()

    def slack(self, number: int) -> int:
        """Return how much longer than its minimum a constraint is."""
        constraint = self.constraints[number]
        return self.values[constraint.head] - self.values[constraint.tail] - constraint.length

    def _grow(self) -> None:
        """Span every component with edges without slack, moving what is spanned so far."""
        seen = [False] * len(self.values)
        for root in range(len(seen)):
            if not seen[root]:
                order, shift = self._span(root, seen)
                for vertex in order:
                    self.values[vertex] += shift
                for vertex in reversed(order):
                    parent = self.parent[vertex]
                    if parent >= 0:
                        self.surplus[parent] += self.surplus[vertex]
                        self.size[parent] += self.size[vertex]

    def _span(self, root: int, seen: list[bool]) -> tuple[list[int], int]:
        """Add vertices by least slack; return them and how far they all have to move in the end."""
        values, constraints = self.values, self.constraints
        down: list[tuple[int, int]] = []  # edges that leave the tree, by slack plus the shift so far
        back: list[tuple[int, int]] = []  # edges that enter it, by slack minus the shift so far
        shift = 0
        order: list[int] = []
        vertex, via = root, -1
        while True:
            seen[vertex] = True
            order.append(vertex)
            values[vertex] -= shift  # the tree's vertices are kept without the common shift
            if via >= 0:
                constraint = constraints[via]
                other = constraint.head if constraint.tail == vertex else constraint.tail
                self._hang(vertex, other, via)
            for number in self.incident[vertex]:
                constraint = constraints[number]
                if constraint.tail == vertex and not seen[constraint.head]:
                    gap = values[constraint.head] - values[vertex] - constraint.length
                    heappush(down, (gap, number))
                elif constraint.head == vertex and not seen[constraint.tail]:
                    gap = values[vertex] - values[constraint.tail] - constraint.length
                    heappush(back, (gap, number))
            while down and seen[constraints[down[0][1]].head]:
                heappop(down)
            while back and seen[constraints[back[0][1]].tail]:
                heappop(back)
            if down and (not back or down[0][0] - shift <= back[0][0] + shift):
                shift, via = heappop(down)
                vertex = constraints[via].head
            elif back:
                slack, via = heappop(back)
                shift, vertex = -slack, constraints[via].tail
            else:
                return order, shift

    def _hang(self, vertex: int, parent: int, number: int) -> None:
        self.parent[vertex] = parent
        self.parent_edge[vertex] = number
        self.neighbors[vertex][parent] = number
        self.neighbors[parent][vertex] = number

    def cut(self, vertex: int) -> int:
        """Return the cut value of the edge between a vertex and its parent."""
        surplus = self.surplus[vertex]
        return surplus if self.constraints[self.parent_edge[vertex]].head == vertex else -surplus

    def side(self, start: int, barred: int) -> list[int]:
        """List the vertices on one side of the tree edge from `start` to `barred`."""
        found = [(start, barred)]
        for vertex, origin in found:
            found.extend((other, vertex) for other in self.neighbors[vertex] if other != origin)
        return [vertex for vertex, _ in found]

    def exchange(self, vertex: int, component_size: int, mark: list[int], stamp: int) -> int:
        """Swap the edge above a vertex for the best one across the same cut; return the work done."""
        parent = self.parent[vertex]
        below_is_small = 2 * self.size[vertex] <= component_size
        part = self.side(vertex, parent) if below_is_small else self.side(parent, vertex)
        for member in part:
            mark[member] = stamp
        vertex_is_tail = self.constraints[self.parent_edge[vertex]].tail == vertex
        # The new edge runs against the old one: from the side of the old head to that of the old tail.
        part_has_tail = vertex_is_tail == below_is_small
        entering, slack = -1, 0
        for member in part:
            for number in self.incident[member]:
                constraint = self.constraints[number]
                inner, outer = constraint.tail, constraint.head
                if part_has_tail:
                    inner, outer = outer, inner
                if inner != member or mark[outer] == stamp:
                    continue
                gap = self.slack(number)
                if entering < 0 or gap < slack:
                    entering, slack = number, gap
        if entering < 0:
            return len(part)
        if slack:
            for member in part:
                self.values[member] += -slack if part_has_tail else slack
        return len(part) + self._rehang(vertex, entering, mark, stamp, below_is_small=below_is_small)

    def _rehang(
        self, vertex: int, entering: int, mark: list[int], stamp: int, *, below_is_small: bool
    ) -> int:
        """Take the subtree of a vertex off its parent and hang it up by the entering edge."""
        constraint = self.constraints[entering]
        inside, outside = constraint.tail, constraint.head
        if (mark[inside] == stamp) != below_is_small:
            inside, outside = outside, inside
        surplus, size, work = self.surplus[vertex], self.size[vertex], 0
        parent = self.parent[vertex]
        for start, sign in ((parent, -1), (outside, 1)):
            above = start
            while above >= 0:
                self.surplus[above] += sign * surplus
                self.size[above] += sign * size
                above = self.parent[above]
                work += 1
        del self.neighbors[vertex][parent], self.neighbors[parent][vertex]
        path = [inside]
        while path[-1] != vertex:
            path.append(self.parent[path[-1]])
        edges = [self.parent_edge[member] for member in path]
        # Turn the path around, from the old top down, so that each sum is taken from final ones.
        for lower, upper in zip(reversed(path[:-1]), reversed(path[1:]), strict=True):
            self.surplus[upper] -= self.surplus[lower]
            self.size[upper] -= self.size[lower]
        for lower, upper, edge in zip(path[:-1], path[1:], edges[:-1], strict=True):
            self.parent[upper], self.parent_edge[upper] = lower, edge
        for upper, lower in zip(reversed(path[1:]), reversed(path[:-1]), strict=True):
            self.surplus[lower] += self.surplus[upper]
            self.size[lower] += self.size[upper]
        self._hang(inside, outside, entering)
        return work + len(path)


def solve(constraints: list[Constraint], start: list[int], budget: int) -> list[int]:
    """Improve feasible values until they are optimal or the budget of elementary steps is spent.

    Args:
        constraints: What must hold; it holds for `start`.
        start: A feasible value for each variable.
        budget: Bound on the work; the values are feasible whenever it stops.

    Returns:
        Feasible values, up to a constant per connected component.
    """
    count = len(start)
    tree = _Tree(constraints, list(start))
    component = [0] * count
    for vertex in range(count):
        if tree.parent[vertex] < 0:
            for member in tree.side(vertex, -1):
                component[member] = tree.size[vertex]
    mark, stamp, position = [0] * count, 0, 0
    while budget > 0:
        worst, value, found = -1, 0, 0
        for step in range(count):
            vertex = (position + step) % count
            if tree.parent[vertex] < 0:
                continue
            cut = tree.cut(vertex)
            if cut < 0:
                found += 1
                if cut < value:
                    worst, value = vertex, cut
                if found == _CANDIDATES:
                    break
        if worst < 0:
            break
        stamp += 1
        budget -= step // 4 + 10 + tree.exchange(worst, component[worst], mark, stamp)
        position = (position + step + 1) % count
    return tree.values

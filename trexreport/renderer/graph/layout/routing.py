"""Turn rows and x coordinates into boxes and routes.

A route runs straight down through the ranks it passes and slants only between two ranks. No box is
there, and that alone keeps every route clear of foreign boxes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from itertools import pairwise
from math import inf

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.interface import Node, Point
from trexreport.renderer.graph.layout.layering import Layering
from trexreport.renderer.graph.layout.ranking import Arc

LOOP_REACH = 18.0

_LANE_GAP = 10.0
_LEVEL_GAP = 4.0
_MIN_GAP, _MAX_GAP = 34.0, 84.0
_GAP_PER_OFFSET = 0.10

_PORT_GAP = 26.0
_CORNER = 10.0
_STRAIGHT = 50.0


@dataclass
class Drawing:
    """Boxes and routes by number, with the left and the top at 0."""

    height: float = 0.0
    centers: dict[int, Point] = field(default_factory=dict)
    routes: dict[int, list[Point]] = field(default_factory=dict)


def draw(layering: Layering, arcs: list[Arc], xs: list[int], nodes: Sequence[Node]) -> Drawing:
    """Place the boxes and route the arcs; the drawing is not yet moved to the origin.

    Args:
        layering: The rows.
        arcs: Those that the layering was made of.
        xs: The x coordinate of each vertex.
        nodes: The boxes.
    """
    router = _Router(layering, arcs, xs, nodes)
    router.route_chains()
    router.route_lanes()
    return router.drawing


class _Router:
    """Heights of the ranks, ports on the boxes and the drawing as it grows."""

    def __init__(self, layering: Layering, arcs: list[Arc], xs: list[int], nodes: Sequence[Node]) -> None:
        self.layering = layering
        self.arcs = arcs
        self.xs = xs
        self.nodes = nodes
        self.ranks = layering.ranks
        self.ports = assign_ports(layering, arcs, xs, [node.width for node in nodes])
        self.tops: list[float] = []
        self.bottoms: list[float] = []
        # How many level pieces of lanes lie in the gap below each rank.
        self.levels = [0] * len(layering.rows)
        self._stack_ranks()
        self.drawing = Drawing(height=self.bottoms[-1] if self.bottoms else 0.0)
        for vertex in range(layering.nodes):
            rank = self.ranks[vertex]
            self.drawing.centers[vertex] = (xs[vertex], (self.tops[rank] + self.bottoms[rank]) / 2)

    def _stack_ranks(self) -> None:
        """Stack the ranks; the further the edges between two ranks run sideways, the wider the gap."""
        layering, xs, ports = self.layering, self.xs, self.ports
        offsets = [0.0] * len(layering.rows)
        for number, chain in enumerate(layering.chains):
            for upper, lower in pairwise(chain):
                start = ports.below[number] if upper == chain[0] else xs[upper]
                end = ports.above[number] if lower == chain[-1] else xs[lower]
                rank = self.ranks[upper]
                offsets[rank] = max(offsets[rank], abs(start - end))
        for tail in dict.fromkeys(self.arcs[number][0] for number in layering.lanes):
            self.levels[self.ranks[tail]] += 1
        for number in layering.lanes:
            self.levels[self.ranks[self.arcs[number][1]] - 1] += 1
        y = 0.0
        for rank, row in enumerate(layering.rows):
            self.tops.append(y)
            y += max(
                (self.nodes[vertex].height for vertex in row if not layering.is_bend(vertex)), default=0.0
            )
            self.bottoms.append(y)
            gap = min(_MIN_GAP + _GAP_PER_OFFSET * offsets[rank], _MAX_GAP)
            y += max(gap, _LEVEL_GAP * (self.levels[rank] + 1))

    def route_chains(self) -> None:
        """Route the arcs that pass from rank to rank."""
        for number, chain in enumerate(self.layering.chains):
            if chain:
                points = self._leave(chain[0], self.ports.below[number])
                for bend in chain[1:-1]:
                    x, rank = self.xs[bend], self.ranks[bend]
                    points += [(x, self.tops[rank]), (x, self.bottoms[rank])]
                points += self._reach(chain[-1], self.ports.above[number])
                self.drawing.routes[number] = simplify(points)

    def _leave(self, vertex: int, x: float) -> list[Point]:
        """Lead from the lower border of a box straight out of its rank."""
        return [
            (x, self.drawing.centers[vertex][1] + self.nodes[vertex].height / 2),
            (x, self.bottoms[self.ranks[vertex]]),
        ]

    def _reach(self, vertex: int, x: float) -> list[Point]:
        """Lead from the upper end of a rank straight to the upper border of a box in it."""
        return [
            (x, self.tops[self.ranks[vertex]]),
            (x, self.drawing.centers[vertex][1] - self.nodes[vertex].height / 2),
        ]

    def route_lanes(self) -> None:
        """Route arcs down lanes on the right; those from one tail share a lane, as wires of one bus do."""
        lanes = self._lanes()
        used = [0] * len(self.levels)
        depart: dict[int, float] = {}
        for number in self.layering.lanes:
            tail, head = self.arcs[number]
            if tail not in depart:
                depart[tail] = self._level(used, self.ranks[tail])
            arrive = self._level(used, self.ranks[head] - 1)
            start, end = self.ports.below[number], self.ports.above[number]
            points = [
                *self._leave(tail, start),
                (start, depart[tail]),
                (lanes[tail], depart[tail]),
                (lanes[tail], arrive),
                (end, arrive),
                *self._reach(head, end),
            ]
            self.drawing.routes[number] = simplify(points)

    def _lanes(self) -> dict[int, float]:
        """Give each tail the first lane that is free from its rank to that of its last head."""
        reach: dict[int, int] = {}
        for number in self.layering.lanes:
            tail, head = self.arcs[number]
            reach[tail] = max(reach.get(tail, 0), self.ranks[head])
        edges = [x + node.width / 2 for x, node in zip(self.xs, self.nodes, strict=False)]
        right = max((*edges, *self.xs), default=0.0) + LOOP_REACH
        ends: list[int] = []
        lanes: dict[int, float] = {}
        for tail in sorted(reach, key=lambda vertex: (self.ranks[vertex], vertex)):
            free = next((lane for lane, end in enumerate(ends) if end <= self.ranks[tail]), len(ends))
            ends[free : free + 1] = [reach[tail]]
            lanes[tail] = right + _LANE_GAP * free
        return lanes

    def _level(self, used: list[int], rank: int) -> float:
        """Return the next free height for a level piece in the gap below a rank."""
        used[rank] += 1
        gap = self.tops[rank + 1] - self.bottoms[rank]
        return self.bottoms[rank] + gap * used[rank] / (self.levels[rank] + 1)


def simplify(points: list[Point]) -> list[Point]:
    """Drop repeated points and those on the straight line between their neighbors."""
    kept: list[Point] = []
    for point in points:
        if kept and abs(kept[-1][0] - point[0]) < 0.05 and abs(kept[-1][1] - point[1]) < 0.05:
            continue
        while len(kept) > 1 and _in_line(kept[-2], kept[-1], point):
            kept.pop()
        kept.append(point)
    if len(kept) == 1:
        kept.append(points[-1])
    return kept


def _in_line(first: Point, middle: Point, last: Point) -> bool:
    ahead = (middle[0] - first[0], middle[1] - first[1])
    further = (last[0] - middle[0], last[1] - middle[1])
    cross = ahead[0] * further[1] - ahead[1] * further[0]
    return abs(cross) < 1e-6 and ahead[0] * further[0] + ahead[1] * further[1] > 0


@dataclass(frozen=True)
class Ports:
    """For each arc the x coordinate where it leaves its tail below and where it reaches its head above."""

    below: list[float]
    above: list[float]


def assign_ports(layering: Layering, arcs: list[Arc], xs: list[int], widths: list[float]) -> Ports:
    """Spread the ends of the arcs over the borders, each as near as possible to where it comes from."""
    place = layering.places()
    outs: list[list[int]] = [[] for _ in range(layering.nodes)]
    ins: list[list[int]] = [[] for _ in range(layering.nodes)]
    for number, (tail, head) in enumerate(arcs):
        outs[tail].append(number)
        ins[head].append(number)
    chains = layering.chains
    # Lanes run on the right, so their arcs take the last ports.
    below_other = [chain[1] if chain else -1 for chain in chains]
    above_other = [chain[-2] if chain else -1 for chain in chains]
    for sides, others in ((outs, below_other), (ins, above_other)):
        for numbers in sides:
            numbers.sort(key=lambda number: (place[others[number]] if others[number] >= 0 else inf, number))
    below = [xs[other] if other >= 0 else inf for other in below_other]
    ports = Ports([float(xs[tail]) for tail, _ in arcs], [float(xs[head]) for _, head in arcs])
    for vertex, numbers in enumerate(outs):
        _spread(ports.below, numbers, [below[number] for number in numbers], xs[vertex], widths[vertex])
    # The far ends are known better now: look again from above, then once more from below.
    for vertex, numbers in enumerate(ins):
        wanted = [_far_end(chains[number], ports.below[number], xs, -2) for number in numbers]
        _spread(ports.above, numbers, wanted, xs[vertex], widths[vertex])
    for vertex, numbers in enumerate(outs):
        wanted = [_far_end(chains[number], ports.above[number], xs, 1) for number in numbers]
        _spread(ports.below, numbers, wanted, xs[vertex], widths[vertex])
    return ports


def _far_end(chain: list[int], port: float, xs: list[int], index: int) -> float:
    if not chain:
        return inf
    return port if len(chain) == 2 else xs[chain[index]]


def _spread(ports: list[float], numbers: list[int], wanted: list[float], center: float, width: float) -> None:
    """Set the ports of one border, in the given order; a single one is in the middle."""
    if len(numbers) < 2:
        return
    corner = min(_CORNER, width / 5)
    low, high = center - width / 2 + corner, center + width / 2 - corner
    gap = min(_PORT_GAP, (high - low) / (len(numbers) - 1))
    for index, want in enumerate(wanted):
        if abs(want - center) < 0.5:
            # Leave the straight edge its place in the middle: each half has to hold the rest of its side.
            gap = min(gap, (high - center) / max(index, len(numbers) - 1 - index))
    targets = [min(max(want, low), high) for want in wanted]
    weights = [_STRAIGHT if abs(want - center) < 0.5 else 1.0 for want in wanted]
    for number, port in zip(numbers, keep_apart(targets, weights, gap, low, high), strict=True):
        ports[number] = port


def keep_apart(
    targets: list[float], weights: list[float], gap: float, low: float, high: float
) -> list[float]:
    """Move values as little as possible (weighted least squares) so that they ascend by at least `gap`."""
    groups: list[tuple[float, float, int]] = []  # mean, weight, members
    for index, (target, weight) in enumerate(zip(targets, weights, strict=True)):
        mean, total, members = target - index * gap, weight, 1
        while groups and groups[-1][0] > mean:
            before, heavy, more = groups.pop()
            mean = (mean * total + before * heavy) / (total + heavy)
            total, members = total + heavy, members + more
        groups.append((mean, total, members))
    top = high - gap * (len(targets) - 1)
    placed = [min(max(mean, low), top) for mean, _, members in groups for _ in range(members)]
    return [value + index * gap for index, value in enumerate(placed)]

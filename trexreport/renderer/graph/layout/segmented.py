"""Lay out a large graph in segments of its execution order, each distinct segment once.

The cost of a layered layout grows faster than the graph, and plans of networks repeat their blocks.
"""

from __future__ import annotations

from dataclasses import field
from itertools import pairwise

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.cuts import segment_of, segment_starts
from trexreport.renderer.graph.layout.folding import Area, Folded, fold
from trexreport.renderer.graph.layout.interface import Edge, Layout, LayoutEngine, Node, Point, moved, rounded
from trexreport.renderer.graph.layout.layered import pack_columns, split
from trexreport.renderer.graph.layout.ranking import orient, topological_order
from trexreport.renderer.graph.layout.routing import simplify

# Only connected parts with more nodes are cut: up to here a whole layout is quick and crosses less.
LARGE = 400

# With more connections open at a cut, ports and passing edges would cost more than the whole layout does.
WIDEST_CUT = 40
_MIN_JOINT, _MAX_JOINT, _JOINT_PER_OFFSET = 8.0, 84.0, 0.15
# How far segments may be shifted out of a common strip to keep the main path straight, in strip widths.
_PLAY = 0.25
_INNER, _ARRIVING, _LEAVING, _LOOP = range(4)


# The execution order is cut where the fewest connections are open. A node whose readers stand below a cut has
# one port on the lower border of its segment and one on the upper border of the next; a segment that it only
# passes gets both and an edge between them. So edges from one node share one line between segments.
class SegmentedEngine:
    """Draw large graphs with another engine, piece by piece."""

    def __init__(self, engine: LayoutEngine) -> None:
        self.engine = engine

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph; connected parts that are not large are left to the engine."""
        large = [part for part in split(nodes, edges) if len(part[0]) > LARGE]
        stacked = {node.key for part, _ in large for node in part}
        layouts = [self._stacked(*part) for part in large]
        rest = [node for node in nodes if node.key not in stacked]
        if rest:
            layouts.append(self.engine(rest, [edge for edge in edges if edge.source not in stacked]))
        return pack_columns(layouts).rounded()

    def _stacked(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one large connected part, in segments if it has narrow places to cut."""
        stack = Stack(self.engine, nodes, edges)
        if stack.widest_cut > WIDEST_CUT:
            return self.engine(nodes, edges)
        return stack.layout()


@dataclass
class _Segment:
    """A piece of the order: its positions and the tails that enter and leave it through ports."""

    positions: list[int]
    inner: list[int] = field(default_factory=list)  # arcs between its own nodes
    arriving: list[int] = field(default_factory=list)  # arcs from a port on top to a node
    entering: list[int] = field(default_factory=list)  # tails, from left to right
    leaving: list[int] = field(default_factory=list)
    loops: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class _Placed:
    """The layout of a segment under names of its own, and the edge of each arc or tail."""

    layout: Layout
    edges: dict[tuple[int, int], str]


class Stack:
    """One connected graph, cut, laid out and put together again."""

    def __init__(self, engine: LayoutEngine, nodes: list[Node], edges: list[Edge]) -> None:
        self.engine = engine
        index = {node.key: number for number, node in enumerate(nodes)}
        self.loops = [edge for edge in edges if edge.source == edge.target]
        self.edges = [edge for edge in edges if edge.source != edge.target]
        ends = [(index[edge.source], index[edge.target]) for edge in self.edges]
        self.turned = orient(
            len(nodes), [(*pair, edge.back) for pair, edge in zip(ends, self.edges, strict=True)]
        )
        arcs = [pair[::-1] if turn else pair for pair, turn in zip(ends, self.turned, strict=True)]
        order = topological_order(len(nodes), arcs)
        place = {vertex: position for position, vertex in enumerate(order)}
        self.place = {nodes[vertex].key: position for vertex, position in place.items()}
        self.nodes = [nodes[vertex] for vertex in order]
        self.arcs = [(place[tail], place[head]) for tail, head in arcs]
        self.starts = segment_starts(len(nodes), self.arcs)
        self.home = [segment_of(self.starts, position) for position in range(len(nodes))]
        self.segments = self._cut()

    def _cut(self) -> list[_Segment]:
        """Give every arc to the segments that it touches."""
        bounds = [*self.starts, len(self.nodes)]
        segments = [_Segment(list(range(start, end))) for start, end in pairwise(bounds)]
        last = list(self.home)
        for number, (tail, head) in enumerate(self.arcs):
            inside = self.home[tail] == self.home[head]
            segment = segments[self.home[head]]
            (segment.inner if inside else segment.arriving).append(number)
            last[tail] = max(last[tail], self.home[head])
        for tail, end in enumerate(last):
            for number in range(self.home[tail], end):
                segments[number].leaving.append(tail)
        for number, edge in enumerate(self.loops):
            segments[self.home[self.place[edge.source]]].loops.append(number)
        return segments

    @property
    def widest_cut(self) -> int:
        """Return the largest number of connections that are open at a cut."""
        return max(len(segment.leaving) for segment in self.segments)

    def layout(self) -> Layout:
        """Lay out the segments from top to bottom and join them."""
        memo: dict[object, Layout] = {}
        placed: list[_Placed] = []
        for number, segment in enumerate(self.segments):
            if number:
                above = self.segments[number - 1].leaving
                ports = [placed[-1].layout.positions[f"b{port}"][0] for port in range(len(above))]
                segment.entering = [above[port] for port in sorted(range(len(above)), key=ports.__getitem__)]
            placed.append(self._lay_out_segment(segment, memo))
        folded = self._stack_up(placed)
        positions: dict[str, Point] = {}
        for segment, piece, offset in zip(self.segments, placed, folded.offsets, strict=True):
            for number, position in enumerate(segment.positions):
                positions[self.nodes[position].key] = rounded(
                    moved(piece.layout.positions[f"n{number}"], *offset)
                )
        return Layout(folded.width, folded.height, positions, self._join(placed, folded))

    def _lay_out_segment(self, segment: _Segment, memo: dict[object, Layout]) -> _Placed:
        """Lay out one segment under names that are the same for every segment of the same shape."""
        own = {position: f"n{number}" for number, position in enumerate(segment.positions)}
        ports = {tail: f"t{number}" for number, tail in enumerate(segment.entering)}
        pieces: list[tuple[str, str, tuple[int, int]]] = []
        for kind, numbers, tails in ((_INNER, segment.inner, own), (_ARRIVING, segment.arriving, ports)):
            for number in numbers:
                tail, head = self.arcs[number]
                pieces.append((tails[tail], own[head], (kind, number)))
        for number, tail in enumerate(segment.leaving):
            pieces.append((ports.get(tail) or own[tail], f"b{number}", (_LEAVING, tail)))
        for number in segment.loops:
            vertex = own[self.place[self.loops[number].source]]
            pieces.append((vertex, vertex, (_LOOP, number)))
        pieces.sort(key=lambda piece: piece[:2])
        top, bottom = list(ports.values()), [f"b{number}" for number in range(len(segment.leaving))]
        nodes = [Node(name, self.nodes[at].width, self.nodes[at].height) for at, name in own.items()]
        nodes += [Node(name, 0.0, 0.0) for name in (*top, *bottom)]
        edges = [Edge(f"e{number}", tail, head) for number, (tail, head, _) in enumerate(pieces)]
        key = (tuple(nodes), tuple(edges))
        if key not in memo:
            memo[key] = self.engine.place(nodes, edges, top, bottom)
        return _Placed(memo[key], {origin: f"e{number}" for number, (*_, origin) in enumerate(pieces)})

    def _stack_up(self, placed: list[_Placed]) -> Folded:
        """Choose the offset of each segment: the newest connection across a cut runs straight on."""
        strip = max(piece.layout.width for piece in placed)
        x = (strip - placed[0].layout.width) / 2
        y = 0.0
        areas = [self._area(0, placed[0], x, y)]
        for number, (above, upper, segment, lower) in enumerate(
            zip(self.segments, placed, self.segments[1:], placed[1:], strict=False), 1
        ):
            starts = {
                tail: upper.layout.positions[f"b{port}"][0] + x for port, tail in enumerate(above.leaving)
            }
            ends = {tail: lower.layout.positions[f"t{port}"][0] for port, tail in enumerate(segment.entering)}
            y += upper.layout.height
            if starts:
                newest = max(starts)
                most = strip * (1 + _PLAY) - lower.layout.width
                x = min(max(starts[newest] - ends[newest], -_PLAY * strip), most)
            shift = max((abs(starts[tail] - ends[tail] - x) for tail in starts), default=0.0)
            y += min(_MIN_JOINT + _JOINT_PER_OFFSET * shift, _MAX_JOINT)
            areas.append(self._area(number, lower, x, y))
        return fold(areas)

    def _area(self, number: int, piece: _Placed, x: float, y: float) -> Area:
        return Area(x, y, piece.layout.width, piece.layout.height, len(self.segments[number].leaving))

    def _join(self, placed: list[_Placed], folded: Folded) -> dict[str, tuple[Point, ...]]:
        """Put the routes of all edges together from their pieces in the segments."""
        routes: dict[str, tuple[Point, ...]] = {}

        def piece(segment: int, origin: tuple[int, int]) -> list[Point]:
            name = placed[segment].edges[origin]
            route = placed[segment].layout.routes[name]
            return [rounded(moved(point, *folded.offsets[segment])) for point in route]

        def passing(segment: int, tail: int) -> list[Point]:
            points = piece(segment, (_LEAVING, tail))
            if segment in folded.turns:
                place = self.segments[segment + 1].entering.index(tail)
                port = placed[segment + 1].layout.positions[f"t{place}"]
                arrival = rounded(moved(port, *folded.offsets[segment + 1]))
                points += folded.turns[segment].points(place, points[-1][0], arrival[0])
            return points

        for number, edge in enumerate(self.edges):
            tail, head = self.arcs[number]
            first, last = self.home[tail], self.home[head]
            if first == last:
                points = piece(first, (_INNER, number))
            else:
                points = [point for segment in range(first, last) for point in passing(segment, tail)]
                points += piece(last, (_ARRIVING, number))
            points = simplify(points)
            routes[edge.key] = tuple(points[::-1] if self.turned[number] else points)
        for number, edge in enumerate(self.loops):
            routes[edge.key] = tuple(piece(self.home[self.place[edge.source]], (_LOOP, number)))
        return routes

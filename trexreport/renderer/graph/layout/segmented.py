"""Lay out a large graph in segments of its execution order, each distinct segment once.

The cost of a layered layout grows faster than the graph, and plans of networks repeat their blocks.
"""

from __future__ import annotations

from trexreport.renderer.graph.layout.cleaning import clean
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point
from trexreport.renderer.graph.layout.packing import pack_columns
from trexreport.renderer.graph.layout.ranking import components
from trexreport.renderer.graph.layout.stack import PlacingEngine, Stack, moved

# Only connected parts with more nodes are cut: up to here a whole layout is quick and crosses less.
LARGE = 400

# With more connections open at a cut, ports and passing edges would cost more than the whole layout does.
WIDEST_CUT = 40


class SegmentedEngine:
    """Draw large graphs with another engine, piece by piece."""

    def __init__(self, engine: PlacingEngine) -> None:
        self.engine = engine
        self.name = engine.name

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph; connected parts that are not large are left to the engine."""
        nodes, edges, notes = clean(nodes, edges)
        index = {node.key: number for number, node in enumerate(nodes)}
        groups = components(len(nodes), [(index[edge.source], index[edge.target]) for edge in edges])
        home = [0] * len(nodes)
        large = [group for group in groups if len(group) > LARGE]
        for number, group in enumerate(large, 1):
            for vertex in group:
                home[vertex] = number
        part_nodes: list[list[Node]] = [[] for _ in range(len(large) + 1)]
        part_edges: list[list[Edge]] = [[] for _ in range(len(large) + 1)]
        for vertex, node in enumerate(nodes):
            part_nodes[home[vertex]].append(node)
        for edge in edges:
            part_edges[home[index[edge.source]]].append(edge)
        layouts = [self._stacked(*part) for part in zip(part_nodes[1:], part_edges[1:], strict=True)]
        if part_nodes[0]:
            layouts.append(self.engine(part_nodes[0], part_edges[0]))
        offsets, size = pack_columns([(layout.width, layout.height) for layout in layouts])
        positions: dict[str, Point] = {}
        routes: dict[str, tuple[Point, ...]] = {}
        for layout, (x, y) in zip(layouts, offsets, strict=True):
            positions.update({key: moved(point, x, y) for key, point in layout.positions.items()})
            for key, route in layout.routes.items():
                routes[key] = tuple(moved(point, x, y) for point in route)
        return Layout(round(size[0], 1), round(size[1], 1), positions, routes, self.name, notes)

    def _stacked(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one large connected part, in segments if it has narrow places to cut."""
        stack = Stack(self.engine, nodes, edges)
        if stack.widest_cut > WIDEST_CUT:
            return self.engine(nodes, edges)
        return stack.layout()

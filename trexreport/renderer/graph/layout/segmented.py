"""Lay out a large graph in segments of its execution order, each distinct segment once.

The cost of a layered layout grows faster than the graph, and plans of networks repeat their blocks.
"""

from __future__ import annotations

from trexreport.renderer.graph.layout.interface import Edge, Layout, LayoutEngine, Node
from trexreport.renderer.graph.layout.packing import pack_columns
from trexreport.renderer.graph.layout.ranking import components
from trexreport.renderer.graph.layout.stack import Stack

# Only connected parts with more nodes are cut: up to here a whole layout is quick and crosses less.
LARGE = 400

# With more connections open at a cut, ports and passing edges would cost more than the whole layout does.
WIDEST_CUT = 40


class SegmentedEngine:
    """Draw large graphs with another engine, piece by piece."""

    def __init__(self, engine: LayoutEngine) -> None:
        self.engine = engine

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph; connected parts that are not large are left to the engine."""
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
        return pack_columns(layouts).rounded()

    def _stacked(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one large connected part, in segments if it has narrow places to cut."""
        stack = Stack(self.engine, nodes, edges)
        if stack.widest_cut > WIDEST_CUT:
            return self.engine(nodes, edges)
        return stack.layout()

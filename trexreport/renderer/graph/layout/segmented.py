"""Lay out a large graph in segments of its execution order, each distinct segment once.

The cost of a layered layout grows faster than the graph, and plans of networks repeat their blocks.
"""

from __future__ import annotations

from trexreport.renderer.graph.layout.interface import Edge, Layout, LayoutEngine, Node
from trexreport.renderer.graph.layout.packing import pack_columns, split
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

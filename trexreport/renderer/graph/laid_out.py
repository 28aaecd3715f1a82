"""Lay out each graph once in a process: a site has many captures of one model, and all are laid out alike."""

from __future__ import annotations

from collections.abc import Callable, Hashable

from trexreport.remembered import Remembered
from trexreport.renderer.graph.layout import lay_out
from trexreport.renderer.graph.layout.interface import Edge, Node
from trexreport.renderer.graph.layout.reflow import Proportions, in_column_count, in_columns
from trexreport.renderer.graph.svg_edges import Routes

#: The engine whose layouts depend on nothing but the graph.
_OWN_ENGINE = "layered"
#: Boxes of the largest graph that is remembered, and of all together: some 20 MB.
_LARGEST, _MOST_BOXES = 500, 8_000
_Nodes = tuple[Node, ...]
_Edges = tuple[Edge, ...]


class GraphLayouts:
    """The layouts of one graph: from top to bottom, and in columns as they are asked for."""

    def __init__(self, nodes: _Nodes, edges: _Edges, engine: str) -> None:
        self._nodes = nodes
        self._tall = Routes(lay_out(list(nodes), list(edges), engine))
        self._in_columns: dict[Proportions | int, Routes] = {}
        self._made: tuple[Hashable, str] | None = None

    def routes(self, columns: Proportions | int | None = None) -> Routes:
        """Return a layout with its routes; that from top to bottom where it can't be cut into columns."""
        if columns is None:
            return self._tall
        found = self._in_columns.get(columns)
        if found is None:
            tall = self._tall.layout
            if isinstance(columns, int):
                layout = in_column_count(tall, self._nodes, columns)
            else:
                layout = in_columns(tall, self._nodes, columns)
            found = self._in_columns[columns] = self._tall if layout is tall else Routes(layout)
        return found

    def once(self, key: Hashable, make: Callable[[], str]) -> str:
        """Return what was made of these layouts for this key the last time, or make it."""
        if self._made is None or self._made[0] != key:
            self._made = key, make()
        return self._made[1]


_remembered: Remembered[tuple[_Nodes, _Edges], GraphLayouts] = Remembered(
    _MOST_BOXES, lambda graph, _: len(graph[0])
)


def layouts_of(nodes: _Nodes, edges: _Edges, engine: str) -> GraphLayouts:
    """Return the layouts of a graph; those of a large graph or of another engine are not remembered."""
    if engine == _OWN_ENGINE and len(nodes) <= _LARGEST:
        return _remembered.get((nodes, edges), lambda: GraphLayouts(nodes, edges, engine))
    return GraphLayouts(nodes, edges, engine)

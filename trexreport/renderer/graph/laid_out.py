"""Lay out each graph once in a process: a site has many captures of one model, and all are laid out alike."""

from __future__ import annotations

from threading import Lock

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


class _Remembered:
    """The graphs that were asked for last."""

    def __init__(self) -> None:
        self._graphs: dict[tuple[_Nodes, _Edges], GraphLayouts] = {}
        self._boxes = 0
        self._lock = Lock()

    def layouts(self, nodes: _Nodes, edges: _Edges) -> GraphLayouts:
        key = nodes, edges
        with self._lock:
            if key in self._graphs:
                # Asked for again, it is the newest.
                return self._graphs.setdefault(key, self._graphs.pop(key))
        found = GraphLayouts(nodes, edges, _OWN_ENGINE)
        with self._lock:
            if key not in self._graphs:
                self._graphs[key] = found
                self._boxes += len(nodes)
            while self._boxes > _MOST_BOXES:
                oldest = next(iter(self._graphs))
                del self._graphs[oldest]
                self._boxes -= len(oldest[0])
        return found


_remembered = _Remembered()


def layouts_of(nodes: _Nodes, edges: _Edges, engine: str) -> GraphLayouts:
    """Return the layouts of a graph; those of a large graph or of another engine are not remembered."""
    if engine == _OWN_ENGINE and len(nodes) <= _LARGEST:
        return _remembered.layouts(nodes, edges)
    return GraphLayouts(nodes, edges, engine)

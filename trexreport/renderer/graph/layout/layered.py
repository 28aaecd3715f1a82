"""The built-in layered layout: ranks, rows, columns and routes, after Sugiyama, Tagawa and Toda (1981)."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.columns import Extents, place_columns
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point, moved
from trexreport.renderer.graph.layout.layering import layer
from trexreport.renderer.graph.layout.ordering import reduce_crossings
from trexreport.renderer.graph.layout.packing import pack_columns, pack_rows, split
from trexreport.renderer.graph.layout.ranking import Arc, assign_ranks, orient
from trexreport.renderer.graph.layout.routing import LOOP_REACH, Drawing, draw

_LOOP_GAP = 6.0


@dataclass(frozen=True)
class _Part:
    """A part of the graph in numbers: its nodes and, for each arc, the edge and whether it is turned."""

    nodes: list[Node]
    arcs: list[Arc]
    edges: list[Edge]
    turned: list[bool]
    loops: dict[int, list[Edge]]


class LayeredEngine:
    """Draw a graph from top to bottom without any other program or library."""

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph; separate parts stand side by side."""
        parts = [_number(*part) for part in split(nodes, edges)]
        singles = [part for part in parts if len(part.nodes) == 1]
        drawn = [_lay_out_part(part) for part in parts if len(part.nodes) > 1]
        if singles:
            drawn.append(_lay_out_singles(singles, drawn))
        return pack_columns(drawn).rounded()

    def place(
        self,
        nodes: list[Node],
        edges: list[Edge],
        top: list[str],
        bottom: list[str],
        *,
        keep_order: bool = True,
        is_thorough: bool = True,
    ) -> Layout:
        """Lay out one graph as a whole, with some nodes alone on the first and on the last rank.

        Args:
            nodes: The nodes, with unique keys.
            edges: The edges, all between these nodes.
            top: Keys of nodes without edges in.
            bottom: Keys of nodes without edges out.
            keep_order: Leave `top` in its order from left to right.
            is_thorough: Reduce crossings as far as possible; else quickly.
        """
        first = set(top)
        by_key = {node.key: node for node in nodes}
        ordered = [by_key[key] for key in top] + [node for node in nodes if node.key not in first]
        index = {node.key: number for number, node in enumerate(ordered)}
        part = _number(ordered, edges)
        pinned = list(range(len(top))), [index[key] for key in bottom]
        return _lay_out_part(part, *pinned, keep_order=keep_order, is_thorough=is_thorough).rounded()


def _number(nodes: list[Node], edges: list[Edge]) -> _Part:
    """Turn keys into numbers and take the cycles out."""
    index = {node.key: number for number, node in enumerate(nodes)}
    loops: dict[int, list[Edge]] = {}
    kept: list[Edge] = []
    for edge in edges:
        if edge.source == edge.target:
            loops.setdefault(index[edge.source], []).append(edge)
        else:
            kept.append(edge)
    ends = [(index[edge.source], index[edge.target]) for edge in kept]
    turned = orient(len(nodes), [(*pair, edge.back) for pair, edge in zip(ends, kept, strict=True)])
    arcs = [
        (target, source) if turn else (source, target)
        for (source, target), turn in zip(ends, turned, strict=True)
    ]
    return _Part(nodes, arcs, kept, turned, loops)


def _lay_out_part(
    part: _Part,
    top: Sequence[int] = (),
    bottom: Sequence[int] = (),
    *,
    keep_order: bool = True,
    is_thorough: bool = True,
) -> Layout:
    """Run the four steps on one part."""
    ranks = assign_ranks(len(part.nodes), part.arcs, top, bottom)
    layering = layer(len(part.nodes), part.arcs, ranks)
    reduce_crossings(layering, keep_first=bool(top) and keep_order, is_thorough=is_thorough)
    widths = [node.width for node in part.nodes]
    right = [width / 2 + _loop_room(part, number) for number, width in enumerate(widths)]
    xs = place_columns(layering, part.arcs, Extents([width / 2 for width in widths], right))
    return _with_keys(part, draw(layering, part.arcs, xs, part.nodes))


def _loop_room(part: _Part, number: int) -> float:
    loops = len(part.loops.get(number, ()))
    return LOOP_REACH + _LOOP_GAP * (loops - 1) if loops else 0.0


def _with_keys(part: _Part, drawing: Drawing) -> Layout:
    """Name boxes and routes, add the self-loops and move everything to the origin."""
    positions = {node.key: drawing.centers[number] for number, node in enumerate(part.nodes)}
    routes = {
        edge.key: drawing.routes[number][::-1] if part.turned[number] else drawing.routes[number]
        for number, edge in enumerate(part.edges)
    }
    for number, edges in part.loops.items():
        node = part.nodes[number]
        for index, edge in enumerate(edges):
            routes[edge.key] = _loop(drawing.centers[number], node, LOOP_REACH + _LOOP_GAP * index, index)
    lefts = [positions[node.key][0] - node.width / 2 for node in part.nodes]
    rights = [positions[node.key][0] + node.width / 2 for node in part.nodes]
    for route in routes.values():
        lefts.extend(x for x, _ in route)
        rights.extend(x for x, _ in route)
    left = min(lefts, default=0.0)
    return Layout(
        max(rights, default=0.0) - left,
        drawing.height,
        {key: moved(point, -left, 0.0) for key, point in positions.items()},
        {key: tuple(moved(point, -left, 0.0) for point in route) for key, route in routes.items()},
    )


def _loop(center: Point, node: Node, reach: float, index: int) -> list[Point]:
    """Route a self-loop around the right side of its box."""
    x, y = center[0] + node.width / 2, center[1]
    rise = node.height / 4 + index * node.height / (8 * (index + 1))
    return [(x, y - rise), (x + reach, y - rise), (x + reach, y + rise), (x, y + rise)]


def _lay_out_singles(parts: list[_Part], others: list[Layout]) -> Layout:
    """Place the nodes without edges in rows about as wide as the rest or as high as they are wide."""
    drawn = [
        _with_keys(part, Drawing(height=part.nodes[0].height, centers={0: (0.0, part.nodes[0].height / 2)}))
        for part in parts
    ]
    area = math.fsum((part.width + 24.0) * (part.height + 24.0) for part in drawn)
    return pack_rows(drawn, max([area**0.5 * 1.5, *(part.width for part in others)]))

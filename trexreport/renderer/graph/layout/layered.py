"""The built-in layered layout: ranks, rows, columns and routes, after Sugiyama, Tagawa and Toda (1981).

Connected parts of a graph are laid out by themselves and put beside each other.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import sqrt

from trexreport.lazy_dataclass import dataclass
from trexreport.renderer.graph.layout.columns import Extents, place_columns
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point, moved
from trexreport.renderer.graph.layout.layering import layer
from trexreport.renderer.graph.layout.ordering import reduce_crossings
from trexreport.renderer.graph.layout.ranking import Arc, assign_ranks, components, orient
from trexreport.renderer.graph.layout.routing import LOOP_REACH, Drawing, draw

_LOOP_GAP = 6.0

PART_GAP = 48.0
SINGLE_GAP = 24.0


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


def split(nodes: list[Node], edges: list[Edge]) -> list[tuple[list[Node], list[Edge]]]:
    """Return the connected parts of a graph, in the order of their first nodes."""
    index = {node.key: number for number, node in enumerate(nodes)}
    groups = components(len(nodes), [(index[edge.source], index[edge.target]) for edge in edges])
    home = {nodes[vertex].key: number for number, group in enumerate(groups) for vertex in group}
    parts: list[tuple[list[Node], list[Edge]]] = [
        ([nodes[vertex] for vertex in group], []) for group in groups
    ]
    for edge in edges:
        parts[home[edge.source]][1].append(edge)
    return parts


def pack_rows(parts: Sequence[Layout], width: float) -> Layout:
    """Place parts from left to right in rows of at most a width."""
    offsets: list[Point] = []
    x = y = row_height = full_width = 0.0
    for part in parts:
        if x and x + part.width > width:
            x, y, row_height = 0.0, y + row_height + SINGLE_GAP, 0.0
        offsets.append((x, y))
        full_width = max(full_width, x + part.width)
        row_height = max(row_height, part.height)
        x += part.width + SINGLE_GAP
    return _joined(parts, offsets, full_width, y + row_height)


def pack_columns(parts: Sequence[Layout]) -> Layout:
    """Place parts from top to bottom in columns about as high as the highest."""
    area = math.fsum((part.width + PART_GAP) * (part.height + PART_GAP) for part in parts)
    limit = max([sqrt(area), *(part.height for part in parts), 1.0])
    offsets: list[Point] = []
    x = y = column_width = full_height = 0.0
    for part in parts:
        if y and y + part.height > limit:
            x, y, column_width = x + column_width + PART_GAP, 0.0, 0.0
        offsets.append((x, y))
        full_height = max(full_height, y + part.height)
        column_width = max(column_width, part.width)
        y += part.height + PART_GAP
    return _joined(parts, offsets, x + column_width, full_height)


def _joined(parts: Sequence[Layout], offsets: Sequence[Point], width: float, height: float) -> Layout:
    whole = Layout(width, height, {}, {})
    for part, offset in zip(parts, offsets, strict=True):
        whole.positions.update({key: moved(point, *offset) for key, point in part.positions.items()})
        for key, route in part.routes.items():
            whole.routes[key] = tuple(moved(point, *offset) for point in route)
    return whole

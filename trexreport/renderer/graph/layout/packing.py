"""Split a graph into its connected parts, and put their layouts beside each other."""

from __future__ import annotations

import math
from collections.abc import Sequence
from math import sqrt

from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point, moved
from trexreport.renderer.graph.layout.ranking import components

PART_GAP = 48.0
SINGLE_GAP = 24.0


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

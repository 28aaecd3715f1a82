"""What a layout engine is given and what it returns: coordinates only, no drawing."""

from __future__ import annotations

from dataclasses import replace
from typing import Protocol

from trexreport.lazy_dataclass import bulk_facts, dataclass

Point = tuple[float, float]


@bulk_facts
class Node:
    """A box to place: its key and its size in pixels."""

    key: str
    width: float
    height: float


@bulk_facts
class Edge:
    """A connection to route from `source` to `target`, both keys of nodes.

    `back` marks an edge that runs against the execution order (a loop); it must not decide the ranks.
    """

    key: str
    source: str
    target: str
    back: bool = False


@dataclass(frozen=True)
class Layout:
    """Where everything is, in pixels, y downwards, inside (0, 0) to (width, height).

    Attributes:
        positions: Key of each node to the center of its box.
        routes: Key of each edge to the points of its route. The first point lies on the border of the
            source's box, the last on the border of the target's. A route of n points is drawn as
            straight pieces with rounded corners, so the points themselves must keep clear of foreign boxes.
        notes: Sentences for the user, such as why a fallback drew.
    """

    width: float
    height: float
    positions: dict[str, Point]
    routes: dict[str, tuple[Point, ...]]
    notes: tuple[str, ...] = ()

    def rounded(self) -> Layout:
        """Return the layout with coordinates to a tenth of a pixel."""
        return replace(
            self,
            width=round(self.width, 1),
            height=round(self.height, 1),
            positions={key: rounded(point) for key, point in self.positions.items()},
            routes={key: tuple(map(rounded, route)) for key, route in self.routes.items()},
        )


class LayoutEngine(Protocol):
    """Places boxes and routes edges from top to bottom."""

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph, whose nodes and edges have unique keys."""
        ...

    def place(self, nodes: list[Node], edges: list[Edge], top: list[str], bottom: list[str]) -> Layout:
        """Lay out one graph with the nodes of `top` alone on the first rank, in this order if it can."""
        ...


def moved(point: Point, x: float, y: float) -> Point:
    """Return a shifted point."""
    return point[0] + x, point[1] + y


def rounded(point: Point) -> Point:
    """Return a point to a tenth of a pixel."""
    return round(point[0], 1), round(point[1], 1)

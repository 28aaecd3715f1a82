"""What a layout engine is given and what it returns: coordinates only, no drawing."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

Point = tuple[float, float]


@dataclass(frozen=True)
class Node:
    """A box to place: its key and its size in pixels."""

    key: str
    width: float
    height: float


@dataclass(frozen=True)
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
        engine: Name of the layout engine that made it.
        notes: Sentences for the user, such as why a fallback drew.
    """

    width: float
    height: float
    positions: dict[str, Point]
    routes: dict[str, tuple[Point, ...]]
    engine: str
    notes: tuple[str, ...] = ()


class LayoutEngine(Protocol):
    """Places boxes and routes edges from top to bottom."""

    name: str

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph; deterministic; raise nothing for any graph, however odd."""
        ...

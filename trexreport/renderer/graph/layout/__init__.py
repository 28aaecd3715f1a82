"""Place the boxes of a graph and route its edges: `lay_out` and the engines behind it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from trexreport.errors import MissingToolError
from trexreport.renderer.graph.layout.graphviz import DotEngine, LayoutFailedError
from trexreport.renderer.graph.layout.interface import Edge, Layout, LayoutEngine, Node, Point
from trexreport.renderer.graph.layout.layered import LayeredEngine
from trexreport.renderer.graph.layout.segmented import SegmentedEngine

__all__ = ["ENGINES", "Edge", "Layout", "LayoutEngine", "Node", "Point", "lay_out"]

TIME_LIMIT_S = 20.0

ENGINES: dict[str, Callable[[float], LayoutEngine]] = {
    "layered": lambda _: LayeredEngine(),
    "dot": DotEngine,
}
"""Name of each engine to what makes one for a time limit in seconds; only external programs use it."""


def lay_out(
    nodes: list[Node], edges: list[Edge], engine: str = "layered", time_limit_s: float = TIME_LIMIT_S
) -> Layout:
    """Lay out a graph from top to bottom; large graphs are laid out in segments.

    Args:
        nodes: The boxes, in execution order.
        edges: The connections, with unique keys.
        engine: Name of the engine, one of `ENGINES`.
        time_limit_s: How long an outside program may take before the built-in engine draws instead.

    Returns:
        Coordinates, and a note if another engine than the chosen one drew.
    """
    try:
        return SegmentedEngine(ENGINES[engine](time_limit_s))(nodes, edges)
    except (MissingToolError, LayoutFailedError) as error:
        reason = error.args[0].rstrip(".")
        note = f"{reason}, so the built-in layout drew this graph."
        return replace(lay_out(nodes, edges), notes=(note,))

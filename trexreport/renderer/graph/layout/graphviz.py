"""Layout by Graphviz: DOT built with pydot, coordinates read back as JSON; the drawing stays ours."""

from __future__ import annotations

import json
import math
import shutil
import subprocess
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import hypot
from typing import Any

from trexreport.errors import MissingToolError, TrexReportError
from trexreport.renderer.graph.child import run_limited
from trexreport.renderer.graph.layout.interface import Edge, Layout, Node, Point, rounded
from trexreport.renderer.graph.layout.ranking import components

_POINTS_PER_INCH = 72.0
_SAMPLES = 8
_TOLERANCE = 0.75


class LayoutFailedError(TrexReportError):
    """Report a layout program that ran too long, crashed or answered nonsense."""

    slug = "layout-failed"


@dataclass
class DotEngine:
    """Draw a graph with the program `dot`, within a time limit.

    Attributes:
        time_limit: Seconds that `dot` may take for all graphs that this object draws together.
    """

    time_limit: float = 20.0
    _spent: float = field(default=0.0, init=False)

    def __call__(self, nodes: list[Node], edges: list[Edge]) -> Layout:
        """Lay out one graph.

        Raises:
            MissingToolError: pydot or `dot` is not installed.
            LayoutFailedError: `dot` took too long or failed.
        """
        return self.place(nodes, edges, [], [])

    def place(self, nodes: list[Node], edges: list[Edge], top: list[str], bottom: list[str]) -> Layout:
        """Lay out one graph with some nodes on the first and on the last rank; see `LayeredEngine`."""
        program = shutil.which("dot")
        source = _dot_source(nodes, edges, top, bottom)
        if program is None:
            raise MissingToolError(
                "Graphviz 'dot' is not installed.", "Install it, or use the built-in layout."
            )
        answer = self._run(program, source)
        try:
            layout = _read(json.loads(answer), nodes, edges)
        except (ValueError, KeyError, TypeError, IndexError) as error:
            raise LayoutFailedError("Graphviz 'dot' gave an answer that could not be read") from error
        _check_pins(layout, top, bottom)
        return layout

    def _run(self, program: str, source: str) -> bytes:
        """Run `dot`; it is killed when the time is over."""
        began = time.monotonic()
        left = self.time_limit - self._spent
        if left <= 0:
            raise LayoutFailedError(self._too_long())
        try:
            return run_limited([program, "-Tjson0"], source.encode(), left)
        except subprocess.TimeoutExpired as error:
            raise LayoutFailedError(self._too_long()) from error
        except subprocess.CalledProcessError as error:
            raise LayoutFailedError(f"Graphviz 'dot' failed with exit code {error.returncode}") from error
        except OSError as error:
            raise LayoutFailedError("Graphviz 'dot' could not be started") from error
        finally:
            self._spent += time.monotonic() - began

    def _too_long(self) -> str:
        return f"Graphviz 'dot' took longer than {self.time_limit:g} s"


def _dot_source(nodes: list[Node], edges: list[Edge], top: list[str], bottom: list[str]) -> str:
    """Write the graph in DOT with names of our own, so that no name of the user's needs quoting."""
    try:
        import pydot
    except ImportError as error:
        raise MissingToolError("pydot is not installed.", "Install trexreport[graphviz].") from error
    graph = pydot.Dot(
        "plan",
        graph_type="digraph",
        rankdir="TB",
        nodesep="0.3",
        ranksep="0.5",
        splines="true",
        newrank="false",
    )
    graph.set_node_defaults(shape="box", fixedsize="true", label='""', margin="0")
    graph.set_edge_defaults(dir="none")
    names = {node.key: f"n{number}" for number, node in enumerate(nodes)}
    for node in nodes:
        width, height = (f"{max(size, 1.0) / _POINTS_PER_INCH:.5f}" for size in (node.width, node.height))
        graph.add_node(pydot.Node(names[node.key], width=width, height=height))
    for rank, keys in (("source", top), ("sink", bottom)):
        if keys:
            row = pydot.Subgraph(f"row_{rank}", rank=rank)
            for key in keys:
                row.add_node(pydot.Node(names[key]))
            if rank == "source":
                # Edges inside a rank make Graphviz keep its order.
                for key, following in pairwise(keys):
                    row.add_edge(pydot.Edge(names[key], names[following], style="invis"))
            graph.add_subgraph(row)
    for number, edge in enumerate(edges):
        # A turned edge keeps the ranks right; its route is turned back when it is read.
        ends = (edge.target, edge.source) if edge.back else (edge.source, edge.target)
        graph.add_edge(pydot.Edge(names[ends[0]], names[ends[1]], id=f"e{number}"))
    for tail, head in _ties(nodes, edges, top, bottom):
        graph.add_edge(pydot.Edge(names[tail], names[head], style="invis", weight="0"))
    return str(graph.to_string())


def _ties(nodes: list[Node], edges: list[Edge], top: list[str], bottom: list[str]) -> list[tuple[str, str]]:
    """Choose edges that tie all parts of a graph together: Graphviz ranks parts without regard to others."""
    index = {node.key: number for number, node in enumerate(nodes)}
    arcs = [(index[edge.source], index[edge.target]) for edge in edges]
    heads, tails = {head for _, head in arcs}, {tail for tail, _ in arcs}
    pinned = {index[key] for key in (*top, *bottom)}
    ties: list[tuple[str, str]] = []
    for group in components(len(nodes), arcs):
        free = [vertex for vertex in group if vertex not in pinned]
        first = next((vertex for vertex in free if vertex not in heads), None)
        last = next((vertex for vertex in reversed(free) if vertex not in tails), None)
        if top and first is not None and not any(index[key] in group for key in top):
            ties.append((top[0], nodes[first].key))
        if bottom and last is not None and not any(index[key] in group for key in bottom):
            ties.append((nodes[last].key, bottom[0]))
    if bottom:
        # Even inside one part the last rank may not be the lowest one, unless the longest path leads to it.
        depth = [0] * len(nodes)
        for tail, head in sorted(arcs, key=lambda arc: (arc[0] not in pinned, arc)):
            depth[head] = max(depth[head], depth[tail] + 1)
        deepest = max(range(len(nodes)), key=lambda vertex: depth[vertex] if vertex not in pinned else -1)
        ties.append((nodes[deepest].key, bottom[0]))
    return ties


def _check_pins(layout: Layout, top: list[str], bottom: list[str]) -> None:
    """Make sure that the pinned nodes are above and below all others, as segments need it."""
    heights = [y for _, y in layout.positions.values()]
    if any(layout.positions[key][1] > min(heights) + 1 for key in top) or any(
        layout.positions[key][1] < max(heights) - 1 for key in bottom
    ):
        raise LayoutFailedError("Graphviz 'dot' did not keep the order of the segments")


def _read(answer: dict[str, Any], nodes: list[Node], edges: list[Edge]) -> Layout:
    """Read positions and routes; Graphviz counts y upwards."""
    left, low, right, high = (float(value) for value in answer["bb"].split(","))
    by_name = {item["name"]: item for item in answer["objects"] if "pos" in item}
    positions: dict[str, Point] = {}
    for number, node in enumerate(nodes):
        x, y = (float(value) for value in by_name[f"n{number}"]["pos"].split(","))
        positions[node.key] = rounded((x - left, high - y))
    sizes = {node.key: node for node in nodes}
    routes: dict[str, tuple[Point, ...]] = {}
    for item in answer.get("edges", []):
        if not item.get("id"):
            continue
        edge = edges[int(item["id"][1:])]
        points = [(x - left, high - y) for x, y in _curve(item["pos"])]
        points = points[::-1] if edge.back else points
        points[0] = _on_border(points[0], sizes[edge.source], positions[edge.source])
        points[-1] = _on_border(points[-1], sizes[edge.target], positions[edge.target])
        routes[edge.key] = tuple(map(rounded, _thinned(points)))
    if len(routes) != len(edges):
        raise ValueError("routes are missing")
    return Layout(round(right - left, 1), round(high - low, 1), positions, routes)


def _curve(text: str) -> list[Point]:
    """Sample the Bezier curves of one edge as points."""
    controls: list[Point] = []
    for part in text.replace(";", " ").split():
        values = part.split(",")
        if values[0] not in ("s", "e"):
            controls.append((float(values[0]), float(values[1])))
    points = [controls[0]]
    for index in range(0, len(controls) - 3, 3):
        a, b, c, d = controls[index : index + 4]
        for step in range(1, _SAMPLES + 1):
            t = step / _SAMPLES
            u = 1 - t
            weights = (u * u * u, 3 * u * u * t, 3 * u * t * t, t * t * t)
            xs, ys = zip(a, b, c, d, strict=True)
            points.append((_weighted(weights, xs), _weighted(weights, ys)))
    return points


def _weighted(weights: Sequence[float], values: Sequence[float]) -> float:
    return math.fsum(weight * value for weight, value in zip(weights, values, strict=True))


def _on_border(point: Point, node: Node, center: Point) -> Point:
    """Move a point to the nearest point on the border of a box."""
    left, right = center[0] - node.width / 2, center[0] + node.width / 2
    top, bottom = center[1] - node.height / 2, center[1] + node.height / 2
    x, y = min(max(point[0], left), right), min(max(point[1], top), bottom)
    moves = [(x - left, (left, y)), (right - x, (right, y)), (y - top, (x, top)), (bottom - y, (x, bottom))]
    return min(moves)[1]


def _thinned(points: list[Point]) -> list[Point]:
    """Leave out points as long as the line stays within the tolerance (Douglas and Peucker)."""
    keep = [False] * len(points)
    keep[0] = keep[-1] = True
    spans = [(0, len(points) - 1)]
    while spans:
        first, last = spans.pop()
        farthest, distance = -1, _TOLERANCE
        for index in range(first + 1, last):
            away = _distance(points[index], points[first], points[last])
            if away > distance:
                farthest, distance = index, away
        if farthest >= 0:
            keep[farthest] = True
            spans += [(first, farthest), (farthest, last)]
    return [point for point, kept in zip(points, keep, strict=True) if kept]


def _distance(point: Point, start: Point, end: Point) -> float:
    """Return the distance of a point from the line between two others."""
    dx, dy = end[0] - start[0], end[1] - start[1]
    length = hypot(dx, dy)
    if length < 1e-9:
        return hypot(point[0] - start[0], point[1] - start[1])
    return abs(dx * (point[1] - start[1]) - dy * (point[0] - start[0])) / length

"""Make any list of nodes and edges fit to be laid out, and say what was left out."""

from __future__ import annotations

from math import isfinite

from trexreport.renderer.graph.layout.interface import Edge, Node


def clean(nodes: list[Node], edges: list[Edge]) -> tuple[list[Node], list[Edge], tuple[str, ...]]:
    """Drop repeated keys and edges between unknown nodes, repair impossible sizes; return notes too."""
    by_key: dict[str, Node] = {}
    for node in nodes:
        by_key.setdefault(node.key, Node(node.key, _size(node.width), _size(node.height)))
    edge_by_key: dict[str, Edge] = {}
    unknown = 0
    for edge in edges:
        if edge.source in by_key and edge.target in by_key:
            edge_by_key.setdefault(edge.key, edge)
        else:
            unknown += 1
    repeated = len(edges) - unknown - len(edge_by_key)
    notes: list[str] = []
    if len(by_key) < len(nodes):
        notes.append(f"Nodes drawn once although listed repeatedly: {len(nodes) - len(by_key)}.")
    if unknown:
        notes.append(f"Connections left out because they name unknown nodes: {unknown}.")
    if repeated:
        notes.append(f"Connections left out because their key was taken: {repeated}.")
    return list(by_key.values()), list(edge_by_key.values()), tuple(notes)


def _size(value: float) -> float:
    return value if isfinite(value) and value > 0 else 0.0

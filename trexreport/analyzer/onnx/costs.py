"""What nodes cost. The time of a layer that computes several is never divided: all of them share it.

In a tree of modules or source lines each layer is where all of its nodes are, and none is divided.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis.onnx import LayerTree, OnnxGroup, OnnxNodeFacts, TreeKind

#: The groups that a node belongs to, outermost first; each contains the ones after it.
Groups = tuple[str, ...]

#: The groups around a node, outermost first, with what each is.
Chain = tuple[tuple[TreeKind, str], ...]
_UNMAPPED: Chain = (("unmapped", ""),)
_UNSTATED: Chain = (("unstated", ""),)


class LayerNodes(NamedTuple):
    """A layer's time, None if unknown, and its nodes."""

    avg_ms: float | None
    nodes: Sequence[int]


def node_costs(layers: Iterable[LayerNodes]) -> tuple[dict[int, list[float]], dict[int, list[float]]]:
    """Return by node the times of the layers that compute nothing else, and of those that do."""
    alone: dict[int, list[float]] = {}
    shared: dict[int, list[float]] = {}
    for layer in layers:
        if layer.avg_ms is not None:
            times = alone if len(layer.nodes) == 1 else shared
            for index in layer.nodes:
                times.setdefault(index, []).append(layer.avg_ms)
    return alone, shared


def group_nodes(
    nodes: Sequence[OnnxNodeFacts], layers: Sequence[LayerNodes], groups_of: Callable[[OnnxNodeFacts], Groups]
) -> list[OnnxGroup]:
    """Return the groups of nodes, in the order in which they occur.

    Args:
        nodes: All nodes.
        layers: Time and nodes of each layer.
        groups_of: The groups of a node, as names that are unique; () for a node that is in none.
    """
    of_node = [groups_of(node) for node in nodes]
    counts: dict[str, int] = {}
    for groups in of_node:
        for name in groups:
            counts[name] = counts.get(name, 0) + 1
    alone: dict[str, list[float]] = {name: [] for name in counts}
    shared: dict[str, list[float]] = {name: [] for name in counts}
    layer_counts = dict.fromkeys(counts, 0)
    is_timed = any(layer.avg_ms is not None for layer in layers)
    for layer in layers:
        chains = {of_node[index] for index in layer.nodes}
        common = _common(chains)
        for name in dict.fromkeys(name for chain in sorted(chains) for name in chain):
            layer_counts[name] += 1
            if layer.avg_ms is not None:
                (alone if name in common else shared)[name].append(layer.avg_ms)
    return [
        OnnxGroup(name, count, layer_counts[name], _sum(alone, name, is_timed), _sum(shared, name, is_timed))
        for name, count in counts.items()
    ]


def slowest_first(groups: Sequence[OnnxGroup]) -> list[OnnxGroup]:
    """Return groups by the most that they can cost, then by their number of nodes, then by name."""
    return sorted(
        groups, key=lambda each: (-((each.alone_ms or 0.0) + (each.shared_ms or 0.0)), -each.nodes, each.name)
    )


def known_sum(times: Mapping[int, Sequence[float]], index: int, *, is_timed: bool) -> float | None:
    """Return the sum of a node's times; None if no layer has a time."""
    return math.fsum(times.get(index, ())) if is_timed else None


def _sum(times: Mapping[str, Sequence[float]], name: str, is_timed: bool) -> float | None:
    return math.fsum(times[name]) if is_timed else None


def _common(chains: Iterable[Groups]) -> frozenset[str]:
    """Return the groups that all nodes of a layer belong to."""
    return frozenset.intersection(*(frozenset(chain) for chain in chains)) if chains else frozenset()


def module_tree(nodes: Sequence[OnnxNodeFacts], layers: Sequence[LayerNodes]) -> LayerTree | None:
    """Return the layers by module; None if no node is in one."""
    if not any(node.module for node in nodes):
        return None
    return _tree(nodes, layers, lambda node: tuple(("module", part) for part in node.module))


def source_tree(nodes: Sequence[OnnxNodeFacts], layers: Sequence[LayerNodes]) -> LayerTree | None:
    """Return the layers by source file, function and line; None if no node states a line."""
    if not any(node.source for node in nodes):
        return None
    return _tree(nodes, layers, _source_chain)


def _source_chain(node: OnnxNodeFacts) -> Chain:
    if not node.source:
        return _UNSTATED
    file, _, line = node.source.rpartition(":")
    start = f"{node.source} in "
    function = next((frame[len(start) :] for frame in reversed(node.frames) if frame.startswith(start)), "")
    return (("file", file), ("function", function), ("line", line))


def _tree(
    nodes: Sequence[OnnxNodeFacts], layers: Iterable[LayerNodes], chain_of: Callable[[OnnxNodeFacts], Chain]
) -> LayerTree:
    chains = [chain_of(node) for node in nodes]
    groups = _Groups()
    return LayerTree(
        groups.names,
        groups.kinds,
        groups.parents,
        groups.members,
        [groups.of_layer([chains[index] for index in sorted(layer.nodes)]) for layer in layers],
    )


class _Groups:
    """The groups in the order in which layers need them."""

    def __init__(self) -> None:
        self.names: list[str] = [""]
        self.kinds: list[TreeKind] = ["model"]
        self.parents = [-1]
        self.members: list[Sequence[str]] = [()]
        self._positions: dict[tuple[int, TreeKind, str, tuple[str, ...]], int] = {}

    def of_layer(self, chains: Sequence[Chain]) -> int:
        """Return the group of a layer whose nodes have these chains."""
        if not chains:
            return self._inside(0, _UNMAPPED)
        different = list(dict.fromkeys(chains))
        depth = _common_depth(different)
        around = self._inside(0, different[0][:depth])
        if len(different) == 1:
            return around
        beside = dict.fromkeys(chain[depth][1] if len(chain) > depth else "" for chain in different)
        return self._group(around, "shared", "", tuple(sorted(beside)))

    def _inside(self, position: int, chain: Chain) -> int:
        for kind, name in chain:
            position = self._group(position, kind, name, ())
        return position

    def _group(self, parent: int, kind: TreeKind, name: str, members: tuple[str, ...]) -> int:
        key = (parent, kind, name, members)
        found = self._positions.get(key)
        if found is None:
            found = self._positions[key] = len(self.names)
            self.names.append(name)
            self.kinds.append(kind)
            self.parents.append(parent)
            self.members.append(members)
        return found


def _common_depth(chains: Sequence[Chain]) -> int:
    """Return how many groups all chains begin with."""
    depth = 0
    for parts in zip(*chains, strict=False):
        if len(set(parts)) > 1:
            break
        depth += 1
    return depth

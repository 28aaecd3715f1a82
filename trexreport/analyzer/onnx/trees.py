"""The layers as a tree of modules or source lines: each is where all of its nodes are, none is divided."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis.onnx import LayerTree, OnnxNodeFacts, TreeKind
from trexreport.analyzer.onnx.costs import LayerNodes

#: The groups around a node, outermost first, with what each is.
Chain = tuple[tuple[TreeKind, str], ...]
_UNMAPPED: Chain = (("unmapped", ""),)
_UNSTATED: Chain = (("unstated", ""),)


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

"""List a tree of blocks with what is known of each."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from trexreport.analyzer.analysis import NOT_STATED, LayerFacts
from trexreport.analyzer.analysis.blocks import Block, BlockKind
from trexreport.analyzer.grouping import sum_known
from trexreport.analyzer.module_paths import Path


@dataclass
class BlockNode:
    """A block while the tree grows; it has `layers`, ascending, or `children`."""

    kind: BlockKind
    label: str
    path: Path
    layers: list[int] = field(default_factory=list)
    children: list[BlockNode] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Return the index of its first layer."""
        return self.layers[0] if self.layers else self.children[0].first


def list_blocks(root: BlockNode, layers: Sequence[LayerFacts], numbers: Sequence[int]) -> list[Block]:
    """Return the blocks of a tree, parents first.

    Args:
        root: The tree; siblings in execution order.
        layers: All layers of the engine.
        numbers: For each layer the number of its structure.
    """
    listing = _Listing(_Figures(layers), numbers)
    listing.add(root, None)
    return [block for block in listing.items if block]


class _Listing:
    """The blocks of a tree while they are listed."""

    def __init__(self, figures: _Figures, numbers: Sequence[int]) -> None:
        self.items: list[Block | None] = []
        self._figures, self._numbers = figures, numbers
        self._first_of_structure: dict[tuple[int, ...], tuple[int, int]] = {}

    def add(self, node: BlockNode, parent: int | None) -> list[int]:
        """Add a block and all in it; return its layers."""
        number = len(self.items)
        # Parents come before children, but what they hold is known after them.
        self.items.append(None)
        indices, children = list(node.layers), []
        for child in _with_unique_labels(node.children):
            children.append(len(self.items))
            indices += self.add(child, number)
        indices.sort()
        structure = tuple(map(self._numbers.__getitem__, indices))
        first, first_layer = self._first_of_structure.setdefault(structure, (number, indices[0]))
        # Equal descendants of a chain of single children would otherwise count as what their parents repeat.
        repeat_of = first if first_layer != indices[0] else None
        tree = {"id": number, "parent": parent, "children": children, "repeat_of": repeat_of}
        self.items[number] = _block(node, indices, self._figures, tree)
        return indices


class _Figures:
    """What blocks sum up of the layers, by index: each layer is in a block of every level of the tree.

    Attributes:
        precisions: None for a structural layer, which is not counted.
    """

    def __init__(self, layers: Sequence[LayerFacts]) -> None:
        self.times_ms = [layer.avg_ms for layer in layers]
        self.shares = [layer.share_percent for layer in layers]
        self.precisions = [None if layer.structural else layer.precision or NOT_STATED for layer in layers]


def _block(node: BlockNode, indices: list[int], figures: _Figures, tree: Mapping[str, Any]) -> Block:
    """Return a block with its figures, and with what its place in the tree says."""
    times_ms = [figures.times_ms[index] for index in indices]
    precisions = [figures.precisions[index] for index in indices]
    precision_layers = Counter(each for each in precisions if each is not None)
    precision_ms: dict[str, float] = {}
    for name, time_ms in zip(precisions, times_ms, strict=True):
        if name is not None and time_ms is not None:
            precision_ms[name] = precision_ms.get(name, 0.0) + time_ms
    return Block(
        **tree,
        kind=node.kind,
        label=node.label,
        path="/".join(node.path),
        ranges=_ranges(indices),
        count=precision_layers.total(),
        time_ms=sum_known(times_ms),
        share_percent=sum_known([figures.shares[index] for index in indices]),
        precision_ms=dict(sorted(precision_ms.items(), key=lambda item: (-item[1], item[0]))),
        precision_layers=dict(precision_layers),
    )


def _ranges(indices: Sequence[int]) -> list[list[int]]:
    if indices[-1] - indices[0] + 1 == len(indices):
        return [[indices[0], indices[-1]]]
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    return ranges


def _with_unique_labels(nodes: Sequence[BlockNode]) -> list[BlockNode]:
    """Number the later ones of equal labels."""
    seen: dict[str, int] = {}
    for node in nodes:
        seen[node.label] = count = seen.get(node.label, 0) + 1
        if count > 1:
            node.label = f"{node.label} ({count})"
    return list(nodes)

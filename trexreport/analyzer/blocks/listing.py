"""List a tree of blocks with what is known of each."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import NOT_STATED, LayerFacts
from trexreport.analyzer.analysis.blocks import Block
from trexreport.analyzer.blocks.module_paths import Path


@dataclass
class Draft:
    """A block while the tree grows; it has `layers`, ascending, or `children`."""

    kind: str
    label: str
    path: Path
    layers: list[int] = field(default_factory=list)
    children: list[Draft] = field(default_factory=list)

    @property
    def first(self) -> int:
        """Return the index of its first layer."""
        return self.layers[0] if self.layers else self.children[0].first


def list_blocks(root: Draft, layers: Sequence[LayerFacts], numbers: Sequence[int]) -> list[Block]:
    """Return the blocks of a tree, parents first.

    Args:
        root: The tree; siblings in execution order.
        layers: All layers of the engine.
        numbers: For each layer the number of its structure.
    """
    return _Listing(layers, numbers).of(root)


class _Listing:
    def __init__(self, layers: Sequence[LayerFacts], numbers: Sequence[int]) -> None:
        self._layers = layers
        self._numbers = numbers
        self._items: list[Block] = []
        self._first_of_structure: dict[tuple[int, ...], int] = {}

    def of(self, root: Draft) -> list[Block]:
        self._add(root, None)
        return self._items

    def _add(self, draft: Draft, parent: int | None) -> list[int]:
        """Add a block and all in it; return its layers."""
        block = Block(len(self._items), draft.kind, draft.label, "/".join(draft.path), parent)
        self._items.append(block)
        indices = list(draft.layers)
        for child in _with_unique_labels(draft.children):
            block.children.append(len(self._items))
            indices += self._add(child, block.id)
        indices.sort()
        self._describe(block, indices)
        return indices

    def _describe(self, block: Block, indices: list[int]) -> None:
        block.ranges = _ranges(indices)
        found = [self._layers[index] for index in indices if not self._layers[index].structural]
        block.count = len(found)
        everything = [self._layers[index] for index in indices]
        times = [layer.avg_ms for layer in everything if layer.avg_ms is not None]
        shares = [layer.share_percent for layer in everything if layer.share_percent is not None]
        block.time_ms = math.fsum(times) if times else None
        block.share_percent = math.fsum(shares) if shares else None
        for layer in found:
            name = layer.precision or NOT_STATED
            block.precision_layers[name] = block.precision_layers.get(name, 0) + 1
            if layer.avg_ms is not None:
                block.precision_ms[name] = block.precision_ms.get(name, 0.0) + layer.avg_ms
        block.precision_ms = dict(sorted(block.precision_ms.items(), key=lambda item: (-item[1], item[0])))
        structure = tuple(self._numbers[index] for index in indices)
        # Equal descendants of a chain of single children would otherwise be said to repeat their parents.
        first = self._first_of_structure.setdefault(structure, block.id)
        if first != block.id and self._items[first].ranges[0][0] != block.ranges[0][0]:
            block.repeat_of = first


def _ranges(indices: Sequence[int]) -> list[list[int]]:
    ranges: list[list[int]] = []
    for index in indices:
        if ranges and ranges[-1][1] == index - 1:
            ranges[-1][1] = index
        else:
            ranges.append([index, index])
    return ranges


def _with_unique_labels(drafts: Sequence[Draft]) -> list[Draft]:
    """Number the later ones of equal labels."""
    seen: dict[str, int] = {}
    for draft in drafts:
        seen[draft.label] = count = seen.get(draft.label, 0) + 1
        if count > 1:
            draft.label = f"{draft.label} ({count})"
    return list(drafts)

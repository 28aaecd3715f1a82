"""Icicles: the layers as a tree of modules or source lines, in which widths are times."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Any

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.analyzer.analysis.blocks import leaf_blocks
from trexreport.analyzer.analysis.onnx import SHARED, LayerTree
from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.numbers import middle_ellipsis
from trexreport.wording.onnx import tree_labels

#: Items below this fraction of a group, too narrow to choose in a narrow window, are in ranges: of the second
#: fraction, or of the given number of items once the range is not narrow itself.
_NARROW, _RANGES, _MANY = 160, 50, 100
#: The ends of a range have at most this many characters: the fewest that distinguish it from those beside it.
_RANGE_ENDS = (24, 96, 384)
_SUMMARY = (
    "Each box is as wide as the time of its layers. A layer that computes several parts is one box beside "
    "them, marked as shared."
)
_BY_NAMES = "Each box is as wide as the time of its layers. The modules are from the names of the layers."


@dataclass(frozen=True)
class Icicle:
    """An icicle.

    Groups whose layers took no time are not in it.

    Attributes:
        key: "module" or "source"; the part of the address that holds what is enlarged.
        labels: What each group is called beside the groups around it; the first is the root.
        parents: Position of the group around each, which comes before it; -1 for the root.
        layers: For each layer, the position of its group.
        apart: Layers of no part, which come last.
    """

    key: str
    title: str
    summary: str
    labels: Sequence[str]
    parents: Sequence[int]
    layers: Sequence[int]
    apart: frozenset[int] = frozenset()


@bulk_facts
class Item:
    """A box to be placed: a group, a layer, or neighbors that are too narrow (`merged` is their number)."""

    ms: float
    group: int = -1
    layer: int = -1
    merged: int = 0


def icicles(analysis: Analysis) -> dict[str, Icicle]:
    """Return the icicles of an engine whose layers have times: by module, and by source line."""
    if not any(layer.avg_ms for layer in analysis.layers):
        return {}
    model = analysis.onnx
    found: list[Icicle] = []
    if model and model.module_tree:
        found.append(_of_tree("module", "Layer time by module", model.module_tree))
    elif analysis.blocks.basis == "names":
        found.append(_of_blocks(analysis))
    if model and model.source_tree:
        found.append(_of_tree("source", "Layer time by source line", model.source_tree))
    return {each.key: with_ranges(each, analysis.layers) for each in found}


def icicle_data(each: Icicle) -> dict[str, Any]:
    """Return what the script needs; names and times are those of the layers."""
    return {
        "labels": each.labels,
        "parents": each.parents,
        "layers": each.layers,
        "apart": sorted(each.apart),
    }


def _of_tree(key: str, title: str, tree: LayerTree) -> Icicle:
    apart = frozenset(at for at, kind in enumerate(tree.kinds) if kind in ("unmapped", "unstated"))
    return Icicle(key, title, _SUMMARY, tree_labels(tree), tree.parents, tree.layers, apart)


def _of_blocks(analysis: Analysis) -> Icicle:
    blocks = analysis.blocks.items
    of_layer = leaf_blocks(blocks)
    labels = ["All layers", *(block.label for block in blocks[1:])]
    parents = [-1 if block.parent is None else block.parent for block in blocks]
    layers = [of_layer.get(layer.index, 0) for layer in analysis.layers]
    return Icicle("module", "Layer time by module", _BY_NAMES, labels, parents, layers)


def with_ranges(icicle: Icicle, layers: Sequence[LayerFacts]) -> Icicle:
    """Return an icicle in which narrow items of a large group are in ranges, so that each can be enlarged."""
    children = IcicleChildren(icicle, layers)
    labels, parents, of_layer = [icicle.labels[0]], [-1], [0] * len(layers)
    last: set[int] = set()
    rest: list[tuple[int, list[Item]]] = [(0, children.items(0))]
    while rest:
        position, items = rest.pop()
        runs = list(_runs(items))
        texts = children.range_texts([run for run in runs if len(run) > 1])
        for run in runs:
            if len(run) > 1:
                labels.append(next(texts))
            elif run[0].layer >= 0:
                of_layer[run[0].layer] = position
                continue
            else:
                labels.append(icicle.labels[run[0].group])
            parents.append(position)
            if any(item.group in icicle.apart for item in run):
                last.add(len(labels) - 1)
            rest.append((len(labels) - 1, run if len(run) > 1 else children.items(run[0].group)))
    return replace(icicle, labels=labels, parents=parents, layers=of_layer, apart=frozenset(last))


def _runs(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield each item alone, or narrow neighbors together, so that no two narrow ones are side by side."""
    total = math.fsum(item.ms for item in items)
    run: list[Item] = []
    width = 0.0
    for item in items:
        if item.ms * _NARROW >= total:
            if run:
                yield run
            run, width = [], 0.0
            yield [item]
            continue
        run.append(item)
        width += item.ms
        if width * _RANGES >= total or (len(run) >= _MANY and width * _NARROW >= total):
            yield run
            run, width = [], 0.0
    if run:
        yield run


class IcicleChildren:
    """What is in each group, in the order of execution; what is of no part of the model comes last."""

    def __init__(self, icicle: Icicle, layers: Sequence[LayerFacts]) -> None:
        self.icicle, self.layers = icicle, layers
        count = len(icicle.labels)
        self.own: list[list[LayerFacts]] = [[] for _ in range(count)]
        self.first = [len(layers)] * count
        self.totals = [0.0] * count
        self.counts = [0] * count
        times: list[list[float]] = [[] for _ in range(count)]
        for layer, group in zip(layers, icicle.layers, strict=True):
            if layer.avg_ms:
                self.own[group].append(layer)
                times[group].append(layer.avg_ms)
                self.first[group] = min(self.first[group], layer.index)
        self.groups: list[list[int]] = [[] for _ in range(count)]
        for group in range(count - 1, -1, -1):
            self.totals[group] = math.fsum(times[group])
            self.counts[group] += len(self.own[group])
            parent = icicle.parents[group]
            if parent >= 0 and times[group]:
                times[parent].append(self.totals[group])
                self.counts[parent] += self.counts[group]
                self.first[parent] = min(self.first[parent], self.first[group])
                self.groups[parent].append(group)

    def items(self, group: int) -> list[Item]:
        """Return what is directly in a group."""
        apart = self.icicle.apart if group == 0 else frozenset()
        placed = [
            ((each in apart, self.first[each]), Item(self.totals[each], group=each))
            for each in self.groups[group]
        ]
        placed += [
            ((False, layer.index), Item(layer.avg_ms or 0.0, layer=layer.index)) for layer in self.own[group]
        ]
        return [item for _, item in sorted(placed, key=lambda each: each[0])]

    def text(self, item: Item) -> str:
        """Return what a group or a layer is called."""
        return self.icicle.labels[item.group] if item.layer < 0 else self.layers[item.layer].name

    def range_texts(self, runs: Sequence[Sequence[Item]]) -> Iterator[str]:
        """Yield what neighbors are called together: their ends, of modules or lines if there are any."""
        ends = [self._ends(run) for run in runs]
        texts = [""] * len(runs)
        unclear = list(range(len(runs)))
        for most in _RANGE_ENDS:
            for at in unclear:
                texts[at] = " … ".join(dict.fromkeys(middle_ellipsis(text, most) for text in ends[at]))
            uses = Counter(texts)
            unclear = [at for at in unclear if uses[texts[at]] > 1 or _are_alike(ends[at], most)]
        yield from texts

    def _ends(self, run: Sequence[Item]) -> tuple[str, str]:
        texts = [self.text(item) for item in run]
        texts = [text for text in texts if not text.startswith(SHARED)] or texts
        return texts[0], texts[-1]

    def by_type(self, group: int) -> list[tuple[str, float]]:
        """Return the time of a group by layer type, slowest first."""
        times: dict[str, float] = {}
        inside = [group]
        while inside:
            each = inside.pop()
            inside += self.groups[each]
            for layer in self.own[each]:
                times[layer.type] = times.get(layer.type, 0.0) + (layer.avg_ms or 0.0)
        return sorted(times.items(), key=lambda each: (-each[1], each[0]))


def _are_alike(ends: tuple[str, str], most: int) -> bool:
    """Return whether two different texts are equal once they are cut."""
    first, last = (middle_ellipsis(text, most) for text in ends)
    return first == last and ends[0] != ends[1]

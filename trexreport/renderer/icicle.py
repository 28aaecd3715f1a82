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
from trexreport.lazy_dataclass import dataclass
from trexreport.numbers import counted, format_ms, format_percent, middle_ellipsis
from trexreport.renderer.charts.markup import (
    Element,
    drawing,
    element,
    lines,
    with_shared_attributes,
    words,
    write,
)
from trexreport.renderer.charts.parts import identity, label, on_mark, rectangle
from trexreport.renderer.charts.text import TICK_SIZE, clean, fit
from trexreport.renderer.links import layer_link
from trexreport.renderer.palette import color
from trexreport.wording.onnx import tree_labels

ROW = 26.0
_GAP, _STRIP = 1.0, 4.0
#: Rows of the drawing that needs no script.
_STATIC_ROWS = 6
#: Neighbors narrower than this are one box; boxes narrower than that have no text.
_MIN_WIDTH, _MIN_LABEL = 3.0, 28.0
_SHORTEST_NAME = 6
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


@dataclass(frozen=True)
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


def draw_icicle(each: Icicle, layers: Sequence[LayerFacts], width: int) -> str:
    """Return the first levels of an icicle as SVG; the same values give the same text."""
    boxes = _Drawing(_Children(each, layers))
    boxes.draw(Item(boxes.children.totals[0], group=0), 0, 0.0, float(width))
    name = identity(f"icicle-{each.key}")
    svg = drawing(
        "icicle",
        float(width),
        ROW * (boxes.deepest + 1),
        element("title", words(each.title), id=f"{name}-title"),
        element("desc", words(each.summary), id=f"{name}-summary"),
        *boxes.drawn,
        role="group",
        aria_labelledby=f"{name}-title {name}-summary",
    )
    return write(with_shared_attributes(svg))


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
    children = _Children(icicle, layers)
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


class _Children:
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


class _Drawing:
    """The boxes that were drawn, and how deep they reach."""

    def __init__(self, children: _Children) -> None:
        self.children = children
        self.drawn: list[Element] = []
        self.deepest = 0

    def draw(self, item: Item, row: int, x: float, width: float) -> None:
        self.deepest = max(self.deepest, row)
        self.drawn.append(self._box(item, row * ROW, x, width))
        if item.group < 0 or row + 1 >= _STATIC_ROWS or not item.ms:
            return
        scale = width / item.ms
        for inside in merged(self.children.items(item.group), scale):
            self.draw(inside, row + 1, x, inside.ms * scale)
            x += inside.ms * scale

    def _box(self, item: Item, y: float, x: float, width: float) -> Element:
        shown = max(width - _GAP, 0.5)
        share = format_percent(item.ms / self.children.totals[0])
        amount = f"{format_ms(item.ms)}, {share}"
        if item.layer >= 0:
            layer = self.children.layers[item.layer]
            role, name = f"type:{layer.type}", clean(layer.name)
            box = rectangle(x, y, shown, ROW - _GAP, color(role))
            text = _shown(name, width)
            texts = [on_mark(text, x + 5, y + ROW / 2, role)] if text else []
            hover = lines((name, layer.type, amount))
            return element(
                "a", element("title", hover), box, *texts, href=layer_link(layer.index), tabindex="-1"
            )
        if item.merged:
            name = counted(item.merged, "box", "boxes") + " too narrow to show"
        else:
            layers = counted(self.children.counts[item.group], "layer")
            name, amount = clean(self.children.icicle.labels[item.group]), f"{amount}, {layers}"
        box = element(
            "rect",
            x=x,
            y=y,
            width=shown,
            height=ROW - _GAP,
            fill=color("neutral"),
            fill_opacity=0.4 if item.merged else 0.16,
        )
        return element(
            "g", element("title", lines((name, amount))), box, *self._group_parts(item, y, x, width)
        )

    def _group_parts(self, item: Item, y: float, x: float, width: float) -> Iterator[Element]:
        """Yield what layer types a group consists of, as a strip at its foot, and its name."""
        if item.merged:
            return
        start = x
        for name, ms in self.children.by_type(item.group):
            part = max(width - _GAP, 0.5) * ms / item.ms
            if part >= 1:
                yield rectangle(start, y + ROW - _GAP - _STRIP, part, _STRIP, color(f"type:{name}"))
            start += part
        if width < _MIN_LABEL:
            return
        name = clean(self.children.icicle.labels[item.group])
        share = format_percent(item.ms / self.children.totals[0])
        text = fit(f"{name} {share}", width - 10, TICK_SIZE)
        if text != f"{name} {share}":
            text = _shown(name, width)
        if text:
            yield label(text, x + 5, y + (ROW - _STRIP) / 2, size=TICK_SIZE)


def _shown(name: str, width: float) -> str:
    """Return a name as a box of this width shows it; nothing where too little of it would be left."""
    text = fit(name, width - 10, TICK_SIZE) if width >= _MIN_LABEL else ""
    return text if text == name or len(text) >= _SHORTEST_NAME else ""


def merged(items: Sequence[Item], scale: float) -> list[Item]:
    """Return items with neighbors that are too narrow joined into one; `scale` is pixels per millisecond."""
    found: list[Item] = []
    narrow: list[Item] = []
    for item in [*items, None]:
        if item is not None and item.ms * scale < _MIN_WIDTH:
            narrow.append(item)
            continue
        if len(narrow) == 1:
            found += narrow
        elif narrow:
            found.append(Item(math.fsum(each.ms for each in narrow), merged=len(narrow)))
        narrow = []
        if item is not None:
            found.append(item)
    return found

"""Decide what of an engine is drawn: boxes of layers and blocks, arrows of tensors, what is left out."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.renderer.graph.picture import MAX_ARROWS, Arrow, Box, Choice, Picture, Row

#: Where more arrows begin or end at one side of a layer, they become stubs: no one could follow them.
MAX_AT_A_SIDE = 24

#: The largest number of tensors that a small box at a block names.
_MAX_ROWS = 10


def add_stubs(
    boxes: dict[str, Box], arrows: list[Arrow], side: str, key: str, tensors: Iterable[int]
) -> None:
    """Name tensors in the small box "above" or "below" a box; make it and its arrow if it is not there."""
    box, arrow = small_box(side, key, [Row("stub", tensor) for tensor in tensors])
    if box.key in boxes:
        boxes[box.key] = replace(box, rows=(*boxes[box.key].rows, *box.rows))
    else:
        boxes[box.key] = box
        arrows.append(arrow)


def small_box(side: str, key: str, rows: Iterable[Row]) -> tuple[Box, Arrow]:
    """Return a small box beside another one, and the arrow that joins them."""
    box = Box(f"{side}:{key}", "small", -1, tuple(rows))
    ends = (box.key, key) if side == "above" else (key, box.key)
    return box, Arrow(*ends, box.rows[0].tensor, sum(row.count for row in box.rows))


def compose(analysis: Analysis, choice: Choice | None = None) -> Picture:
    """Return the picture of an engine or of a part of it, boxes in execution order."""
    return _Composer(analysis, choice or Choice()).compose()


class _Composer:
    def __init__(self, analysis: Analysis, choice: Choice) -> None:
        self._layers = analysis.layers
        self._tensors = analysis.tensors
        self._choice = choice
        self._picture = Picture()
        self._keys = self._picture.keys
        self._first: dict[str, int] = {}
        drawn = [layer.index for layer in self._layers if self._is_drawn(layer)]
        boxes = _collapsed_layers(analysis, choice, set(drawn))
        for index in drawn:
            self._keys[index] = key = boxes.get(index, f"layer:{index}")
            self._first.setdefault(key, index)
        self._owners = [
            index if tensor.alias_of is None else self._owner(index)
            for index, tensor in enumerate(self._tensors)
        ]
        # The first layer of each box that reads a tensor, in the order of the layers.
        self._reads: dict[tuple[int, str], int] = {}
        for index, key in self._keys.items():
            for use in self._layers[index].inputs:
                self._reads.setdefault((self._owners[use.tensor], key), index)
        self._readers = Counter([owner for owner, _ in self._reads])
        # Inputs that leave the engine again as they are.
        self._passing = {
            self._owners[index]
            for index, tensor in enumerate(self._tensors)
            if tensor.role == "output" and self._tensors[self._owners[index]].role == "input"
        }
        self._above: dict[str, list[Row]] = {}
        self._below: dict[str, list[Row]] = {}

    def compose(self) -> Picture:
        arrows = self._without_fans(self._arrows())
        boxes, outputs = self._shared_boxes(arrows)
        for key in self._first:
            kind, _, number = key.partition(":")
            if rows := self._above.get(key):
                box, arrow = small_box("above", key, _rows(kind, rows))
                boxes.append(box)
                arrows.append(arrow)
            boxes.append(Box(key, kind, int(number)))
            if rows := self._below.get(key):
                box, arrow = small_box("below", key, _rows(kind, rows))
                boxes.append(box)
                arrows.append(arrow)
        self._picture.boxes = [*boxes, *outputs]
        self._picture.arrows = arrows
        return self._picture

    def _is_drawn(self, layer: LayerFacts) -> bool:
        shown, only = self._choice.shown, self._choice.only
        if only is not None and layer.index not in only:
            return False
        if layer.type == "NoOp" and layer.inputs and layer.outputs and "noops" not in shown:
            self._picture.folded += 1
            return False
        is_constant = layer.type == "Constant"
        is_idle = layer.structural and not is_constant and not layer.inputs and not layer.outputs
        if (is_constant and "constants" not in shown) or (is_idle and "shape" not in shown):
            self._picture.hidden += 1
            return False
        return True

    def _owner(self, tensor: int) -> int:
        """Return the tensor that replaces this one when no-ops are folded."""
        seen = set()
        while self._tensors[tensor].alias_of is not None and tensor not in seen:
            if any(self._layers[each].type == "NoOp" for each in self._writers(tensor)):
                break
            seen.add(tensor)
            tensor = self._tensors[tensor].alias_of or 0
        return tensor

    def _writers(self, tensor: int) -> list[int]:
        """Return the drawn layers that write a tensor."""
        return [index for index in self._tensors[tensor].producers if index in self._keys]

    def _arrows(self) -> list[Arrow]:
        """Join what is drawn, in the order of the readers; name the rest in small boxes."""
        arrows: list[Arrow] = []
        only = self._choice.only is not None
        for (owner, key), index in self._reads.items():
            arrows += self._arrows_to(key, index, owner)
        for index, tensor in enumerate(self._tensors):
            if tensor.role == "output":
                arrows += self._arrows_to_output(index)
            # Of nearly all tensors it is certain at once that all readers are shown.
            if (only or self._readers[index] > MAX_ARROWS) and self._is_read_elsewhere(index):
                for key in dict.fromkeys(self._keys[each] for each in self._writers(index)):
                    self._below.setdefault(key, []).append(Row("stub", index))
        return _merged(arrows) if self._choice.collapsed else arrows

    def _without_fans(self, arrows: list[Arrow]) -> list[Arrow]:
        """Name tensors in small boxes where too many arrows would begin or end at one side of a box."""
        first = self._first
        leaving = Counter([arrow.source for arrow in arrows if arrow.target in first])
        arriving = Counter([arrow.target for arrow in arrows if arrow.source in first])
        full = {key for key, count in leaving.items() if key in first and count > MAX_AT_A_SIDE}
        filled = {key for key, count in arriving.items() if key in first and count > MAX_AT_A_SIDE}
        if not full and not filled:
            return arrows
        kept: list[Arrow] = []
        named: set[tuple[str, int]] = set()
        for arrow in arrows:
            joins = arrow.source in first and arrow.target in first and arrow.count == 1
            if not joins or (arrow.source not in full and arrow.target not in filled):
                kept.append(arrow)
                continue
            row = Row("stub", arrow.tensor)
            self._above.setdefault(arrow.target, []).append(row)
            if (arrow.source, arrow.tensor) not in named:
                named.add((arrow.source, arrow.tensor))
                self._below.setdefault(arrow.source, []).append(row)
        return kept

    def _arrows_to(self, key: str, reader: int, owner: int) -> list[Arrow]:
        tensor, keys = self._tensors[owner], self._keys
        writers = {keys[index]: index for index in tensor.producers if index in keys}
        many = self._readers[owner] > MAX_ARROWS
        if tensor.role == "input":
            if not many and (self._readers[owner] > 1 or owner in self._passing):
                return [Arrow(f"input:{owner}", key, owner)]
            self._above.setdefault(key, []).append(Row("input", owner))
        elif many and writers:
            self._above.setdefault(key, []).append(Row("stub", owner))
        else:
            if self._choice.only is not None and self._is_outside(tensor.producers):
                self._above.setdefault(key, []).append(Row("stub", owner))
            elif not tensor.producers and "constants" in self._choice.shown:
                self._above.setdefault(key, []).append(Row("constant", owner))
            return [
                Arrow(source, key, owner, back=index >= reader)
                for source, index in writers.items()
                if source != key or key.startswith("layer:")
            ]
        return []

    def _arrows_to_output(self, index: int) -> list[Arrow]:
        owner = self._owners[index]
        keys = list(dict.fromkeys(self._keys[each] for each in self._writers(owner)))
        if len(keys) == 1:
            self._below.setdefault(keys[0], []).append(Row("output", index))
            return []
        arrows = [Arrow(key, f"output:{index}", index) for key in keys]
        if owner in self._passing and self._readers[owner]:
            arrows.append(Arrow(f"input:{owner}", f"output:{index}", index))
        return arrows

    def _is_outside(self, layers: Iterable[int]) -> bool:
        """Return whether one of the layers is not in the part that is drawn."""
        only = self._choice.only
        return only is not None and any(index not in only for index in layers)

    def _is_read_elsewhere(self, index: int) -> bool:
        """Return whether what is drawn does not show all readers of a tensor as arrows."""
        if self._owners[index] != index or self._tensors[index].role == "input":
            return False
        return self._readers[index] > MAX_ARROWS or self._is_outside(self._tensors[index].consumers)

    def _shared_boxes(self, arrows: Iterable[Arrow]) -> tuple[list[Box], list[Box]]:
        """Return the boxes of bindings that more than one layer reads or writes."""
        keys = dict.fromkeys(key for arrow in arrows for key in (arrow.source, arrow.target))
        shared: dict[str, list[Box]] = {"input": [], "output": []}
        for index, tensor in enumerate(self._tensors):
            for kind, boxes in shared.items():
                if tensor.role == kind and f"{kind}:{index}" in keys:
                    boxes.append(Box(f"{kind}:{index}", "small", -1, (Row(kind, index),)))
        return shared["input"], shared["output"]


def _rows(kind: str, rows: list[Row]) -> tuple[Row, ...]:
    """Leave out most rows at a block that has very many."""
    if kind != "block" or len(rows) <= _MAX_ROWS:
        return tuple(rows)
    left_out = len(rows) - _MAX_ROWS + 1
    return (*rows[: _MAX_ROWS - 1], Row("more", rows[_MAX_ROWS - 1].tensor, left_out))


def _collapsed_layers(analysis: Analysis, choice: Choice, drawn: set[int]) -> dict[int, str]:
    """Return the key of the box of each layer in a collapsed block; a single layer is drawn itself."""
    keys: dict[int, str] = {}
    for first, members in choice.collapsed.items():
        layers = (index for member in members for index in analysis.blocks.items[member].layers)
        inside = [index for index in layers if index in drawn]
        if len(inside) > 1:
            keys.update(dict.fromkeys(inside, f"block:{first}"))
    return keys


def _merged(arrows: Iterable[Arrow]) -> list[Arrow]:
    """Let one arrow stand for all tensors between two boxes of which one is a block."""
    kept: dict[object, Arrow] = {}
    for number, arrow in enumerate(arrows):
        joins_block = arrow.source.startswith("block:") or arrow.target.startswith("block:")
        key = (arrow.source, arrow.target) if joins_block else number
        first = kept.get(key)
        kept[key] = replace(first, count=first.count + 1, back=first.back and arrow.back) if first else arrow
    return list(kept.values())

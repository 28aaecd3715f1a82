"""Decide what of an engine is drawn: boxes for layers and bindings, arrows for tensors."""

from __future__ import annotations

from dataclasses import dataclass, field

from trexreport.analyzer.analysis import Analysis, LayerFacts

#: A tensor that more layers read is drawn as a named stub at each of them instead of as arrows.
MOST_ARROWS = 8


@dataclass(frozen=True)
class Box:
    """Something to draw: a layer, a binding, or a stub of a tensor that is read in many places.

    Attributes:
        kind: "layer", "input", "output" or "stub".
        index: Index of the layer, or of the tensor for anything else.
    """

    key: str
    kind: str
    index: int


@dataclass(frozen=True)
class Arrow:
    """A tensor on its way from one box to another."""

    source: str
    target: str
    tensor: int
    back: bool = False


@dataclass
class Picture:
    """What is drawn, and how many layers are left out because they move no data.

    Attributes:
        folded: No-ops, through which arrows are drawn.
        hidden: Constants and layers without inputs and outputs.
    """

    boxes: list[Box] = field(default_factory=list)
    arrows: list[Arrow] = field(default_factory=list)
    folded: int = 0
    hidden: int = 0


def compose(analysis: Analysis) -> Picture:
    """Return the picture of a whole engine, boxes in execution order."""
    return _Composer(analysis).compose()


class _Composer:
    def __init__(self, analysis: Analysis) -> None:
        self._layers = analysis.layers
        self._tensors = analysis.tensors
        self._picture = Picture()
        self._drawn = {layer.index for layer in analysis.layers if self._is_drawn(layer)}
        self._readers = self._readers_of_values()

    def compose(self) -> Picture:
        for index, tensor in enumerate(self._tensors):
            if tensor.role == "input" and self._readers[index]:
                self._add_source(index)
        for layer in self._layers:
            if layer.index in self._drawn:
                self._add_layer(layer)
        for index, tensor in enumerate(self._tensors):
            if tensor.role == "output":
                self._add_output(index)
        return self._picture

    def _is_drawn(self, layer: LayerFacts) -> bool:
        if layer.type == "NoOp" and layer.inputs and layer.outputs:
            self._picture.folded += 1
            return False
        if layer.type == "Constant" or (layer.structural and not layer.inputs and not layer.outputs):
            self._picture.hidden += 1
            return False
        return True

    def _owner(self, tensor: int) -> int:
        """Return the tensor that stands for this one once no-ops are folded."""
        seen = set()
        while self._tensors[tensor].alias_of is not None and tensor not in seen:
            seen.add(tensor)
            tensor = self._tensors[tensor].alias_of or 0
        return tensor

    def _readers_of_values(self) -> list[list[int]]:
        readers: list[list[int]] = [[] for _ in self._tensors]
        for layer in self._layers:
            if layer.index in self._drawn:
                for owner in dict.fromkeys(self._owner(use.tensor) for use in layer.inputs):
                    readers[owner].append(layer.index)
        return readers

    def _add_source(self, index: int) -> None:
        if len(self._readers[index]) <= MOST_ARROWS:
            self._picture.boxes.append(Box(f"input:{index}", "input", index))

    def _add_layer(self, layer: LayerFacts) -> None:
        key = f"layer:{layer.index}"
        arrows = []
        for owner in dict.fromkeys(self._owner(use.tensor) for use in layer.inputs):
            arrows += self._arrows_to(key, layer.index, owner)
        self._picture.boxes.append(Box(key, "layer", layer.index))
        self._picture.arrows += arrows

    def _arrows_to(self, key: str, reader: int, owner: int) -> list[Arrow]:
        tensor = self._tensors[owner]
        producers = [index for index in tensor.producers if index in self._drawn]
        if len(self._readers[owner]) > MOST_ARROWS and (producers or tensor.role == "input"):
            stub = f"stub:{owner}:{reader}"
            self._picture.boxes.append(Box(stub, "stub", owner))
            return [Arrow(stub, key, owner)]
        if tensor.role == "input":
            return [Arrow(f"input:{owner}", key, owner)]
        return [Arrow(f"layer:{index}", key, owner, back=index >= reader) for index in producers]

    def _add_output(self, index: int) -> None:
        owner = self._owner(index)
        tensor = self._tensors[owner]
        key = f"output:{index}"
        self._picture.boxes.append(Box(key, "output", index))
        producers = [each for each in tensor.producers if each in self._drawn]
        self._picture.arrows += [Arrow(f"layer:{each}", key, index) for each in producers]
        if tensor.role == "input" and len(self._readers[owner]) <= MOST_ARROWS and self._readers[owner]:
            self._picture.arrows.append(Arrow(f"input:{owner}", key, index))

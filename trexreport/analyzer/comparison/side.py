"""Prepare one engine for alignment: which layers compute, what serves them, and how data flows."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts
from trexreport.analyzer.comparison.layer_signature import look_of, without_conversions
from trexreport.analyzer.comparison.names import KnownParts, LayerNames, is_opaque, reformatted_layer
from trexreport.analyzer.reformats import is_reformat

_QUANTIZING = frozenset({"Scale", "Quantize", "Dequantize", "PointWise", "ElementWise", "kgen", ""})
_SERVING_NAMES = ("Reformatting CopyNode", "[trainStation", "Forced Cast ITensor")
#: Tensors that more layers write than this are buffers of no meaning for the flow of data.
_MAX_PRODUCERS = 64


class Side:
    """One engine as alignment needs it.

    Attributes:
        primaries: Indices of the layers that compute, in execution order.
        in_order_of_data: The same, each after what it reads, in an order that the flow of data alone decides:
            engines run independent layers in any order.
        serves: Each other layer's index to that of the layer it serves.
        previous, following: For each primary the primaries whose results it reads, in the order of its
            inputs, and those that read its results.
        reads: For each primary the names of the engine's inputs that it reads.
    """

    def __init__(self, analysis: Analysis, known: KnownParts) -> None:
        self.layers = analysis.layers
        self.tensors = analysis.tensors
        self.names = known.names_of_layers(analysis)
        helping = [_helps(layer, names) for layer, names in zip(self.layers, self.names, strict=True)]
        if all(helping):
            helping = [False] * len(helping)
        self.primaries = [index for index, helps in enumerate(helping) if not helps]
        self.looks = {
            index: look_of(self.layers[index], self.names[index], known) for index in self.primaries
        }
        self.previous: dict[int, list[int]] = {}
        self.following: dict[int, list[int]] = {index: [] for index in self.primaries}
        self.reads: dict[int, list[str]] = {}
        self._follow_data(helping)
        self.serves = self._served(helping)
        self.in_order_of_data = self._ordered()

    def _ordered(self) -> list[int]:
        """Return the primaries as a walk finds them that goes from each result back to its first input."""
        ends = [index for index in self.primaries if not self.following[index]]
        ends.sort(key=lambda index: min(self._results(index), default=""))
        found: dict[int, None] = {}
        waiting = ends[::-1]
        while waiting:
            index = waiting[-1]
            sources = [each for each in self.previous[index] if each not in found]
            if sources:
                waiting += sources[::-1]
            else:
                found[waiting.pop()] = None
        return list(found)

    def _results(self, index: int) -> list[str]:
        """Return the names of the engine's outputs that a layer writes."""
        uses = [self.tensors[use.tensor] for use in self.layers[index].outputs]
        return [tensor.name for tensor in uses if tensor.role == "output"]

    def _follow_data(self, helping: list[bool]) -> None:
        sources: dict[int, list[int]] = {}  # of each helper
        for layer in self.layers:
            index = layer.index
            found: dict[int, None] = {}
            read = [self.tensors[use.tensor] for use in layer.inputs]
            for tensor in read:
                producers = tensor.producers
                if len(producers) > _MAX_PRODUCERS:
                    continue
                for producer in producers:
                    # What a loop reads of its last turn would close a cycle.
                    if producer >= index:
                        continue
                    if producer in sources:
                        found.update(dict.fromkeys(sources[producer]))
                    else:
                        found[producer] = None
            if helping[index]:
                sources[index] = list(found)[:_MAX_PRODUCERS]
                continue
            self.previous[index] = list(found)
            for producer in found:
                self.following[producer].append(index)
            self.reads[index] = [tensor.name for tensor in read if tensor.role == "input"]

    def _served(self, helping: list[bool]) -> dict[int, int]:
        """Return what each helper serves: the layer it names, else a reader, a writer, the next in order."""
        by_name = {self.layers[index].name: index for index in reversed(range(len(self.layers)))}
        serves: dict[int, int] = {}
        after = self.primaries[-1] if self.primaries else -1  # an engine of which only times are known
        for index in reversed(range(len(self.layers))):
            if not helping[index]:
                after = index
                continue
            layer = self.layers[index]
            served = (by_name.get(reformatted_layer(layer.name) or ""), *_readers(layer, self.tensors))
            settled = (serves.get(each) if helping[each] else each for each in served if each is not None)
            chosen = next((each for each in settled if each is not None), self._writer(layer, helping))
            serves[index] = after if chosen is None else chosen
        return serves

    def _writer(self, layer: LayerFacts, helping: list[bool]) -> int | None:
        """Return the nearest computing layer upstream, through helpers, if there is one."""
        seen = {layer.index}
        waiting = [layer]
        while waiting and len(seen) < _MAX_PRODUCERS:
            for use in waiting.pop().inputs:
                for producer in self.tensors[use.tensor].producers:
                    if producer in seen:
                        continue
                    if not helping[producer]:
                        return producer
                    seen.add(producer)
                    waiting.append(self.layers[producer])
        return None


def _readers(layer: LayerFacts, tensors: Sequence[TensorFacts]) -> list[int]:
    found = [reader for use in layer.outputs for reader in tensors[use.tensor].consumers[:_MAX_PRODUCERS]]
    return sorted({reader for reader in found if reader > layer.index})


def _helps(layer: LayerFacts, names: LayerNames) -> bool:
    """Return whether a layer only moves, converts, quantizes or synchronizes for others."""
    if layer.structural or is_reformat(layer) or layer.name.startswith(_SERVING_NAMES):
        return True
    if not names.none or is_opaque(layer.name):
        return False
    if names.quantizers:
        return layer.type in _QUANTIZING
    # Of the kernels that compute nothing, those that transpose or cut do what the model says.
    return bool(layer.operations) and not without_conversions(layer.operations)

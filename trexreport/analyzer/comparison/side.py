"""Prepare one engine for alignment: which layers compute, what serves them, and what they look like."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial

from trexreport.analyzer.analysis import Analysis, LayerFacts, TensorFacts, TensorUse
from trexreport.analyzer.comparison.names import (
    KnownParts,
    LayerNames,
    is_opaque,
    is_parameter,
    kinds,
    parts_of,
    reformatted_layer,
)
from trexreport.analyzer.reformats import is_reformat
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

_QUANTIZING = frozenset({"Scale", "Quantize", "Dequantize", "PointWise", "ElementWise", "kgen", ""})
_POINTWISE = frozenset({"PointWise", "ElementWise", "Activation", "Unary", "Scale", "kgen"})
#: Operations that come and go with the precision: of one kind, and in a row (scale, clamp, round).
_CONVERSIONS = frozenset({"Cast", "Move", "Copy"})
_QUANTIZATION = ["Mul", "Min", "Max", "Round"]
_CONVOLUTIONS = frozenset({"Convolution", "ConvActPool", "Deconvolution"})
_SERVING_NAMES = ("Reformatting CopyNode", "[trainStation", "Forced Cast ITensor")
_BEFORE_OPERATIONS = frozenset({"Slice", "Padding", "Shuffle", "Gather", "Concatenation"})
#: Tensors that more layers write than this are buffers of no meaning for the flow of data.
_MAX_PRODUCERS = 64
#: Kernels cut the names of operations to about this many letters.
_SPELLED = 4
#: Parts of a name that exporters keep when they rename what is above: "conv1/Conv".
_ENDING = 2
#: Letters of a name that its form is taken from.
_LONGEST_FORM = 2_000
_NUMBER = regex(r"_\d+$", re.ASCII)
#: The last words of a path, which distinguish layers of equal looks, and the fewest words of a path.
_SPELLING, _MIN_WORDS = 6, 4
_WORD = regex(r"[a-z]+|\d+", re.ASCII)
#: What the model calls something in a name, between the marks that TensorRT joins names with.
_CALLED = regex(r"[^\s()\[\]{},+|\x1e\x1f]+")


@dataclass(eq=False)
class LayerSignature:
    """What a layer looks like whatever it is called.

    `exact`, `rough` and `build` are numbers of `KnownParts.number`. It is not frozen: there is one for each
    layer, and creating what is frozen takes three times as long.

    Attributes:
        heavy: It is a convolution or matrix product, whose shape is strong evidence.
        exact: Equal for layers that do the same on tensors of the same shape, batch aside.
        rough: Equal for the same work under another resolution, fusion or precision.
        build: Equal for layers that are `exact`, of one tactic and precision, with equally many names.
        inputs: How many tensors it reads.
        family: What kind of layer it is, coarsely.
        result: Extents of its first output without the batch, and without those of 1.
        opaque: It is a whole subgraph.
        before: It prepares what its reader reads, rather than finishing what its writer wrote.
        form: Its type and how its name is put together, of a layer without tensors; empty otherwise.
        names: Those of the original model.
        operation_names: Returns what it computes, by its name or its parts' names.
    """

    heavy: bool
    exact: int
    rough: int
    build: int
    inputs: int = 0
    family: str = ""
    result: tuple[int, ...] = ()
    opaque: bool = False
    before: bool = False
    form: str = ""
    names: tuple[str, ...] = ()
    operation_names: Callable[[], Iterable[str]] = tuple

    @cached_property
    def endings(self) -> tuple[tuple[str, ...], ...]:
        """What its names end with: the module and the operation, without numbers given in order."""
        return tuple(
            tuple(_NUMBER.sub("", part) for part in name.lower().split("/")[-_ENDING:]) for name in self.names
        )

    @cached_property
    def spelling(self) -> tuple[str, ...]:
        """The last words and numbers of its first name, if that is a path: empty otherwise.

        Exporters separate them in different ways: "/blocks.0/resnets.6/conv2/Conv" is
        "model/blocks/0/resnets/6/conv2/conv" of another.
        """
        words = _WORD.findall(self.names[0].lower()) if self.names else []
        return tuple(words[-_SPELLING:]) if len(words) >= _MIN_WORDS else ()

    @cached_property
    def operations(self) -> tuple[str, ...]:
        """What it computes, in spellings that names of ONNX, of PyTorch and of kernels have in common."""
        return tuple(each[:_SPELLED].lower() for each in self.operation_names()) or (self.family,)


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
        self.looks = {index: _look(self.layers[index], self.names[index], known) for index in self.primaries}
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
    return bool(layer.operations) and not _without_conversions(layer.operations)


def _look(layer: LayerFacts, names: LayerNames, known: KnownParts) -> LayerSignature:
    result = _extents(layer.outputs)
    family = "pointwise" if layer.type in _POINTWISE else layer.type
    opaque = is_opaque(layer.name) or layer.type == "Myelin"
    exact: tuple[Hashable, ...]
    rough: tuple[Hashable, ...]
    form = ""
    product = _product(layer)
    if product:
        exact, rough = (*product, _extents(layer.inputs)), product
    elif layer.inputs or layer.outputs:
        several = tuple(sorted([_without_batch(use.dimensions) for use in layer.inputs]))
        exact, rough = (
            (family, tuple(_without_conversions(layer.operations)), several, result),
            (family, result),
        )
    else:
        # A plan of names states only which operations a name ends with.
        ended = kinds((*names.model, *names.serial)) or kinds(parts_of(layer.name))
        computed = tuple(_without_conversions(layer.operations))
        exact, rough = ("name", ended, computed), ("name", ended[:1], computed)
        form = " ".join([family, _CALLED.sub("x", layer.name[:_LONGEST_FORM]), *computed])
    number, named = known.number(exact), (*names.model, *names.serial)
    return LayerSignature(
        bool(product),
        number,
        known.number(rough),
        known.number((number, layer.type, layer.tactic, layer.precision, len(named))),
        len(layer.inputs),
        family,
        tuple([each for each in result if each != 1]),
        opaque,
        layer.type in _BEFORE_OPERATIONS,
        form,
        named,
        partial(_operation_names, layer, names),
    )


def _operation_names(layer: LayerFacts, names: LayerNames) -> Iterable[str]:
    """Return the operations that a kernel's name consists of, else those that its parts' names end with."""
    return _without_conversions(layer.operations) or kinds(
        name for name in (*names.model, *names.serial) if not is_parameter(name)
    )


def _without_conversions(operations: Sequence[str]) -> list[str]:
    """Return the operations of a kernel but for those that only change the data type."""
    if _CONVERSIONS.isdisjoint(operations) and _QUANTIZATION[-1] not in operations:
        # As of most.
        return list(operations)
    found: list[str] = []
    for operation in operations:
        if operation in _CONVERSIONS:
            continue
        found.append(operation)
        if operation == _QUANTIZATION[-1] and found[-len(_QUANTIZATION) :] == _QUANTIZATION:
            del found[-len(_QUANTIZATION) :]
    return found


def _product(layer: LayerFacts) -> tuple[Hashable, ...]:
    """Return what distinguishes a product from others, nothing for a layer that is none."""
    work = layer.work
    if work is not None:
        return ("product", work.n, work.k, work.groups)
    if layer.weights_count and layer.type in _CONVOLUTIONS:
        return ("weights", layer.weights_count)
    return ()


def _extents(uses: Sequence[TensorUse]) -> tuple[int, ...]:
    """Return the extents of the first tensor without the batch."""
    return _without_batch(uses[0].dimensions) if uses else ()


def _without_batch(dimensions: Sequence[int]) -> tuple[int, ...]:
    return tuple(dimensions[1:] if len(dimensions) > 1 else dimensions)

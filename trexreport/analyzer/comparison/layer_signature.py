"""What a layer looks like whatever it is called, by which alignment pairs layers."""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import cached_property, partial

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.comparison.names import (
    KnownParts,
    LayerNames,
    is_opaque,
    is_parameter,
    kinds,
    parts_of,
)
from trexreport.analyzer.operations import may_multiply
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

_POINTWISE = frozenset({"PointWise", "ElementWise", "Activation", "Unary", "Scale", "kgen"})
#: Operations that come and go with the precision: of one kind, and in a row (scale, clamp, round).
_CONVERSIONS = frozenset({"Cast", "Move", "Copy"})
_QUANTIZATION = ["Mul", "Min", "Max", "Round"]
_CONVOLUTIONS = frozenset({"Convolution", "ConvActPool", "Deconvolution"})
_BEFORE_OPERATIONS = frozenset({"Slice", "Padding", "Shuffle", "Gather", "Concatenation"})
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
        opaque: It is a whole subgraph, or a product whose shape is not known.
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


def look_of(layer: LayerFacts, names: LayerNames, known: KnownParts) -> LayerSignature:
    """Return what a layer looks like."""
    result = _extents(layer.outputs)
    family = "pointwise" if layer.type in _POINTWISE else layer.type
    product = _product(layer)
    opaque = is_opaque(layer.name) or layer.type == "Myelin" or (not product and may_multiply(layer))
    exact: tuple[Hashable, ...]
    rough: tuple[Hashable, ...]
    form = ""
    if product:
        # The stride shows in both extents only.
        exact, rough = (*product, _extents(layer.inputs), result), product
    elif layer.inputs or layer.outputs:
        several = tuple(sorted([_without_batch(use.dimensions) for use in layer.inputs]))
        exact, rough = (
            (family, tuple(without_conversions(layer.operations)), several, result),
            (family, result),
        )
    else:
        # A plan of names states only which operations a name ends with.
        ended = kinds((*names.model, *names.serial)) or kinds(parts_of(layer.name))
        computed = tuple(without_conversions(layer.operations))
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
    return without_conversions(layer.operations) or kinds(
        name for name in (*names.model, *names.serial) if not is_parameter(name)
    )


def without_conversions(operations: Sequence[str]) -> list[str]:
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

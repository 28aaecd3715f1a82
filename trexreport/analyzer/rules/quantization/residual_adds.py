"""Residual Adds with quantized and floating-point inputs, and what lies around them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context, search
from trexreport.analyzer.rules.patterns import (
    activations,
    changes_quantization,
    is_pointwise,
    only_quantizes,
    operations,
)

#: Layers on a residual branch that keep its type.
_PASSED = frozenset({"Concat", "Concatenation", "Pooling", "Resize", "Shuffle"})
#: The label of what an Add states that no convolution can take up.
SUMMED = "Summed inputs"


class MixedAdd(NamedTuple):
    """A residual Add with quantized and floating-point inputs.

    Attributes:
        layer: Has the Add.
        operands: Inputs of the Add.
        origins: What writes these ("quantized", "computed" by a quantized layer, or "float"), with its type;
            also of what a convolution adds to them.
        wide: Inputs of it that are not quantized.
        sources: Layers that write the wide branches.
        conversions: Reformats on them, and what quantizes the result.
        kept: Other layers on the branches.
    """

    layer: LayerFacts
    operands: Sequence[TensorUse]
    origins: Sequence[tuple[str, str]]
    wide: Sequence[TensorUse]
    sources: Sequence[LayerFacts]
    conversions: Sequence[LayerFacts]
    kept: Sequence[LayerFacts]


def mixed_adds(context: Context) -> Iterator[MixedAdd]:
    """Yield the residual Adds that mix quantized and floating-point inputs, in execution order."""
    for layer in context.layers:
        operands = _operands(context, layer)
        origins = [origin_of(context, use.tensor) for use in operands]
        kinds = [kind for kind, _ in origins]
        if context.is_convolution(layer) and operands:
            origins.append(("computed", layer.precision))
        if not _is_mixed([kind for kind, _ in origins]):
            continue
        wide = [use for use, kind in zip(operands, kinds, strict=False) if kind not in {"quantized", ""}]
        yield MixedAdd(layer, operands, origins, wide, *_branches(context, layer, wide))


def _operands(context: Context, layer: LayerFacts) -> list[TensorUse]:
    """Return the inputs of an Add, or the tensors that a convolution adds to its result."""
    if not layer.outputs or len(layer.inputs) < 2:
        return []
    adds = context.is_convolution(layer)
    if adds and (layer.precision not in QUANTIZED or not layer.attributes.get("HasResidual", True)):
        return []
    if not adds and not (is_pointwise(layer) and "Add" in operations(layer)):
        return []
    live = set(activations(context, layer))
    uses = [use for use in layer.inputs[adds:] if use.dimensions == layer.outputs[0].dimensions]
    return [use for use in uses if use.tensor in live]


def origin_of(context: Context, tensor: int) -> tuple[str, str]:
    """Return whether a tensor is "quantized", "computed" by a quantized layer or "float", and in which type.

    Both are empty for a tensor of another type, such as INT32.
    """
    data_type = context.tensor(tensor).data_type
    if data_type in QUANTIZED:
        return "quantized", data_type
    if data_type not in FLOATS:
        return "", ""
    writers = context.producers(tensor)
    while len(writers) == 1 and context.is_reformat(writers[0]) and writers[0].precision in FLOATS:
        before = writers[0]
        writers = [each for each in context.producers(before.inputs[0].tensor) if each.index < before.index]
    for kind, found in (
        ("quantized", [each for each in writers if only_quantizes(each)]),
        ("computed", [each for each in writers if each.precision in QUANTIZED]),
    ):
        if found:
            return kind, found[0].precision
    return "float", data_type


def _is_mixed(kinds: Sequence[str]) -> bool:
    """Return whether an Add has a quantized input and another that is not.

    One input that a quantized layer computes needs no Q/DQ, as the Add can be fused into that layer.
    """
    quantized, computed, wide = (kinds.count(kind) for kind in ("quantized", "computed", "float"))
    return computed > 1 or (wide > 0 and quantized + computed > 0)


def _branches(
    context: Context, layer: LayerFacts, wide: Sequence[TensorUse]
) -> tuple[list[LayerFacts], list[LayerFacts], list[LayerFacts]]:
    """Return what writes the wide branches, the conversions around the Add, and other layers on them."""
    tensors = {use.tensor for use in wide}
    after = [each for each in context.successors(layer) if only_quantizes(each)]

    def before(at: LayerFacts) -> list[LayerFacts]:
        inputs = (use.tensor for use in at.inputs if at is not layer or use.tensor in tensors)
        return [writer for tensor in inputs for writer in context.producers(tensor)]

    ends, passed = search([layer], before, lambda each: context.is_reformat(each) or each.type in _PASSED)
    sources = [each for each in ends if changes_quantization(each)]
    conversions = [*(each for each in passed if context.is_reformat(each)), *after]
    return sources, conversions, [each for each in passed if not context.is_reformat(each)]

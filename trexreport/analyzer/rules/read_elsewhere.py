"""Activations of the result of a convolution or matrix multiplication that other layers read, too.

A residual branch begins before the activation (ResNet v2, HiFi-GAN), or several blocks activate one tensor.
A kernel that writes both values is not known, so that each activation is a pass of its own.
"""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.after_products import mostly
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.layer_tests import alike
from trexreport.analyzer.rules.moves import is_nested, joins_part
from trexreport.analyzer.rules.patterns import (
    activations,
    is_pointwise,
    only_consumer,
    only_quantizes,
    quantizes_and_back,
)

#: What decides the values of a pointwise layer of one input.
_PARAMETERS = ("Operations", "Literals", "ActivationType", "Alpha", "Beta", "OperationType")


def activations_beside_readers(context: Context) -> list[LayerFacts]:
    """Return the pointwise layers of one input that share it, the result of a product, with other readers.

    Call it through `Context.cached`.
    """
    found: dict[int, LayerFacts] = {}
    for product in context.products:
        readers = _readers(context, product)
        if len(readers) > 1:
            found.update((each.index, each) for each in readers if _only_activates(context, each))
    nested = {each.index for each in context.cached(before_dense_layers)}
    return [each for index, each in found.items() if index not in nested]


def before_dense_layers(context: Context) -> list[LayerFacts]:
    """Return the pointwise layers of one input that read what grows by concatenations (DenseNet).

    Each concatenation is copied into the next one, and the first of them begins with another tensor.
    Call it through `Context.cached`.
    """
    found = {}
    first = {}
    for layer in (each for each in context.layers if _only_activates(context, each)):
        tensor = activations(context, layer)[0]
        copies = [each for each in context.consumers(tensor) if joins_part(context, each)]
        parts = context.producers(tensor)
        if any(is_nested(context, each) for each in (*copies, *parts)):
            found[layer.index] = layer
        elif len(parts) > 1 or copies:
            first[layer.index] = (layer, [tensor, *(use.tensor for each in copies for use in each.outputs)])
    read = {tensor for each in found.values() for tensor in activations(context, each)}
    found.update((index, layer) for index, (layer, near) in first.items() if not read.isdisjoint(near))
    return [found[index] for index in sorted(found)]


def repeated(context: Context) -> set[int]:
    """Return the indices of those that compute what an earlier one has computed of the same tensor.

    Call it through `Context.cached`.
    """
    seen: set[tuple[int, str, str]] = set()
    again = set()
    for layer in context.cached(activations_beside_readers):
        stated = [str(layer.attributes[key]) for key in _PARAMETERS if key in layer.attributes]
        key = (context.base_of(layer.inputs[0].tensor), layer.output_precision, " ".join(stated))
        if stated and key in seen:
            again.add(layer.index)
        seen.add(key)
    return again


def are_beside_readers(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all layers activate what others read, too; None if some do."""
    found = (activations_beside_readers, before_dense_layers)
    own = {each.index for make in found for each in context.cached(make)}
    return mostly(each.index in own for each in layers if not context.is_reformat(each))


def are_before_dense_layers(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers read what grows by concatenations; None if some do."""
    own = {each.index for each in context.cached(before_dense_layers)}
    return alike(each.index in own for each in layers)


def are_repeated(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer computes what an earlier one has computed of the same tensor."""
    return any(each.index in context.cached(repeated) for each in layers)


def _readers(context: Context, product: LayerFacts) -> Sequence[LayerFacts]:
    """Return what reads the result of a product, behind reformats of it alone."""
    layer: LayerFacts = product
    while (reader := only_consumer(context, layer)) is not None and context.is_reformat(reader):
        layer = reader
    return context.consumers(layer.outputs[0].tensor) if len(layer.outputs) == 1 else ()


def _only_activates(context: Context, layer: LayerFacts) -> bool:
    if not is_pointwise(layer) or only_quantizes(layer) or quantizes_and_back(layer):
        return False
    return len(activations(context, layer)) == 1

"""Which calls of one module compute the same: they read equal values, as far as their layers show."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.patterns import activations, is_conv_or_matmul, operations

#: Operations that choose elements by numbers which no file states.
_CHOOSE = frozenset({"Gather", "Pad", "Scatter", "Slice", "Split"})
#: Layers that write fewer elements than they read and choose none.
_SHRINK = frozenset({"Pooling", "Resize"})
#: What a value comes from: tensors that no layer writes, products, and what is done with them.
_Source = tuple[frozenset[int], frozenset[int], tuple[object, ...]]


def calls_of_equal_values(
    context: Context, calls: Sequence[Sequence[LayerFacts]]
) -> list[Sequence[LayerFacts]]:
    """Return the calls of each module that all read equal values.

    Args:
        context: The engine.
        calls: For each module the layers that are its calls, with the same weights.
    """
    #: By layer the one that computes the same.
    equals: dict[int, int] = {}
    found = []
    for layers in sorted(calls, key=lambda layers: max(layer.index for layer in layers)):
        sources = {_source(context, layer, equals) for layer in layers}
        if len(sources) == 1 and None not in sources:
            equals.update((layer.index, layers[0].index) for layer in layers)
            found.append(layers)
    return found


def _source(context: Context, layer: LayerFacts, equals: dict[int, int]) -> _Source | None:
    """Return what a layer reads; None where a part of a tensor may be cut out, which nothing identifies."""
    products, between = search(
        [layer], context.predecessors, lambda each: not is_conv_or_matmul(context, each)
    )
    if any(_may_cut(context, each) for each in between) or _reads_part(context, layer):
        return None
    given = frozenset(
        context.base_of(tensor)
        for each in (layer, *between)
        for tensor in activations(context, each)
        if not context.producers(tensor)
    )
    computed = frozenset(equals.get(each.index, each.index) for each in products)
    return given, computed, tuple(sorted((each.type, *operations(each)) for each in between))


def _may_cut(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer may choose elements of what it reads."""
    if not _CHOOSE.isdisjoint({layer.type, *operations(layer)}):
        return True
    read = max((math.prod(use.dimensions) for use in layer.inputs), default=0)
    written = max((math.prod(use.dimensions) for use in layer.outputs), default=0)
    return (written < read and layer.type not in _SHRINK) or _reads_part(context, layer)


def _reads_part(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads fewer elements of a tensor than it has."""
    return any(
        math.prod(use.dimensions) < math.prod(context.tensor(context.base_of(use.tensor)).dimensions)
        for use in layer.inputs
    )

"""Which calls of one module compute the same: they read equal values, as far as their layers show."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.patterns import activations, is_conv_or_matmul, only_copies, operations

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
    """Return what a layer reads; None where a part of a tensor is cut out, which nothing identifies."""
    products, between = search(
        [layer], context.predecessors, lambda each: not is_conv_or_matmul(context, each)
    )
    if any(only_copies(each) and not context.is_reformat(each) for each in between):
        return None
    given = frozenset(
        context.base_of(tensor)
        for each in (layer, *between)
        for tensor in activations(context, each)
        if not context.producers(tensor)
    )
    computed = frozenset(equals.get(each.index, each.index) for each in products)
    return given, computed, tuple(sorted((each.type, *operations(each)) for each in between))

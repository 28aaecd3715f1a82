"""Find the matrix products of an attention that is not fused."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import (
    activations,
    feeders,
    is_pointwise_or_move,
    is_product,
    reachable,
    search,
)


def products_around(
    context: Context, softmax: LayerFacts
) -> tuple[LayerFacts, list[LayerFacts], LayerFacts] | None:
    """Return the products of activations before and after a softmax, and what else stands between them."""
    firsts, before = search(softmax, partial(feeders, context), is_pointwise_or_move)
    first = next((each for each in firsts if multiplies_activations(context, each)), None)
    if first is None:
        return None
    seconds, after = search(softmax, context.targets, is_pointwise_or_move)
    second = next((each for each in seconds if multiplies_activations(context, each)), None)
    if second is None:
        return None
    inner = [
        *reachable(context, [first], {each.index for each in before}),
        *(each for each in after if second in search(each, context.targets, is_pointwise_or_move)[0]),
    ]
    return first, inner, second


def multiplies_activations(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a matrix product of two activations, not of one with weights."""
    if context.is_convolution(layer) or not is_product(context, layer) or not layer.outputs:
        return False
    return len(activations(context, layer)) > 1

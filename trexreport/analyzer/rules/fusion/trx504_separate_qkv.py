"""TRX504 fusion.separate-qkv."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion.attention_parts import products_around
from trexreport.analyzer.rules.patterns import (
    activations,
    feeders,
    is_fused_attention,
    is_pointwise_or_move,
    is_product,
    is_softmax,
    search,
)
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_fusing, worthwhile


@rule(
    "TRX504",
    "fusion.separate-qkv",
    "warning",
    many="{count} attentions have separate projections of one input.",
    thresholds=(least_gain(1.0),),
)
def separate_qkv(context: Context, *, gain_percent: float) -> list[Hit]:
    """Projections of one input for the same attention are matrix products of their own.

    Cost:
        Each product reads the same input again, and each alone is smaller than it needs to be to fill the
        GPU, above all at small batches and short sequences.

    Advice:
        Lay the weights of the query, key and value projections side by side and multiply once (in Hugging
        Face models "fuse_qkv_projections" or a merged Linear), then split the result. TensorRT merges them
        by itself only where weights are constants, types and biases agree and nothing stands between.

    False alarm:
        Cross-attention, whose query has another input, is not reported; large products that fill the GPU
        each gain little.

    Bound:
        The time of the products but for the slowest, and no more than the time that the roofline gives them
        above the roof, where it is known for all.
    """
    hits = []
    told = set()
    for layer in context.layers:
        heads = _heads(context, layer)
        for products in _projections(context, heads) if heads else ():
            key = tuple(each.index for each in products)
            if key in told:
                continue
            told.add(key)
            gain = min(saved_by_fusing(products), _headroom_ms(products))
            message = f"{len(products)} products of the same input feed one attention"
            evidence = {"Results": ", ".join(describe_shape(each.outputs[0].dimensions) for each in products)}
            hits.append(Hit(f"{message}{for_time(context, products)}.", products, gain, evidence))
    return worthwhile(context, hits, gain_percent)


def _headroom_ms(products: Sequence[LayerFacts]) -> float:
    """Return the time above the roof; without bound where it is unknown or the cache may be faster."""
    total = 0.0
    for product in products:
        roof = product.roof
        if roof is None or roof.headroom_ms is None or (roof.fits_l2 and roof.bound == "memory"):
            return math.inf
        total += roof.headroom_ms
    return total


def _heads(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the kernels of an attention that read queries, keys and values, if a layer is its center."""
    if layer.structural:
        return []
    if is_fused_attention(context, layer):
        return [layer]
    found = products_around(context, layer) if is_softmax(layer) else None
    return [found[0], found[2]] if found else []


def _projections(context: Context, heads: list[LayerFacts]) -> Iterator[tuple[LayerFacts, ...]]:
    """Yield groups of products with weights that share their input and that an attention reads."""
    by_input: dict[int, dict[int, LayerFacts]] = {}
    for head in heads:
        for product in search(head, partial(feeders, context), is_pointwise_or_move)[0]:
            if product.outputs and is_product(context, product):
                read = activations(context, product)
                if len(read) == 1:
                    by_input.setdefault(context.value_of(read[0]), {})[product.index] = product
    for products in by_input.values():
        if len(products) > 1:
            yield tuple(products[index] for index in sorted(products))

"""Rules on attention: its two products and its softmax, and the projections before it."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from functools import partial

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import (
    activations,
    feeders,
    is_fused_attention,
    is_pointwise_or_move,
    is_product,
    is_softmax,
    reachable,
    search,
)
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.weighing import least_gain, saved_by_fusing, worthwhile
from trexreport.analyzer.rules.wording import describe_shape, for_time


@rule(
    "TRX503",
    "fusion.attention-not-fused",
    "warning",
    many="{count} attentions run as products and a softmax of their own.",
    subject="fusion",
    thresholds=(least_gain(0.5),),
)
def attention_not_fused(context: Context, *, gain_percent: float) -> list[Hit]:
    """An attention runs as two matrix products with a softmax between them.

    Cost:
        The scores, sequence length squared for each head, are written and read several times. A fused kernel
        keeps them on the chip, so its memory traffic grows with the length and not with its square.

    Advice:
        Let Q, K and V be FP16, BF16 or FP8 (FP32 is not fused), keep casts and other consumers of the scores
        out of the pattern MatMul, scale, mask, Softmax, MatMul, scale Q or K before the first product, and
        pass the mask as an addition or a boolean. Keep the head size a multiple of 16 (TensorRT 10.14 and
        newer pad others). From TensorRT 10.14 a network can state an attention: IAttention, in ONNX
        Attention. A fused one has "mha" or "fmha" in its kernel's name.

    False alarm:
        Short sequences, where TensorRT found the single kernels faster; scores that something else reads.

    Bound:
        All the time of what stands between the two products, and of the products the share of their traffic
        that is scores.
    """
    hits = []
    for layer in context.layers:
        found = _around(context, layer) if is_softmax(layer) else None
        if found is None:
            continue
        first, inner, second = found
        layers = (layer, first, second, *inner)
        scores = describe_shape(first.outputs[0].dimensions)
        hits.append(
            Hit(
                f"An attention takes {len(layers)} kernels{for_time(context, layers)}.",
                layers,
                context.time_ms((layer, *inner)) + _share_ms(first, True) + _share_ms(second, False),
                {"Scores": scores, "Type": first.output_precision},
            )
        )
    return worthwhile(context, hits, gain_percent)


def _around(context: Context, softmax: LayerFacts) -> tuple[LayerFacts, list[LayerFacts], LayerFacts] | None:
    """Return the products of activations before and after a softmax, and what else stands between them."""
    firsts, before = search(softmax, partial(feeders, context), is_pointwise_or_move)
    first = next((each for each in firsts if _multiplies_activations(context, each)), None)
    if first is None:
        return None
    seconds, after = search(softmax, context.targets, is_pointwise_or_move)
    second = next((each for each in seconds if _multiplies_activations(context, each)), None)
    if second is None:
        return None
    inner = [
        *reachable(context, [first], {each.index for each in before}),
        *(each for each in after if second in search(each, context.targets, is_pointwise_or_move)[0]),
    ]
    return first, inner, second


def _multiplies_activations(context: Context, layer: LayerFacts) -> bool:
    if context.is_convolution(layer) or not is_product(context, layer) or not layer.outputs:
        return False
    return len(activations(context, layer)) > 1


def _share_ms(product: LayerFacts, writes: bool) -> float:
    """Return the part of a product's time that its scores take, if it is all traffic."""
    size = product.outputs[0].size_bytes if writes else product.inputs[0].size_bytes
    if not (product.avg_ms and product.moved_bytes and size):
        return 0.0
    return product.avg_ms * min(size / product.moved_bytes, 1.0)


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
    found = _around(context, layer) if is_softmax(layer) else None
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

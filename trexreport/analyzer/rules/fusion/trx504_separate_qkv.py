"""TRX504 fusion.separate-qkv."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule, estimate
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.fusion.attention_parts import unfused_attentions
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import (
    activations,
    fused_attentions,
    is_conv_or_matmul,
    is_pointwise_or_move,
)
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.numbers import format_shape

#: Queries, keys, values and a gate: where more multiplications seem to share an input, its name is ambiguous.
_MAX_PROJECTIONS = 4


@built_in_rule(
    "warning",
    many="{count} attentions have separate projections of one input.",
    thresholds=(min_gain(1.0),),
)
@worthwhile
def separate_qkv(context: Context) -> Hits:
    """The query, key and value projections of an attention are separate matrix multiplications.

    Cost:
        Each multiplication reads the same input again and is too small to fill the GPU, especially at small
        batches and short sequences.

    Recommendation:
        Concatenate the weights of the query, key and value projections and multiply once (in Hugging Face
        models "fuse_qkv_projections" or a merged Linear), then split the result. TensorRT merges them itself
        only where weights are constants, types and biases match and no layer is between.

    False alarm:
        Cross-attention, whose query has another input, is not reported; large multiplications that fill the
        GPU each save little. More than four multiplications that an attention seems to read from one input
        are left out: one name is then that of several tensors.

    Est. savings:
        An estimate: nothing if each multiplication fills the GPU, up to the time of all except the slowest;
        no more than their time above the roofline where that is known for all.
    """
    reported = set()
    for _, heads in sorted(_heads(context).items()):
        for products in _projections(context, heads):
            key = tuple(each.index for each in products)
            if key in reported:
                continue
            reported.add(key)
            gain = _gain(context, products)
            message = f"{len(products)} separate multiplications of one input feed an attention"
            evidence = {"Results": ", ".join(format_shape(each.outputs[0].dimensions) for each in products)}
            yield Hit(
                f"{message}{timed(context, products)}.",
                products,
                gain,
                evidence,
            )


def _gain(context: Context, products: Sequence[LayerFacts]) -> Gain:
    """Return what one multiplication saves: nothing if each fills the GPU, else up to all but one's time."""
    times = sorted((each.avg_ms or 0.0 for each in products), reverse=True)
    high = math.fsum(times[1:])
    roofs = [each.roof for each in products]
    # Data in the cache may be faster than the roofline says.
    if all(roof and not (roof.fits_l2 and roof.roof == "memory") for roof in roofs):
        limit_ms = math.fsum(times) - math.fsum(roof.roof_ms for roof in roofs if roof)
        high = min(high, max(limit_ms - context.cached(floor_ms), 0.0))
    return estimate(0.0, high, "fused-kernel")


def _heads(context: Context) -> dict[int, list[LayerFacts]]:
    """Return the kernels of each attention that read Q, K and V, by the index of its softmax or kernel."""
    unfused = context.cached(unfused_attentions)
    found = {index: [first, second] for index, (first, _, second) in unfused.items()}
    found |= {layer.index: [layer] for layer in context.cached(fused_attentions)}
    return {index: heads for index, heads in found.items() if not context.layers[index].structural}


def _projections(context: Context, heads: list[LayerFacts]) -> Iterator[tuple[LayerFacts, ...]]:
    """Yield groups of multiplications with weights that share their input and that an attention reads."""
    by_input: dict[int, dict[int, LayerFacts]] = {}
    for head in heads:
        for product in search([head], context.producing, is_pointwise_or_move)[0]:
            if product.outputs and is_conv_or_matmul(context, product):
                read = activations(context, product)
                if len(read) == 1:
                    by_input.setdefault(context.base_of(read[0]), {})[product.index] = product
    for products in by_input.values():
        if 1 < len(products) <= _MAX_PROJECTIONS:
            yield tuple(products[index] for index in sorted(products))

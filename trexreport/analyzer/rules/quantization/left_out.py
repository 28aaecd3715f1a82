"""Products that a quantized network leaves in floating point, such as the last one of a language model."""

from __future__ import annotations

import math
from collections.abc import Iterable

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, search
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_PER_UNIT,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.fusion.attention_parts import (
    multiplies_activations,
    products_of_attentions,
)
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import writes_few_channels
from trexreport.analyzer.rules.memory.weights import NARROW_BITS, weight_bits
from trexreport.analyzer.rules.patterns import dequantizes_weights, has_quantized, is_conv_or_matmul
from trexreport.analyzer.rules.roof_share import is_memory_bound

#: Fewer quantized products do not make a quantized network.
_MIN_QUANTIZED = 3


def left_out(context: Context) -> list[LayerFacts]:
    """Return the products in floating point where most are quantized; call it through `Context.cached`.

    Those of attentions are left out, as are first layers that read an image or other data of few channels,
    grouped convolutions, and what hardly becomes faster: what takes about as long as a launch, and few output
    channels.
    """
    products = [each for each in context.products if each.avg_ms or not context.total_ms]
    quantized = [each for each in products if is_quantized_product(context, each)]
    if len(quantized) < _MIN_QUANTIZED:
        return []
    known = {each.index for each in quantized}
    others = [each for each in products if each.index not in known and _can_be_quantized(context, each)]
    return others if _amount(context, quantized) > _amount(context, others) else []


def multiplied_type(context: Context, layer: LayerFacts) -> str:
    """Return the type that a product multiplies: that of its input, unless its kernel is a float one."""
    types = context.kernel(layer).data_types
    return types[0] if types and FLOATS.issuperset(types) else layer.precision


def is_quantized_product(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product multiplies quantized values, or its weights are stored so."""
    types = {multiplied_type(context, layer), context.kernel(layer).math_type}
    if types & QUANTIZED or weight_bits(context, layer) <= NARROW_BITS:
        return True
    return context.cached(has_quantized) and any(
        dequantizes_weights(context, each) for each in context.predecessors(layer)
    )


def is_last_product(context: Context, layer: LayerFacts) -> bool:
    """Return whether no other product uses the result of one, as of a classifier."""
    ends, _ = search(
        [layer],
        context.successors,
        lambda each: not is_conv_or_matmul(context, each),
        len(context.layers),
    )
    return not ends


def _can_be_quantized(context: Context, layer: LayerFacts) -> bool:
    if multiplied_type(context, layer) not in FLOATS or layer.index in context.cached(products_of_attentions):
        return False
    if is_mostly_launch(context, layer):
        return False
    if not context.is_convolution(layer):
        return not multiplies_activations(context, layer)
    channels = channels_of(layer)
    if channels is not None and channels.are_grouped:
        return False
    if writes_few_channels(context, layer) and not is_memory_bound(layer):
        return False
    reads_data = layer.index in context.cached(first_convolutions)
    return not (reads_data and channels is not None and channels.read < CHANNELS_PER_UNIT["INT8"])


def _amount(context: Context, layers: Iterable[LayerFacts]) -> float:
    """Return the time of layers, or their number without a profile."""
    return context.time_ms(layers) if context.total_ms else math.fsum(1 for _ in layers)

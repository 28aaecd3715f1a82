"""What products are, and what the network is for, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.tokens import MIN_CLASSES
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.after_products import mostly
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_PER_UNIT,
    FEW_CHANNELS,
    channels_of,
    first_convolutions,
    is_depthwise,
    keeps_size,
)
from trexreport.analyzer.rules.convolution.siblings import are_siblings
from trexreport.analyzer.rules.fusion.equal_calls import calls_of_equal_values
from trexreport.analyzer.rules.fusion.module_calls import module_call
from trexreport.analyzer.rules.layer_tests import Test, alike, of_engine
from trexreport.analyzer.rules.logs import has_failed_half
from trexreport.analyzer.rules.memory.weights import (
    MAX_ROWS,
    MIN_BITS,
    MUCH_ALONE_PERCENT,
    traffic_bytes,
    weight_bits,
    weights_bytes,
)
from trexreport.analyzer.rules.network_outputs import writes_values
from trexreport.analyzer.rules.patterns import (
    activations,
    dequantizes_weights,
    is_conv_or_matmul,
    is_fused_attention,
    is_pointwise,
)
from trexreport.analyzer.rules.precision.precision_use import requested_but_unused
from trexreport.analyzer.rules.quantization.left_out import is_last_product
from trexreport.analyzer.rules.tensor_cores import computes_half_slowly, has_fast_half

#: Part of the bytes from which on weights are much of them.
_MUCH = 0.25
#: What Tensor Cores take at a time of other types.
_CHANNELS = 8
_CONV_ACT_POOL = frozenset({"ConvActPool", "conv_act_pool"})
#: Extents of a window in three dimensions.
_VOLUME = 3
#: Bits of FP16 and BF16.
_HALF_BITS = 16
#: What a convolution reads without a residual.
_OPERANDS = 2


def _multiply_matrices(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether nearly all of what multiplies is a matrix product, no convolution; None if some."""
    return mostly(not context.is_convolution(each) for each in layers if is_conv_or_matmul(context, each))


def _have_windows(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers convolves several pixels or samples."""
    return any(each.work is not None and math.prod(each.work.kernel) > 1 for each in layers)


def _multiply_fp32(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether matrix multiplications read FP32; None where types are not known."""
    products = [each for each in layers if is_conv_or_matmul(context, each)]
    if not products or not all(each.precision for each in products):
        return None
    return any(each.precision == "FP32" for each in products)


def _read_images(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers is a first convolution that reads an image."""
    first = context.cached(first_convolutions)
    found = (channels_of(each) for each in layers if each.index in first)
    return any(each is not None and each.read <= FEW_CHANNELS for each in found)


def _are_unaligned(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether the channels or extents of any product do not fill what Tensor Cores take.

    None where no product is known to, and the shapes of some are not known.
    """
    products = [each for each in layers if is_conv_or_matmul(context, each)]
    extents = [_extents(context, each) for each in products]
    units = [
        CHANNELS_PER_UNIT.get("TF32" if each.precision == "FP32" else each.precision, _CHANNELS)
        for each in products
    ]
    if any(extent % unit for own, unit in zip(extents, units, strict=True) for extent in own):
        return True
    return False if all(extents) else None


def _extents(context: Context, layer: LayerFacts) -> tuple[int, ...]:
    """Return the channels of a convolution or columns and depth of another product; empty if not known."""
    if context.is_convolution(layer):
        channels = channels_of(layer)
        return (channels.read, channels.written) if channels else ()
    return (layer.work.n, layer.work.k) if layer.work else ()


def _have_volumes(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers convolves in three dimensions."""
    return any(each.work is not None and len(each.work.kernel) == _VOLUME for each in layers)


def _are_grouped(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the layers is a convolution in groups."""
    found = (channels_of(each) for each in layers if context.is_convolution(each))
    return any(each is not None and each.are_grouped for each in found)


def _are_depthwise(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether all convolutions among the layers are depthwise; None if some are."""
    return alike(is_depthwise(each) for each in layers if context.is_convolution(each))


def _follow_expansion(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any depthwise convolution is behind a 1x1 one that makes more channels."""

    def passes(layer: LayerFacts) -> bool:
        return context.is_reformat(layer) or is_pointwise(layer)

    return any(
        math.prod(before.work.kernel) == before.work.groups == 1
        for each in layers
        if is_depthwise(each)
        for before in context.predecessors(each, passes)
        if before.work is not None and context.is_convolution(before) and before.work.n > before.work.k
    )


def _are_pooled(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a pooling reads the result of any of the layers."""
    after = (other for each in layers for other in context.successors(each, context.is_reformat))
    return any(each.type == "Pooling" for each in after)


def _add_residuals(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any convolution adds another tensor to its result, itself or in the next layer."""
    convolutions = [each for each in layers if context.is_convolution(each)]
    return any(
        len(activations(context, each)) >= _OPERANDS
        for layer in convolutions
        for each in (layer, *context.successors(layer))
    )


def _read_much_weights(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether weights are much of the bytes that layers move."""
    moved = sum(map(traffic_bytes, layers))
    return moved > 0 and sum(weights_bytes(context, each) for each in layers) >= _MUCH * moved


def _read_weights_for_few_rows(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether products have few rows and mostly read weights; None if some are so."""
    return mostly(
        each.work is not None
        and each.work.m <= MAX_ROWS
        and weights_bytes(context, each) >= traffic_bytes(each) / 2
        for each in layers
    )


def _multiply_or_hide(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer is a convolution or matrix multiplication, or hides its operations."""
    return any(is_conv_or_matmul(context, each) or context.is_opaque(each) for each in layers)


def _are_weights(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers dequantize weights; None if some do. What multiplies these does not count."""
    return mostly(
        dequantizes_weights(context, each) for each in layers if not is_conv_or_matmul(context, each)
    )


def _pool_themselves(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether all layers convolve, activate and pool in one kernel."""
    return all(each.type in _CONV_ACT_POOL or "conv_act_pool" in each.tactic.lower() for each in layers)


def _are_quantized(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether most layers multiply quantized values."""
    return 2 * sum(each.precision in QUANTIZED for each in layers) > len(layers)


def _have_fused_attention(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer is a kernel of a whole attention."""
    return any(is_fused_attention(context, each) for each in layers)


def _are_last(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether no other product uses the result of any of the layers."""
    return any(is_last_product(context, each) for each in layers)


def _score_vocabulary(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a last product, of the scores of a vocabulary, takes much of layer time by itself."""
    scores = (each for each in layers if each.work is not None and each.work.n >= MIN_CLASSES)
    large = (each for each in scores if context.is_significant([each], MUCH_ALONE_PERCENT))
    return any(is_last_product(context, each) for each in large)


def _is_unused(name: str) -> Test:
    """Return a test whether a type was requested, and no layer uses it or one as narrow."""
    return lambda context, _: bool(requested_but_unused(context, (name,)))


def _run_at_other_sizes(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether no two calls of one module read tensors of one shape."""
    called = ((module_call(each.name), each.inputs[:1]) for each in layers)
    alike = Counter(
        (call.module, call.node, *(tuple(use.dimensions) for use in uses)) for call, uses in called if call
    )
    return max(alike.values(), default=0) == 1


def _read_equal_values(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether the calls of one module each read the same values."""
    called = group_by(layers, lambda each: (module_call(each.name) or (each.name,))[0])
    return bool(calls_of_equal_values(context, [calls for calls in called.values() if len(calls) > 1]))


def _are_only_reduced(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers are pairs of a product and what reduces its result; None if some are."""
    own = [each for each in layers if not context.is_reformat(each)]
    products = sum(is_conv_or_matmul(context, each) for each in own)
    return None if 0 < 2 * products < len(own) else products > 0


def is_quantized_alone(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether one product of the engine alone is quantized, and all around it is in floating point."""
    quantized = [each for each in context.products if each.precision in QUANTIZED]
    floats = [each for each in context.products if each.precision in FLOATS]
    regions = [each for each in context.opaque if {each.precision, each.output_precision} <= FLOATS]
    return len(quantized) == 1 and len(regions) == len(context.opaque) and bool(floats or regions)


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
PRODUCT_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "products": (_multiply_or_hide, ""),
    "only-reduced": (_are_only_reduced, "Where a product is only reduced"),
    "siblings": (are_siblings, "For convolutions beside each other"),
    "same-input": (_read_equal_values, "Where the inputs are the same"),
    "other-sizes": (_run_at_other_sizes, "For inputs of other sizes"),
    "fp32-products": (_multiply_fp32, "In FP32"),
    "int8-products": (
        lambda context, layers: any(
            each.precision == "INT8" for each in layers if is_conv_or_matmul(context, each)
        ),
        "In INT8",
    ),
    "in-int8": (lambda context, _: any(each.precision == "INT8" for each in context.layers), "In INT8"),
    "image-input": (_read_images, "For a first layer that reads an image"),
    "unaligned": (_are_unaligned, "For unaligned channels or extents"),
    "volumes": (_have_volumes, "In three dimensions"),
    "grouped": (_are_grouped, "In groups"),
    "depthwise": (_are_depthwise, "For depthwise convolutions"),
    "expanded": (_follow_expansion, "Behind an expansion (1x1)"),
    "pooled": (_are_pooled, "Before a pooling"),
    "convolves": (_have_windows, ""),
    "matmuls": (_multiply_matrices, "For matrix multiplications"),
    "residuals": (_add_residuals, "With residual Adds"),
    "much-weights": (_read_much_weights, "Where layers mostly read weights"),
    "narrow-weights": (
        lambda context, layers: all(weight_bits(context, each) <= MIN_BITS for each in layers),
        "",
    ),
    "fp32-weights": (
        lambda context, layers: any(weight_bits(context, each) > _HALF_BITS for each in layers),
        "",
    ),
    "few-rows": (_read_weights_for_few_rows, "For few rows"),
    "weights": (_are_weights, "For weights"),
    "conv-act-pool": (_pool_themselves, ""),
    "quantized-alone": (is_quantized_alone, ""),
    "quantized-products": (_are_quantized, "Where products are quantized"),
    "fused-attention": (_have_fused_attention, "With a fused attention"),
    "attentions": (
        lambda context, _: any(is_fused_attention(context, each) for each in context.layers),
        "With a fused attention",
    ),
    "last-product": (_are_last, "For a last product"),
    "vocabulary": (_score_vocabulary, ""),
    "unused-int8": (_is_unused("INT8"), "For INT8"),
    "unused-fp16": (_is_unused("FP16"), "For FP16"),
    "unused-bf16": (_is_unused("BF16"), "For BF16"),
    "slow-half": (of_engine(computes_half_slowly), "On GPUs without fast FP16"),
    "without-cores": (of_engine(has_fast_half), "On Tegra X1 (Jetson Nano), Tegra X2 and P100"),
    "half-failed": (of_engine(has_failed_half), "With the log of a failed build in FP16"),
    "keeps-size": (lambda _, layers: any(map(keeps_size, layers)), "At stride 1"),
    "writes-values": (writes_values, "Where the network writes images or signals"),
}

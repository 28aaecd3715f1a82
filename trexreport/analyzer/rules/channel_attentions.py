"""Blocks of squeeze-and-excitation (channel attention), which average a tensor and scale its channels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.convolution.channels import elements
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.layer_tests import alike
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise, pointwise_groups

#: Batch and channels; the axes after them are those of the pixels.
_BEFORE_PIXELS = 2
#: What lies between the average and the scaling: two products with their activations, and reformats.
_MAX_BETWEEN = 12
#: The vectors between have at most this many times as many elements as the average.
_MAX_WIDER = 4
#: From this number and share of layer time on, in percent, TRX518 reports them by default.
MIN_BLOCKS, MIN_PERCENT = 3, 10.0


def channel_attentions(context: Context) -> list[list[LayerFacts]]:
    """Return the layers of each block, what scales last; call it through `Context.cached`."""
    return [block for layer in context.layers if (block := _block(context, layer))]


def sums_of_scaled(context: Context) -> list[LayerFacts]:
    """Return the pointwise layers that alone read what several blocks scale."""
    scaling = {block[-1].index for block in context.cached(channel_attentions)}
    groups = context.cached(pointwise_groups)
    return [
        each
        for members in groups
        if sum(member.index in scaling for member in members) > 1
        for each in members
        if each.index not in scaling
    ]


def of_reported_attentions(context: Context, at: int) -> set[int]:
    """Return the index of the first or last layer (0 or -1) of each block, if they are enough to report."""
    blocks = context.cached(channel_attentions)
    layers = [layer for block in blocks for layer in block]
    is_much = len(blocks) >= MIN_BLOCKS and context.is_significant(layers, MIN_PERCENT)
    return {block[at].index for block in blocks} if is_much else set()


def pool_whole_images(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers make one value of all pixels of each channel; None if some do."""
    return alike(averages_pixels(context, each) or "GlobalAveragePool" in copied(each) for each in layers)


def _block(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers of a block that begins with a layer, its scaling last; none if it begins none."""
    if not layer.avg_ms or not averages_pixels(context, layer):
        return []
    most = _MAX_WIDER * elements(layer.outputs[0])
    ends, between = search(
        [layer],
        context.successors,
        lambda each: bool(each.outputs) and all(elements(use) <= most for use in each.outputs),
        _MAX_BETWEEN,
    )
    averaged = context.base_of(layer.inputs[0].tensor)
    scaling = (
        each
        for each in ends
        if is_pointwise(each) and any(context.base_of(use.tensor) == averaged for use in each.inputs)
    )
    last = next(scaling, None)
    if last is None or not any(is_conv_or_matmul(context, each) for each in between):
        return []
    return [layer, *between, last]


def averages_pixels(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer makes one value of all pixels of each channel, and multiplies nothing."""
    if not layer.inputs or not layer.outputs or is_conv_or_matmul(context, layer):
        return False
    read, written = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    return (
        len(read) == len(written)
        and read[:_BEFORE_PIXELS] == written[:_BEFORE_PIXELS]
        and math.prod(written[_BEFORE_PIXELS:]) == 1 < math.prod(read[_BEFORE_PIXELS:])
    )

"""TRX518 fusion.channel-attention."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import elements
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise
from trexreport.analyzer.rules.phrases import layer_time
from trexreport.numbers import counted, format_ms

#: Batch and channels; the axes after them are those of the pixels.
_BEFORE_PIXELS = 2
#: What lies between the average and the scaling: two products with their activations, and reformats.
_MAX_BETWEEN = 12
#: The vectors between have at most this many times as many elements as the average.
_MAX_WIDER = 4


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_share(10.0, "all these blocks"),
        Threshold("min_count", 3, 1, 1e6, "Minimum number of blocks."),
    ),
    explains={"layers": ("TRX918",), "share": ("TRX508", "TRX601", "TRX605")},
)
def channel_attention(context: Context, *, share_percent: float, min_count: float) -> Hits:
    """Blocks of squeeze-and-excitation take much of the time.

    Cost:
        Each such block (channel attention) passes over its tensor once to average it and once to scale its
        channels, and has small kernels in turn between. No convolution does either when it reads or writes
        the tensor.

    Recommendation:
        In the model, leave the blocks out of the early stages, whose tensors are the largest, or out of all,
        as EfficientNet-Lite does, and compare the accuracy.

    False alarm:
        The accuracy needs the blocks. They are found by their tensors: an average over all pixels, products
        of vectors, and a pointwise layer that reads these and what was averaged. Where that layer also adds a
        residual branch, this part of its time stays.

    Est. savings:
        Not estimated: it depends on which blocks the model can do without.
    """
    blocks = [block for layer in context.layers if (block := _block(context, layer))]
    layers = list({layer.index: layer for block in blocks for layer in block}.values())
    if len(blocks) < min_count or not context.is_significant(layers, share_percent):
        return
    parts = [
        f"{format_ms(context.time_ms(block[at] for block in blocks))} to {what}"
        for at, what in ((0, "average"), (-1, "scale"))
    ]
    number = counted(len(blocks), "block of squeeze-and-excitation", "blocks of squeeze-and-excitation")
    take = "takes" if len(blocks) == 1 else "take"
    yield Hit(
        f"{number} with {counted(len(layers), 'layer')} {take} {layer_time(context, layers)}: "
        f"{', '.join(parts)}, and the small kernels between.",
        tuple(slowest_first(layers)),
    )


def _block(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers of a block that begins with a layer, its scaling last; none if it begins none."""
    if not layer.avg_ms or not _averages_pixels(context, layer):
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


def _averages_pixels(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer makes one value of all pixels of each channel, and multiplies nothing."""
    if not layer.inputs or not layer.outputs or is_conv_or_matmul(context, layer):
        return False
    read, written = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    return (
        len(read) == len(written)
        and read[:_BEFORE_PIXELS] == written[:_BEFORE_PIXELS]
        and math.prod(written[_BEFORE_PIXELS:]) == 1 < math.prod(read[_BEFORE_PIXELS:])
    )

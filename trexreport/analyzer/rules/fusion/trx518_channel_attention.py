"""TRX518 fusion.channel-attention."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.channel_attentions import (
    MIN_BLOCKS,
    MIN_PERCENT,
    channel_attentions,
    sums_of_scaled,
)
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import layer_time
from trexreport.numbers import counted, format_ms


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_share(MIN_PERCENT, "all these blocks"),
        Threshold("min_count", MIN_BLOCKS, 1, 1e6, "Minimum number of blocks."),
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
    blocks = context.cached(channel_attentions)
    sums = sums_of_scaled(context)
    layers = list({layer.index: layer for block in (*blocks, sums) for layer in block}.values())
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
        f"{', '.join(parts)}, and the small kernels between{' and sums behind' if sums else ''}.",
        tuple(slowest_first(layers)),
    )

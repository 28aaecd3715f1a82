"""TRX104 convolution.small-channel-input."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution.channels import (
    FEW_CHANNELS,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted


@rule(
    "TRX104",
    "convolution.small-channel-input",
    "info",
    needs=("layers", "profile"),
    many="{count} of the network's first convolutions read few channels.",
    section="layers",
    subject="kernels",
    thresholds=(
        Threshold("share_percent", 1, 0, 100, "Least share of the time, in percent."),
        Threshold("gain_percent", 0.5, 0, 100, "Least gain that is told, in percent; where it is known."),
        Threshold("dear_percent", 15, 0, 100, "Share of the time from which on it is a warning, in percent."),
    ),
)
def small_channel_input(
    context: Context, *, share_percent: float, gain_percent: float, dear_percent: float
) -> Iterator[Hit]:
    """The network's first convolution reads one to four channels.

    Cost:
        Tensor cores take 8 channels at a time (16 in INT8), an image has 3: most of what they multiply is
        filling. The largest extents of the network make the layer expensive besides.

    Advice:
        Let each group of 2×2 pixels become channels before the layer (space-to-depth: 3 channels become 12,
        the weights rearranged alike); the results stay the same. Give the input in the layout that the layer
        reads (TRX206). In an INT8 network let the pooling be quantized too, so that both become one layer
        (ConvActPool), and compare the time with the layer left in FP16.

    False alarm:
        Every image network has such a layer. It is a warning only from `dear-percent` on; below it is there
        to be known. If it runs on ordinary cores, TRX101 says so instead.

    Bound:
        The measured time minus the least that the GPU needs for the layer's operations and bytes (its roof);
        unknown without the GPU's peaks.
    """
    for index in sorted(context.once(first_convolutions)):
        layer = context.layers[index]
        channels, share = channels_of(layer), layer.share_percent or 0.0
        if channels is None or channels.read > FEW_CHANNELS or channels.are_apart or share < share_percent:
            continue
        if context.kernel(layer).tensor_cores is False:
            continue
        gain_ms = layer.roof.headroom_ms if layer.roof else None
        if gain_ms is not None and context.share_percent(gain_ms) < gain_percent:
            continue
        yield Hit(
            f"It reads {counted(channels.read, 'channel')}{for_time(context, [layer])}.",
            (layer,),
            gain_ms,
            {"Channels": str(channels), "Type": layer.precision},
            severity="warning" if share >= dear_percent else None,
        )

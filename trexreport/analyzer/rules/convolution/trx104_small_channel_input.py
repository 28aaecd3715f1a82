"""TRX104 convolution.small-channel-input."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.convolution.channels import (
    FEW_CHANNELS,
    channels_of,
    first_convolutions,
    keeps_size,
)
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.numbers import counted

#: Three times as long as a launch on embedded GPUs, which take about 5 us.
_MAX_LAUNCH_MS = 0.016


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    many="{count} of the network's first convolutions read few channels.",
    explains={"layers": ("TRX914",)},
    thresholds=(
        percent("share_percent", 5, "Minimum share of layer time, in percent."),
        percent(
            "gain_percent", 3.0, "Minimum time above the roofline, in percent of layer time, where known."
        ),
        percent(
            "unknown_percent", 10, "Minimum share of layer time where the roofline is not known, in percent."
        ),
        percent(
            "warning_percent",
            15,
            "Share of layer time from which on it is a warning, in percent.",
            former_name="dear-percent",
        ),
    ),
)
def small_channel_input(
    context: Context,
    *,
    share_percent: float,
    gain_percent: float,
    unknown_percent: float,
    warning_percent: float,
) -> Hits:
    """The network's first convolution reads one to four channels.

    Cost:
        Tensor Cores take 8 channels at a time (16 in INT8), an image has 3: most of the multiplications are
        padding. The layer also has the largest height and width of the network.

    Recommendation:
        Rearrange neighboring pixels into channels before the layer (space-to-depth: 2×2 pixels give four
        times as many) and its weights alike; the results stay the same. [if quantized, if pooled, unless
        conv-act-pool: In an INT8 network also quantize the pooling, so that both become one layer
        (ConvActPool), and compare with the layer in FP16.] [if keeps-size: The result of a layer of stride 1
        has to be rearranged back (depth-to-space), which is one more pass over it.]

    False alarm:
        Every image network has such a layer. It is a warning only from `warning-percent` on, otherwise
        information. If it runs on CUDA cores, TRX101 reports it instead. A layer about as short as a launch
        (TRX508), or two, is not reported: it takes that long whatever it computes. Nor, below
        `warning-percent`, is one with less than 10% of layer time whose roofline is not known, or of stride
        1, or a kernel that pools, too (ConvActPool): rearranged, the layer may need a second.

    Est. savings:
        An estimate, from 0: the layer's time minus its roofline time, at the share of the roofline that other
        convolutions of this engine reach, and at stride 1 minus a pass over its result at full bandwidth; not
        estimated without the GPU's peaks.
    """
    for index in sorted(context.cached(first_convolutions)):
        layer = context.layers[index]
        channels, share = channels_of(layer), layer.share_percent or 0.0
        if channels is None or channels.read > FEW_CHANNELS or channels.are_grouped or share < share_percent:
            continue
        if context.kernel(layer).tensor_cores is False or is_mostly_launch(context, layer, _MAX_LAUNCH_MS):
            continue
        if layer.type.endswith("ConvActPool") and share < warning_percent:
            continue
        if layer.roof is None and share < unknown_percent:
            continue
        back_ms = _rearranged_back_ms(context, layer) if keeps_size(layer) else 0.0
        if back_ms is None and share < warning_percent:
            continue
        headroom_ms = layer.roof.headroom_ms or 0.0 if layer.roof else 0.0
        if layer.roof and context.share_percent(headroom_ms - (back_ms or 0.0)) < gain_percent:
            continue
        yield Hit(
            f"{LAYER} reads only {counted(channels.read, 'channel')}{EXTENT}.",
            (layer,),
            _gain(context, layer, back_ms or 0.0),
            {"Channels": str(channels), "Type": layer.precision},
            severity="warning" if share >= warning_percent else None,
        )


def _rearranged_back_ms(context: Context, layer: LayerFacts) -> float | None:
    """Return what a depth-to-space of the result takes at least; None where that is not known."""
    gpu, size = context.analysis.roofline.gpu, layer.outputs[0].size_bytes
    return 2 * size / (gpu.bandwidth_gbs * 1e6) if gpu and size else None


def _gain(context: Context, layer: LayerFacts, back_ms: float) -> Gain | None:
    """Return what the layer saves at most: the kernel that it gets when rearranged is not known."""

    def reads_many(other: LayerFacts) -> bool:
        channels = channels_of(other) if context.is_convolution(other) else None
        is_dense = channels is not None and not channels.are_grouped and channels.read > FEW_CHANNELS
        return is_dense and other.precision == layer.precision

    gain = above_roof(context, layer, reads_many)
    if gain is None:
        return None
    return of_layers("estimate", [(layer, 0.0, max(gain.high_ms - back_ms, 0.0))], *gain.bases)

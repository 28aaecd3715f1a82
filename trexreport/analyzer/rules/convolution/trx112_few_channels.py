"""TRX112 convolution.few-channels."""

from __future__ import annotations

import math
from statistics import median

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.convolution.padding import FEW_FOR_TILES, has_few_channels
from trexreport.analyzer.rules.convolution.siblings import merged, named_siblings, siblings
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import writes_few_channels
from trexreport.analyzer.rules.limits import min_gain, min_share, percent
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.savings import fused_by_name, if_worthwhile
from trexreport.numbers import counted, format_percent

#: Part of the minimum share that the layers take beyond their roofline at least.
_BEYOND = 0.6


@built_in_rule(
    "info",
    needs=("profile",),
    explains={"layers": ("TRX914",), "share": ("TRX605",)},
    thresholds=(
        min_share(5.0, "all these layers together"),
        percent("reached_percent", 60.0, "Maximum % of roofline of a layer."),
        min_gain(1.0),
    ),
)
def few_channels(
    context: Context, *, share_percent: float, reached_percent: float, gain_percent: float
) -> Hits:
    """Convolutions of up to 16 channels leave most of each tile of the Tensor Cores empty.

    Cost:
        Kernels on Tensor Cores compute tiles of 32, 64 or more output channels. With 8 or 16 most of each
        tile is empty, and the layer takes about as long as one of 32 channels, below both peaks. So do
        the first stages of small networks and the last ones of decoders and vocoders.

    Recommendation:
        [if siblings: Compute convolutions that read one tensor as one, with their weights one after the other
        as its output channels. Where they read different tensors of one size, join these and compute one
        convolution in groups, or with zeros between the weights of each (block-diagonal), and compare both.
        Leave the result in one output tensor, of which the application takes the parts.]
        [if few-outputs, unless siblings: A pixel shuffle behind a convolution of more channels and fewer
        pixels, or a smaller kernel, computes less.] [unless few-outputs, unless siblings: Fold neighboring
        pixels or samples into channels for these stages (space-to-depth, with weights arranged alike): two
        samples of 16 channels are one of 32.] [unless siblings: Or do several of these layers in one plugin,
        which keeps what is between them on the chip.] [unless few-outputs, unless siblings: Far from the
        roofline more channels, up to 32, cost hardly any time.]

    False alarm:
        The layer already moves its bytes near the GPU's bandwidth, as the bytes of few channels take most of
        the time; those above the limit are left out, and all that together take less than 3% of layer time
        beyond their roofline (three fifths of `share-percent`), as are the network's first layer (TRX104),
        outputs of fewer than 8 channels that the bandwidth would bound (TRX604), channels that are padded
        (TRX103), convolutions in groups (TRX105) or on CUDA cores (TRX101), and what is about as short as a
        launch.
        Beside each other, as the last ones of a detector's heads, six or more of fewer than 8 output channels
        are reported whatever bounds them, if they read tensors of one size, have windows of one size, and
        none needs the result of another. Where only names are known, those are information that follow each
        other without an activation, take about equally long, and are no more than the branches that a kernel
        before computes together.

    Est. savings:
        An estimate for convolutions beside each other: from nothing up to their time above that of the
        slowest and above their roofline, each tensor read once. Not estimated for others: it depends on what
        replaces the layers.
    """
    named = context.cached(named_siblings)
    if named and context.is_significant(named, share_percent):
        yield Hit(
            f"By name and time {counted(len(named), 'convolution')} one after the other end branches that "
            f"begin in one kernel; they {takes_time(context, named)}. Their channels are not known.",
            tuple(slowest_first(named)),
            fused_by_name([named]),
            {"Identified": "by name"},
        )
    beside = _beside_each_other(context, share_percent, gain_percent)
    yield from beside
    indices = {layer.index for hit in beside for layer in hit.layers}
    few = [
        layer
        for layer in context.convolutions
        if layer.avg_ms and layer.index not in indices and not is_mostly_launch(context, layer)
        if has_few_channels(context, layer) or _writes_few(context, layer)
    ]
    reached = {each.index: each.roof.reached_percent or 0.0 for each in few if each.roof}
    found = context.slowest(
        (each for each in few if reached.get(each.index, 0.0) < reached_percent), share_percent
    )
    beyond = ((each.avg_ms or 0.0) * (1 - reached.get(each.index, 0.0) / 100) for each in found)
    if not found or context.share_percent(math.fsum(beyond)) < _BEYOND * share_percent:
        return
    known = [share for each in found if (share := reached.get(each.index))]
    at = f", at {format_percent(median(known) / 100)} of the roofline (median)" if known else ""
    kinds = sorted({_kind(context, each) for each in found}, reverse=True)
    apart = "," if len(kinds) > 1 else ""
    which = f"{counted(len(found), 'convolution')} {', or '.join(kinds)}{apart}"
    yield Hit(f"{which} {takes_time(context, found)}{at}.", tuple(found))


def _beside_each_other(context: Context, share_percent: float, gain_percent: float) -> list[Hit]:
    """Return the place of all convolutions of few output channels that others could compute with them."""
    groups = context.cached(siblings)
    layers = slowest_first(layer for group in groups for layer in group)
    if not layers or not context.is_significant(layers, share_percent):
        return []
    could = "one" if len(groups) == 1 else f"{len(groups)}"
    hit = Hit(
        f"{counted(len(layers), 'convolution')} of few output channels, which {could} could compute, "
        f"{takes_time(context, layers)}.",
        tuple(layers),
        of_layers("estimate", (each for group in groups for each in merged(context, group)), "fused-kernel"),
        severity="warning",
    )
    return if_worthwhile(context, [hit], gain_percent)


def _kind(context: Context, layer: LayerFacts) -> str:
    few = "few output" if _writes_few(context, layer) else f"up to {FEW_FOR_TILES}"
    return f"of {few} channels"


def _writes_few(context: Context, layer: LayerFacts) -> bool:
    """Return whether a convolution of few output channels would be bound by its multiplications."""
    return layer.roof is not None and layer.roof.roof == "compute" and writes_few_channels(context, layer)

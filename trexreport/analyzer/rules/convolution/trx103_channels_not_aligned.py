"""TRX103 convolution.channels-not-aligned."""

from __future__ import annotations

import math
from collections.abc import Mapping

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule, estimate
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.channels import Channels
from trexreport.analyzer.rules.convolution.padding import Padding, padded_copies, padded_part, padding_of
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.patterns import is_pointwise_or_move, only_quantizes, operations
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, takes_time
from trexreport.analyzer.rules.precision.precision_use import MOVING_TYPES
from trexreport.analyzer.rules.roof_share import bytes_bound_everywhere
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, format_count, format_percent

#: Shorter layers, as a multiple of the engine's fastest kernel, have little time that padding takes.
_LAUNCHES = 2.0
#: Padding that takes less of layer time, in percent, is not worth a change of the model.
_AT_STAKE_PERCENT = 0.5
#: The same of a layer with the classes of the network, whose result has to be cut then.
_LEAVING_PERCENT = 2.0
#: This many convolutions, and this part of those in layouts of 32 channels, are most.
_MANY, _MOST = 8, 0.5
#: Layers that may follow the last convolution, besides those that compute with single elements: the channels
#: are still the classes, or were.
_KEEPS_CLASSES = MOVING_TYPES | {"Reduce", "Resize", "SoftMax", "TopK"}


@built_in_rule(
    "warning",
    many="{count} convolutions have channels that Tensor Cores have to pad.",
    explains={"layers": ("TRX914",), "share": ("TRX205", "TRX605")},
    thresholds=(
        percent("share_percent", 0.5, "Minimum share of layer time, in percent."),
        percent("waste_percent", 5, "Minimum share of the multiplications that is padding, in percent."),
        percent("all_percent", 5, "Share of layer time from which on the padding of all is one place."),
    ),
)
@untimed_as_info
def channels_not_aligned(
    context: Context, *, share_percent: float, waste_percent: float, all_percent: float
) -> Hits:
    """A convolution's channels are not a multiple of what Tensor Cores take at a time.

    Cost:
        Kernels on Tensor Cores read channels in units of 16 bytes: 4 in TF32, 8 in FP16 and BF16, 16 in
        INT8 and FP8; layouts such as NC/32HW32 always store 32. The rest of the last unit is padding, and
        many kernels do not support such shapes at all.

    Recommendation:
        [unless wide-channels: Use such multiples when designing or pruning the model; or pad the weights with
        zeros in the ONNX file, those of the layers that read the output alike, which keeps the results.] [if
        at-output, unless wide-channels: What leaves the network has to be cut then.] [if wide-channels:
        Design or prune the model in steps of 32 channels: fewer take no less time until the next step.
        Weights padded with zeros to a step keep the results, and let Concat and Split work without copies.]

    False alarm:
        An output of the network has one channel per class, perhaps with a Resize, Softmax, sum or ArgMax
        after it: padding it needs a Slice after it, which may cost more than it saves. Such layers are
        information from 2% of layer time on, and not reported below and without times. Information are layers
        whose channels are aligned and only the layout stores more, and those that latency limits.
        Memory-bound layers, which padding does not slow down (on an unknown GPU those of less than 32 FLOP
        per byte), single output channels, and outputs of the network of less than a unit or where
        multiplications do not limit the layer are not reported. Layers about as short as a launch (TRX508)
        or two, those whose padding takes less than 0.5% of layer time, those with fewer than 8 rows, where
        reading the weights takes the time, and the network's first layer (TRX104) are not reported. Without
        a profile all are information. Where layouts of 32 channels pad most convolutions and padding takes 5%
        of layer time (of the bytes where memory bounds a convolution), all are one place, with the copies of
        Concat and Split whose channels do not fill these layouts.

    Est. savings:
        An estimate: up to the layer's time times the share of its multiplications that is padding, in both
        inputs and outputs, and up to its time above that of the engine's fastest kernel. Not estimated where
        the file does not state the groups, and where latency limits the layer.
    """
    padded = {layer.index: each for layer in context.convolutions if (each := padding_of(context, layer))}
    if (everywhere := _everywhere(context, padded, all_percent)) is not None:
        yield everywhere
        return
    for layer in context.convolutions:
        padding = padded.get(layer.index)
        if padding is None or not context.is_significant([layer], share_percent):
            continue
        if is_mostly_launch(context, layer):
            continue
        if layer.avg_ms and layer.avg_ms < _LAUNCHES * context.cached(floor_ms):
            continue
        channels, together, stored, waste = padding
        if 100 * waste < waste_percent:
            continue
        if context.total_ms and context.share_percent((layer.avg_ms or 0.0) * waste) < _AT_STAKE_PERCENT:
            continue
        is_odd = bool(channels.read % together or channels.written % together)
        unit = together if is_odd else stored
        leaves = channels.written % unit > 0 and (channels.written == 1 or _writes_output(context, layer))
        if leaves and context.share_percent((layer.avg_ms or 0.0) * waste) < _LEAVING_PERCENT:
            continue
        # Padding saves multiplications only where these limit the layer.
        anywhere = "memory" if bytes_bound_everywhere(layer, waste) else "compute"
        bound = layer.roof.bound if layer.roof is not None else anywhere
        if bound == "memory" or (leaves and (bound != "compute" or channels.written < together)):
            continue
        yield Hit(
            f"{LAYER} has channels that are not multiples of {unit}: {format_percent(waste)} of its "
            f"multiplications are padding{EXTENT}.",
            (layer,),
            None if bound != "compute" else _gain(context, layer, channels, waste),
            {"Channels": str(channels), "Type": layer.precision, "Padded to": f"multiples of {stored}"},
            severity="info" if leaves or bound != "compute" or not is_odd else None,
        )


def _everywhere(context: Context, padded: Mapping[int, Padding], all_percent: float) -> Hit | None:
    """Return the place of most convolutions together, where each alone may be small; None without."""
    stored = {index: each for index, each in padded.items() if each.stored > each.together}
    found = [context.layers[index] for index, each in stored.items() if each.waste > 0]
    if not context.total_ms or len(found) < max(_MANY, _MOST * len(stored)):
        return None
    padding = {
        each.index: (each.avg_ms or 0.0) * padded_part(context, each, stored[each.index]) for each in found
    }
    share = context.share_percent(math.fsum(padding.values()))
    if share < all_percent:
        return None
    floor = context.cached(floor_ms)
    ranges = [(each, 0.0, min(padding[each.index], max((each.avg_ms or 0.0) - floor, 0.0))) for each in found]
    copies = padded_copies(context)
    ranges += [(each, 0.0, each.avg_ms or 0.0) for each in copies]
    joined = f"; {counted(len(copies), 'copy', 'copies')} of such tensors {takes_time(context, copies)}"
    numbers = f"{format_count(len(found))} of {counted(len(context.convolutions), 'convolution')}"
    return Hit(
        f"{numbers} have channels that are padded to multiples of 32: padding takes "
        f"{format_percent(share / 100)} of {context.layer_time_name}{joined if copies else ''}.",
        tuple(slowest_first([*found, *copies])),
        of_layers("estimate", ranges, "less-padding"),
    )


def _gain(context: Context, layer: LayerFacts, channels: Channels, waste: float) -> Gain | None:
    if not layer.avg_ms or not channels.groups:
        return None
    above_ms = max(layer.avg_ms - context.cached(floor_ms), 0.0)
    return estimate(0.0, min(layer.avg_ms * waste, above_ms), "less-padding")


def _writes_output(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer's result leaves the network, perhaps moved, resized or reduced before."""

    def passes(other: LayerFacts) -> bool:
        return (
            context.is_reformat(other)
            or only_quantizes(other)
            or (is_pointwise_or_move(other) and "Relu" not in operations(other))
            or other.type in _KEEPS_CLASSES
        )

    _, after = search([layer], context.successors, passes)
    return any(context.is_output(use.tensor) for each in (layer, *after) for use in each.outputs)

"""TRX103 convolution.channels-not-aligned."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution import convolution_rule
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_PER_UNIT,
    FEW_CHANNELS,
    Channels,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.gains import estimate
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import format_percent


@convolution_rule(
    "warning",
    many="{count} convolutions have channels that Tensor Cores have to pad.",
    thresholds=(
        percent("share_percent", 0.5, "Minimum share of layer time, in percent."),
        percent("waste_percent", 5, "Minimum share of the multiplications that is padding, in percent."),
    ),
)
def channels_not_aligned(context: Context, *, share_percent: float, waste_percent: float) -> Iterator[Hit]:
    """A convolution's channels are not a multiple of what Tensor Cores take at a time.

    Cost:
        Kernels on Tensor Cores read channels in units of 16 bytes: 8 in FP16 and BF16 (also for TF32), 16 in
        INT8 and FP8; layouts such as NC/32HW32 always store 32. The rest of the last unit is padding, and
        many kernels do not support such shapes at all.

    Recommendation:
        Use a multiple of 8 or 16 channels, best of 32 in INT8, when designing or pruning the model; or pad
        the weights with zeros in the ONNX file, which keeps the results. Pad the layers that read the output
        alike.

    False alarm:
        An output of the network has one channel per class: padding it needs a Slice after it, which may cost
        more than it saves. Such layers are reported as information, as are layers whose channels are aligned
        and only the layout stores more. The network's first layer is TRX104's.

    Est. savings:
        An estimate: up to the layer's time times the share of its multiplications that is padding, in both
        inputs and outputs; nothing if memory or latency limit the layer. Not estimated where the file does
        not state the groups.
    """
    for layer in context.layers:
        if not context.is_convolution(layer) or not context.is_significant([layer], share_percent):
            continue
        kernel, channels = context.kernel(layer), channels_of(layer)
        together = CHANNELS_PER_UNIT.get(kernel.math_type or layer.precision)
        if channels is None or together is None or channels.are_grouped or kernel.tensor_cores is False:
            continue
        if channels.read <= FEW_CHANNELS and layer.index in context.cached(first_convolutions):
            continue
        stored = 32 if "/32" in context.tensor(layer.inputs[0].tensor).layout else together
        waste = _waste(channels, stored)
        if 100 * waste < waste_percent:
            continue
        is_odd = bool(channels.read % together or channels.written % together)
        unit = together if is_odd else stored
        leaves = channels.written % unit > 0 and context.is_output(layer.outputs[0].tensor)
        yield Hit(
            f"{LAYER} has channels that are not multiples of {unit}: {format_percent(waste)} of its "
            f"multiplications are padding{timed(context, [layer])}.",
            (layer,),
            estimate(0.0, layer.avg_ms * waste, "less-padding") if layer.avg_ms and channels.groups else None,
            {"Channels": str(channels), "Type": layer.precision, "Padded to": f"multiples of {stored}"},
            severity="info" if leaves or not is_odd else None,
        )


def _waste(channels: Channels, unit: int) -> float:
    """Return the share of a convolution's multiplications that is padding."""
    padded = [-(-number // unit) * unit for number in (channels.read, channels.written)]
    return 1 - channels.read * channels.written / (padded[0] * padded[1])

"""TRX103 convolution.channels-not-aligned."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution.channels import (
    CHANNELS_TOGETHER,
    FEW_CHANNELS,
    Channels,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_percent


@rule(
    "TRX103",
    "convolution.channels-not-aligned",
    "warning",
    many="{count} convolutions have channels that tensor cores have to fill up.",
    section="layers",
    subject="kernels",
    thresholds=(
        Threshold("share_percent", 0.5, 0, 100, "Least share of the time, in percent."),
        Threshold(
            "waste_percent", 5, 0, 100, "Least part of the multiplications that is wasted, in percent."
        ),
    ),
)
def channels_not_aligned(context: Context, *, share_percent: float, waste_percent: float) -> Iterator[Hit]:
    """A convolution's channels are no multiple of what tensor cores take together.

    Cost:
        Kernels on tensor cores read channels in units of 16 bytes: 8 in FP16 and BF16 (also for TF32), 16 in
        INT8 and FP8; layouts such as NC/32HW32 always store 32. The rest of the last unit is multiplied for
        nothing, and many kernels do not take such shapes at all.

    Advice:
        Give the layer a multiple of 8 or 16 channels, best of 32 in INT8, when the model is designed or
        pruned; or pad the weights with zeros in the ONNX file, which keeps the results. What reads the output
        must be padded alike.

    False alarm:
        An output of the network has as many channels as it has classes: padding it needs a Slice behind it,
        which may cost more than it gains. Such layers are listed as information, as are those whose channels
        are aligned and only the layout stores more. The network's first layer is TRX104's.

    Bound:
        The time times the part of the multiplications that falls on channels that do not exist, both inputs
        and outputs filled up; unknown where the file does not state the groups.
    """
    for layer in context.layers:
        if not context.is_convolution(layer) or not context.may_matter([layer], share_percent):
            continue
        kernel, channels = context.kernel(layer), channels_of(layer)
        together = CHANNELS_TOGETHER.get(kernel.math_type or layer.precision)
        if channels is None or together is None or channels.are_apart or kernel.tensor_cores is False:
            continue
        if channels.read <= FEW_CHANNELS and layer.index in context.once(first_convolutions):
            continue
        stored = 32 if "/32" in context.facts(layer.inputs[0].tensor).layout else together
        waste = _waste(channels, stored)
        if 100 * waste < waste_percent:
            continue
        is_odd = bool(channels.read % together or channels.written % together)
        unit = together if is_odd else stored
        leaves = channels.written % unit > 0 and context.is_output(layer.outputs[0].tensor)
        yield Hit(
            f"Its channels are no multiples of {unit}, so {format_percent(waste)} of its multiplications "
            f"are with filling{for_time(context, [layer])}.",
            (layer,),
            layer.avg_ms * waste if layer.avg_ms and channels.groups else None,
            {"Channels": str(channels), "Type": layer.precision, "Filled up to": f"multiples of {stored}"},
            severity="info" if leaves or not is_odd else None,
        )


def _waste(channels: Channels, unit: int) -> float:
    """Return the part of a product's multiplications that fall on filled-up channels."""
    filled = [-(-number // unit) * unit for number in (channels.read, channels.written)]
    return 1 - channels.read * channels.written / (filled[0] * filled[1])

"""Rules on the channels of convolutions: odd, few, or each alone."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution_shapes import (
    CHANNELS_TOGETHER,
    Channels,
    channels_of,
    first_convolutions,
)
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import for_time
from trexreport.numbers import counted, format_ms, format_number, format_percent

_FEW_CHANNELS = 4

#: No GPU that TensorRT runs on does so few operations in the time in which it moves a byte, not even without
#: tensor cores: the lowest is the A100 80GB SXM with 19.5 TFLOPS of FP32 over 2.039 TB/s.
_SURELY_MEMORY_BOUND = 9.0


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
        if channels.read <= _FEW_CHANNELS and layer.index in context.once(first_convolutions):
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
        if channels is None or channels.read > _FEW_CHANNELS or channels.are_apart or share < share_percent:
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


@rule(
    "TRX105",
    "convolution.depthwise-memory-bound",
    "info",
    needs=("layers", "profile"),
    many="{count} depthwise or grouped convolutions do too little per byte to be bound by arithmetic.",
    section="layers",
    subject="kernels",
    thresholds=(Threshold("share_percent", 5, 0, 100, "Least share of the time of all, in percent."),),
)
def depthwise_memory_bound(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """A depthwise or grouped convolution moves more than it computes.

    Cost:
        Each output channel sees one input channel or few, so every byte is used for a handful of operations:
        memory and the launch of the kernel set the time, and tensor cores have nothing to do. Its few
        operations cost more than their number suggests.

    Advice:
        Move fewer bytes: INT8 or FP16 instead of FP32, activations fused into the convolution (TRX502).
        Raise the batch if the GPU is not full. In the model: wider groups, or a dense convolution in place of
        the expansion and the depthwise one in early blocks (as EfficientNetV2 does), which has more
        operations and is often faster.

    False alarm:
        The layer already moves its bytes near the GPU's bandwidth: compare "reached" in the roofline.

    Bound:
        The measured time minus the time that its bytes need at the memory's bandwidth; unknown without the
        GPU's peaks.
    """
    found = _narrow_and_memory_bound(context)
    if context.share_percent(context.time_ms(layer for layer, _ in found)) < share_percent:
        return
    for layer, channels in found:
        intensity = layer.work.intensity if layer.work else None
        evidence = {"Type": layer.precision, "Channels": str(channels)}
        if layer.bandwidth_gbs:
            evidence["Bandwidth"] = f"{format_number(layer.bandwidth_gbs)} GB/s"
        if layer.roof:
            evidence["Memory allows"] = format_ms(layer.roof.roof_ms)
        yield Hit(
            f"It does {format_number(intensity, 2)} operations for each byte that it moves"
            f"{for_time(context, [layer])}.",
            (layer,),
            layer.roof.headroom_ms if layer.roof else None,
            evidence,
        )


def _narrow_and_memory_bound(context: Context) -> list[tuple[LayerFacts, Channels]]:
    """Return the convolutions of several groups that surely are bound by memory, with their channels."""
    found = []
    for layer in context.layers:
        channels = channels_of(layer) if context.is_convolution(layer) else None
        if channels is None or not channels.are_apart or layer.work is None or layer.work.intensity is None:
            continue
        bound = layer.roof.bound if layer.roof else ""
        if bound == "memory" or (not bound and layer.work.intensity < _SURELY_MEMORY_BOUND):
            found.append((layer, channels))
    return found

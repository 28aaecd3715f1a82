"""TRX105 convolution.depthwise-memory-bound."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution.channels import (
    Channels,
    channels_of,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_ms, format_number

#: No GPU that TensorRT runs on does so few operations in the time in which it moves a byte, not even without
#: tensor cores: the lowest is the A100 80GB SXM with 19.5 TFLOPS of FP32 over 2.039 TB/s.
_SURELY_MEMORY_BOUND = 9.0


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

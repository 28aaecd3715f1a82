"""Rules on fusion: what runs as several kernels, or as one more than needed."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion_attention import attention_not_fused, separate_qkv
from trexreport.analyzer.rules.fusion_layernorm import decomposed_layernorm
from trexreport.analyzer.rules.fusion_pointwise import (
    activation_after_convolution,
    decomposed_gelu,
    unfused_pointwise_chain,
)
from trexreport.analyzer.rules.patterns import only_copies, operations
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import describe_shape, for_time
from trexreport.numbers import format_count, format_ms

__all__ = [
    "activation_after_convolution",
    "attention_not_fused",
    "copies",
    "decomposed_gelu",
    "decomposed_layernorm",
    "separate_qkv",
    "tiny_kernels",
    "unfused_pointwise_chain",
]

_US_PER_MS = 1e3


@rule(
    "TRX507",
    "fusion.copies",
    "warning",
    needs=("layers", "profile"),
    many="{count} layers only copy data.",
    subject="movement",
    thresholds=(
        Threshold("share_percent", 0.5, 0, 100, "A copy's share of the time from which it is told."),
    ),
)
def copies(context: Context, *, share_percent: float) -> list[Hit]:
    """A layer only copies data from one place to another.

    Cost:
        Slices, concatenations, transposes, paddings and reshapes that could not be made a matter of
        addresses read and write their whole tensor and compute nothing.

    Advice:
        Slice: let the layer before write its parts as outputs of their own. Concat: make its inputs of one
        type and layout, which lets their makers write into it in place. Transpose: export the model in the
        layout it computes in, or feed the input in it. Padding: give it to the convolution or pooling behind
        (symmetric zeros). Reshape at an input: change the binding's shape instead.
        Cast to the type that the data has: leave it out of the model.

    False alarm:
        What follows needs the data in that order, and would read it much more slowly otherwise.

    Bound:
        All the time of the layer.
    """
    return [
        Hit(
            f"It only copies data{for_time(context, [layer])}.",
            (layer,),
            layer.avg_ms,
            _traffic(layer),
        )
        for layer in context.layers
        if context.share_percent(layer.avg_ms or 0.0) >= max(share_percent, 1e-9) and only_copies(layer)
    ]


def _traffic(layer: LayerFacts) -> dict[str, str]:
    evidence = {"Operations": " · ".join(operations(layer) or [layer.type])}
    if layer.inputs and layer.outputs:
        before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
        evidence["Shape"] = f"{describe_shape(before)} → {describe_shape(after)}"
    return evidence


@rule(
    "TRX508",
    "fusion.tiny-kernels",
    "warning",
    needs=("profile",),
    section="latency",
    many="{count} engines spend their time in tiny kernels.",
    thresholds=(
        Threshold("longest_us", 10.0, 0, 1000, "Time up to which a kernel is called tiny, in microseconds."),
        Threshold("least_count", 50, 1, 1_000_000, "Fewer tiny kernels are not told of."),
        Threshold("share_percent", 10.0, 0, 100, "Tiny kernels' share of the time from which they are told."),
    ),
)
def tiny_kernels(
    context: Context, *, longest_us: float, least_count: float, share_percent: float
) -> list[Hit]:
    """Much of the time goes into kernels that take a few microseconds each.

    Cost:
        Starting a kernel and waiting for it to drain takes a few microseconds whatever it does; in a tiny
        one that is most of its time, and the GPU is mostly idle.

    Advice:
        Run with a CUDA graph (`--useCudaGraph`; on by default since TensorRT 11), which takes the launches
        off the host. Give each kernel more to do: a larger batch, several streams, larger heads instead of
        many small ones. Raise `--builderOptimizationLevel` (TensorRT 8.6) and look at what the other rules
        of this family say could be fused.

    False alarm:
        Profiling puts a time stamp around each kernel, which adds about a microsecond to each and lets none
        overlap; compare with the end-to-end time.

    Bound:
        For each tiny kernel the time of the quickest kernel of the engine, taken to be what starting one
        costs.
    """
    timed = [layer for layer in context.layers if layer.avg_ms and not layer.structural]
    tiny = [layer for layer in timed if (layer.avg_ms or 0.0) * _US_PER_MS <= longest_us]
    time_ms = context.time_ms(tiny)
    if len(tiny) < least_count or context.share_percent(time_ms) < share_percent:
        return []
    quickest = min(layer.avg_ms or math.inf for layer in tiny)
    message = (
        f"{format_count(len(tiny))} of {format_count(len(timed))} kernels take at most {longest_us:g} µs each"
    )
    evidence = {"Quickest": format_ms(quickest), "Mean": format_ms(time_ms / len(tiny))}
    return [
        Hit(f"{message} and run{for_time(context, tiny)}.", tuple(tiny), quickest * len(tiny), evidence),
    ]

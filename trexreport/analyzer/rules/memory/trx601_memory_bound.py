"""TRX601 memory.memory-bound."""

from __future__ import annotations

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.idle import gpu_mostly_waits
from trexreport.analyzer.rules.launches import is_as_short
from trexreport.analyzer.rules.layer_kinds import are_quantized
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.memory.weights import (
    MIN_BITS,
    MOSTLY,
    reads_weights,
    share_of_weights,
    weight_bits,
)
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, only_copies
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted


@built_in_rule(
    "info",
    former_name="memory.bound-share",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    thresholds=(
        min_share(75.0, "memory-bound layers"),
        min_share(25.0, "those that multiply nothing", name="others_percent"),
        percent("reached_percent", 50.0, "Minimum % of roofline of such a layer."),
    ),
)
def memory_bound(
    context: Context, *, share_percent: float, others_percent: float, reached_percent: float
) -> Hits:
    """Much of layer time is memory-bound.

    Cost:
        Most layers are memory-bound, or those that multiply nothing (pointwise, normalization, pooling) take
        much of the time. The bytes of these layers explain their time at the memory bandwidth, so that faster
        arithmetic alone, such as INT8 instead of FP16 inside a kernel, saves nothing.

    Recommendation:
        [if products, unless narrow: Move fewer bytes: smaller types for the tensors between layers (quantized
        inputs and outputs, not only weights), fusion of neighbors, no copies and reformats.] [unless
        products, unless narrow: Let them read and write smaller types, or compute several of them in one
        kernel, as a plugin does.] [if narrow: Their tensors have 8 bits already. Fewer bytes are left to
        fusion of neighbors and to removed copies.] [10.10.., unless tiled, unless much-weights: Compare with
        --tilingOptimizationLevel=2, with which kernels exchange parts of a tensor on the chip.] [if
        much-weights: Weights are much of the bytes: a larger batch uses each more often.]

    False alarm:
        Where most of the time is not memory-bound, what only moves data does not count: reformats and copies
        are other findings. Networks of depthwise convolutions or pointwise operations and the decoding of
        single tokens are memory-bound by nature. Layers below half of the memory bandwidth are left out, as
        something else slows them as well. So are layers whose tensors fit in the L2 cache, unless they mostly
        read weights: what stays in it is not read from memory. Layers for which nothing is left to do are
        left out, too: convolutions, multiplications and poolings whose tensors have 8 bits or less, and
        multiplications that mostly read weights of 4 bits. Nothing is reported where the GPU computes less
        than 60% of the time, or waits for launches.

    Est. savings:
        Not estimated here: the report's table of the roofline has the headroom of each layer.
    """
    if gpu_mostly_waits(context):
        return
    measured = (layer for layer in context.layers if layer.avg_ms)
    found = [
        layer
        for layer in measured
        if layer.roof and layer.roof.bound == "memory"
        if (layer.roof.reached_percent or 0.0) >= reached_percent
        if not _stays_in_cache(context, layer) and _has_lever(context, layer)
    ]
    is_most = context.is_significant(found, share_percent)
    if not is_most:
        # What only moves data is reported beside the layers that make it necessary.
        found = [
            layer
            for layer in found
            if not (is_conv_or_matmul(context, layer) or context.is_reformat(layer) or only_copies(layer))
        ]
    if not found or not context.is_significant(found, share_percent if is_most else others_percent):
        return
    multiply = "multiplies" if len(found) == 1 else "multiply"
    which = "" if is_most else f" that {multiply} no matrices"
    is_unknown = any(layer.roof and layer.roof.fits_l2 is None for layer in found)
    yield Hit(
        f"{counted(len(found), 'memory-bound layer')}{which} {takes_time(context, found)}.",
        tuple(slowest_first(found)),
        None,
        {"Size of the L2 cache": "not known"} if is_unknown else {},
    )


def _stays_in_cache(context: Context, layer: LayerFacts) -> bool:
    """Return whether the L2 cache may hold what a layer moves; weights are read from memory in each query."""
    fits = layer.roof is not None and layer.roof.fits_l2 is True
    return fits and (is_as_short(context, layer) or share_of_weights(context, layer) <= MOSTLY)


def _has_lever(context: Context, layer: LayerFacts) -> bool:
    """Return whether a smaller type or a fusion could make a layer move fewer bytes."""
    if reads_weights(context, layer):
        return weight_bits(context, layer) > MIN_BITS
    if not are_quantized(context, [layer]):
        return True
    return not (is_conv_or_matmul(context, layer) or layer.type == "Pooling")

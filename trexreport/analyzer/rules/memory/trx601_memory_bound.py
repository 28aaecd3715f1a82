"""TRX601 memory.memory-bound."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.idle import gpu_mostly_waits
from trexreport.analyzer.rules.launches import is_as_short
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.memory.weights import has_narrowest_weights
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.rule import Hit, built_in_rule
from trexreport.numbers import counted, format_percent


@built_in_rule(
    "info",
    former_name="memory.bound-share",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    thresholds=(
        min_share(50.0, "memory-bound layers"),
        percent("reached_percent", 50.0, "Minimum % of roofline of such a layer."),
    ),
)
def memory_bound(context: Context, *, share_percent: float, reached_percent: float) -> Iterator[Hit]:
    """Most of layer time is memory-bound.

    Cost:
        The bytes of these layers explain their time at the memory bandwidth, so that faster arithmetic alone,
        such as INT8 instead of FP16 inside a kernel, saves nothing.

    Recommendation:
        [unless narrow: Move fewer bytes: smaller types for the tensors between layers (quantized inputs and
        outputs, not only weights), fusion of neighbors, no copies and reformats.] [if narrow: Their tensors
        have 8 bits already. Fewer bytes are left to fusion of neighbors and to a smaller model: fewer
        channels, a smaller input.] [if much-weights: Weights are much of the bytes: a larger batch uses each
        more often.]

    False alarm:
        Networks of depthwise convolutions or pointwise operations and the decoding of single tokens are
        memory-bound by nature. Layers below half of the memory bandwidth are left out, as something else
        slows them as well. Tensors that stay in the L2 cache are faster than the memory roofline; layers
        whose tensors fit in it are left out if they are about as short as a launch. So are multiplications
        that mostly read weights of 4 bits, which have the fewest bytes already. Nothing is reported where
        the GPU computes less than 60% of the time, or waits for launches.

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
        if not (layer.roof.fits_l2 and is_as_short(context, layer))
        if not has_narrowest_weights(context, layer)
    ]
    if not found or not context.is_significant(found, share_percent):
        return
    fits = [layer.roof.fits_l2 for layer in found if layer.roof]
    cached_ms = context.time_ms(layer for layer in found if layer.roof and layer.roof.fits_l2)
    cached = "not known" if None in fits else format_percent(cached_ms / context.time_ms(found))
    yield Hit(
        f"{counted(len(found), 'memory-bound layer')} {takes_time(context, found)}.",
        tuple(slowest_first(found)),
        None,
        {"Time of layers whose data fits in L2": cached},
    )

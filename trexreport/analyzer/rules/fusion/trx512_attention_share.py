"""TRX512 fusion.attention-share."""

from __future__ import annotations

import math

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.caches import dequantizes_cache
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import fused_attentions, has_quantized
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, format_bytes, format_count, format_number, format_percent

#: Part of the minimum share that counts in an engine with quantized multiplications.
_OF_QUANTIZED = 0.5
#: Axes of batch, heads, tokens and the channels of a head.
_HEADS_RANK = 4


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    explains={"layers": ("TRX914",), "share": ("TRX601",)},
    thresholds=(min_share(30.0, "the fused attentions"),),
)
def attention_share(context: Context, *, share_percent: float) -> Hits:
    """Fused attentions take most of the time.

    Cost:
        The time of an attention grows with the number of tokens squared where many are computed at once;
        where one token is decoded, it is that of reading the keys and values of all earlier ones.

    Recommendation:
        [if reads-cache, if fp8: Store the cache of keys and values in FP8.] [if reads-cache, unless
        shares-heads: Let several query heads share one of keys and values (GQA, MQA).] [unless reads-cache:
        Use fewer tokens: pooled keys and values, windows, or smaller inputs.] [if fp8-attention: Q/DQ nodes
        at the inputs of both multiplications let one kernel compute the attention in FP8, if the head size
        suits it.]

    False alarm:
        Long inputs are what the model is for, and the kernel runs as fast as the GPU allows.
        Attentions in FP8 or INT8, with a cache in these types, or about as short as a launch, are
        left out. In an engine with quantized layers half of the share is enough.

    Est. savings:
        Not estimated: it depends on how many tokens are needed.
    """
    found = [
        each
        for each in context.cached(fused_attentions)
        if each.avg_ms and not is_mostly_launch(context, each)
        if QUANTIZED.isdisjoint(context.tensor(use.tensor).data_type for use in each.inputs)
        and not any(dequantizes_cache(context, before) for before in context.predecessors(each))
    ]
    # Where all else is quantized, it is what is left.
    is_left = context.cached(has_quantized)
    layers = context.slowest(found, share_percent * (_OF_QUANTIZED if is_left else 1))
    if not layers:
        return
    yield Hit(
        f"{counted(len(layers), 'fused attention')} {takes_time(context, layers)}{_rate(layers)}.",
        tuple(layers),
        None,
        _types(context, layers)
        | _head_sizes(layers)
        | ({"Moved": format_bytes(_moved(layers))} if _moved(layers) else {}),
    )


def _rate(layers: list[LayerFacts]) -> str:
    """Return how fast the attentions multiply together, where operations limit all; empty if not known."""
    roofs = [each.roof for each in layers if each.work and each.roof and each.roof.roof == "compute"]
    if len(roofs) < len(layers):
        return ""
    time_ms = math.fsum(each.avg_ms or 0.0 for each in layers)
    tflops = math.fsum((each.flops or 0) / 1e9 for each in layers) / time_ms
    reached = math.fsum(each.roof_ms for each in roofs) / time_ms
    return f", at {format_number(tflops)} TFLOP/s, {format_percent(reached)} of the peak"


def _head_sizes(layers: list[LayerFacts]) -> dict[str, str]:
    """Return the extents of heads as evidence, where the shapes show each."""
    sizes = {each.work.k for each in layers if each.work and _splits_heads(each, each.work.k)}
    return {"Head size": ", ".join(map(format_count, sorted(sizes)))} if sizes else {}


def _splits_heads(layer: LayerFacts, size: int) -> bool:
    """Return whether a tensor has an axis for heads beside those for batch, tokens and channels."""
    # One that holds Q, K and V has an axis for these, too.
    packed = len(layer.inputs) == 1
    ranks = [len(use.dimensions) - packed for use in layer.inputs if list(use.dimensions[-1:]) == [size]]
    ranks += [len(use.dimensions) for use in layer.outputs if list(use.dimensions[-1:]) == [size]]
    return max(ranks, default=0) >= _HEADS_RANK


def _types(context: Context, layers: list[LayerFacts]) -> dict[str, str]:
    """Return the types of floating point that the attentions read, as evidence."""
    read = {context.tensor(use.tensor).data_type for each in layers for use in each.inputs} & FLOATS
    return {"Types": ", ".join(sorted(read))} if read else {}


def _moved(layers: list[LayerFacts]) -> int:
    """Return the bytes that layers move together; 0 if not all are known."""
    moved = [each.moved_bytes for each in layers]
    return 0 if None in moved else sum(each or 0 for each in moved)

"""TRX503 fusion.attention-not-fused."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.caches import appends_to_cache
from trexreport.analyzer.rules.copy_kinds import repeats_heads
from trexreport.analyzer.rules.fusion.attention_parts import (
    MAX_HEAD,
    added_products,
    head_sizes,
    passing_scores,
    position_lookups,
    unfused_attentions,
    widens,
)
from trexreport.analyzer.rules.fusion.score_kinds import have_one_query
from trexreport.analyzer.rules.gains import add, from_zero, of_layers
from trexreport.analyzer.rules.layer_names import named_attentions
from trexreport.analyzer.rules.limits import min_gain, percent
from trexreport.analyzer.rules.patterns import is_softmax
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import fused, worthwhile
from trexreport.analyzer.rules.tensor_cores import lacks_tensor_cores
from trexreport.numbers import counted, format_percent, format_shape

#: Of fused attention over separate kernels, from short to long sequences: Dao et al., "FlashAttention", 2022,
#: and Dao, "FlashAttention-2", 2023.
_SPEEDUP = 1.3, 4.0
#: Up to this length the scores are small, and no figures of fused kernels are published.
_MAX_SHORT = 32
#: Fused kernels in INT8: restrictions that NVIDIA's guide lists, in https://github.com/NVIDIA/TensorRT/issues/2981
#: and, for longer ones, https://github.com/NVIDIA/TensorRT/issues/3714.
_MAX_INT8_TOKENS, _INT8_HEADS = 512, frozenset({16, 32, 64})
_SOURCE = "FlashAttention, arXiv:2205.14135 and arXiv:2307.08691"


@built_in_rule(
    "warning",
    needs=(),
    many="{count} attentions are not fused{extent}.",
    thresholds=(
        min_gain(0.5),
        percent(
            "warning_percent",
            20.0,
            "Share of all that are known by name from which on it is a warning, in percent of layer time.",
        ),
    ),
    explains={
        "share": ("TRX205", "TRX601"),
    },
    replaces=True,
)
@worthwhile
def attention_not_fused(context: Context, *, warning_percent: float) -> Hits:
    """An attention is not fused and runs as two matrix multiplications with a softmax between.

    Cost:
        [unless one-query: The scores, sequence length squared per head, are written and read several times. A
        fused kernel keeps them on the chip, so its memory traffic grows with the sequence length and not with
        its square.] [if one-query: The scores are small, and reading K and V takes the time. A fused kernel
        reads them once, without repeated heads, and needs one launch.]

    Recommendation:
        [8.4.., if looks-up: DisentangledAttention_TRT, a plugin of TensorRT, looks up scores of relative
        positions and adds them in one kernel, as DeBERTa needs.] [if looks-up, if wide-indices: Without it,
        cast INT64 indices to INT32, which halves what is read of them.] [if residual-scores: No fused kernel
        hands its scores on to the next attention: train without residual attention (RealFormer; in PatchTST
        res_attention=False).] [if scores-converted: Leave no cast or reformat between Softmax and the
        multiplications: give all three, and the mask, one type; a fused kernel sums in FP32 in any case.] [if
        typed, if scores-converted: Leave out the Cast around Softmax in the ONNX file.] [8.4..10, unless
        typed, if scores-converted: --layerPrecisions with --precisionConstraints=obey states the types of
        single layers.] [if int8-products: Fused kernels in INT8 take up to 512 tokens and heads of 16, 32 or
        64 elements, with Q/DQ nodes at the inputs of both multiplications and behind the second: take the
        Q/DQ nodes out of larger attentions, which are fused in FP16.] [if fp32-products: Use FP16, or BF16
        from TensorRT 9.0 and compute capability 8.0 on, for Q, K and V, as FP32 is not fused.] [if
        also-repeats-heads: Heads of K and V do not have to be repeated: multiply the queries of a group with
        its one head, as rows of one matrix, or use an attention that does so.] [if capped-scores: A soft cap
        of the scores (Tanh, as in Gemma 2) is not part of the pattern that TensorRT fuses: plugins of
        TensorRT-LLM have it.] [if added-scores, unless looks-up: Pass the mask, and positions that are added
        to the scores, as one addition.] [if masked-again: Leave out the mask behind the softmax: what is
        masked before it is zero already, but for rows without any score.] [if unfit-heads: Keep the head size
        a multiple of 8, better of 16 (TensorRT 10.14 and newer pad others), up to 256, and that of V equal to
        that of Q and K: pad the smaller with zeros, or split V.] [..10, unless typed, unless type-flags, if
        no-half: Build it with --fp16.] [unless old-gpu: From TensorRT 10.14 on a network can state an
        attention: IAttention, in ONNX Attention.] A fused one has "mha" or "fmha" in its kernel name.

    False alarm:
        Short sequences, where TensorRT measured separate kernels as faster; scores that another layer reads.
        Up to 32 queries and keys it is information.
        Where a file contains only names, a softmax between two multiplications of one module is information,
        and a warning from `warning-percent` on. Nothing is reported on a GPU without Tensor Cores, which
        fused attention uses.

    Est. savings:
        An estimate: fused attention was published to be 1.3 to 4 times as fast as separate kernels, the more
        the longer the sequence; from 0 where V has another head size than Q and K, where heads are too large
        for a fused kernel, where two softmaxes read the same scores, and where scores are looked up, added by
        another product, or those of another attention. Up to 32 queries and keys, and for one query, what one
        kernel in place of several saves, and reading heads once that are repeated, from 0. Not estimated
        where only names are known and all take less than `warning-percent`.
    """
    if lacks_tensor_cores(context):
        return
    named = list(named_attentions(context.layers))
    named_ms = context.time_ms(each for layers in named for each in layers)
    much = context.share_percent(named_ms) >= warning_percent
    why = ", as FP32 is not fused" if context.allows_only_fp32 else ""
    for layers in named:
        kernels = f"{len(layers)} kernels{timed(context, layers)}"
        message = f"By its names an attention is not fused and runs as {kernels}{why}."
        evidence = {"Identified": "by name"}
        if context.total_ms:
            evidence["Softmax"] = _share(context, layers[:1])
            evidence["Both products"] = _share(context, (layers[1], layers[-1]))
        gain = _gain(layers, is_certain=True) if much else None
        yield Hit(message, layers, gain, evidence, severity="warning" if much else "info")
    readers = Counter(parts[0].index for parts in context.cached(unfused_attentions).values())
    for layer in context.of_kinds(is_softmax):
        found = context.cached(unfused_attentions).get(layer.index)
        if found is None:
            continue
        first, inner, second = found
        looking_up = position_lookups(context, layer, first)
        layers = tuple({each.index: each for each in (layer, first, second, *inner, *looking_up)}.values())
        scores = format_shape(first.outputs[0].dimensions)
        is_short = 0 < max(first.outputs[0].dimensions[-2:], default=0) <= _MAX_SHORT
        sizes = head_sizes(first, second)
        # Two softmaxes of the same scores need them outside of either kernel.
        is_shared = readers[first.index] > 1
        unfit = _unfit_size(first, second, sizes)
        cause = f"{unfit}; its scores are in FP32" if widens(context, first) else unfit
        if looking_up:
            lookups = counted(len(looking_up), "kernel looks up", "kernels look up")
            cause += f"; {lookups} scores of relative positions"
        if adding := added_products(context, layer, first):
            cause += "; another product computes scores that are added, such as of relative positions"
        if passes := layer.index in context.cached(passing_scores):
            cause += "; scores pass from one attention to the next"
        yield Hit(
            f"An attention is not fused and runs as {len(layers)} kernels{timed(context, layers)}{cause}.",
            layers,
            # No figures of short sequences and of one query are published.
            from_zero(_in_one_kernel(context, layers, (first, second)))
            if is_short or have_one_query(context, [layer])
            else _gain(layers, is_certain=not (unfit or is_shared or looking_up or adding or passes)),
            {"Scores": scores, "Type": first.output_precision}
            | ({"Head sizes": f"{sizes[0]} (Q, K), {sizes[1]} (V)"} if sizes else {}),
            severity="info" if is_short else None,
            # A fused kernel reads the heads and writes the result in the layout of the projections.
            affected=_moves_beside(context, first, second),
        )


def _unfit_size(first: LayerFacts, second: LayerFacts, sizes: tuple[int, int] | None) -> str:
    """Return why no fused kernel has the sizes of an attention, after what precedes it; empty if one may."""
    if _is_too_large_for_int8(first, second):
        return "; in INT8 it is too large for a fused kernel"
    if sizes is not None and max(sizes) > MAX_HEAD:
        return f"; heads of {max(sizes)} elements are too large for a fused kernel"
    if sizes is not None and sizes[0] != sizes[1]:
        return f"; the heads of Q and K have {sizes[0]} elements, those of V {sizes[1]}"
    return ""


def _moves_beside(context: Context, first: LayerFacts, second: LayerFacts) -> tuple[LayerFacts, ...]:
    """Return the layers that only move data (transposes) before the products and after the second.

    What appends to a cache stays: its result leaves the engine, or is kept, however the attention reads it.
    """
    beside = (
        *(each for product in (first, second) for each in context.predecessors(product)),
        *context.successors(second),
    )
    moves = (each for each in beside if each.index in context.reformat_of)
    return tuple(each for each in moves if not appends_to_cache(context, each))


def _is_too_large_for_int8(first: LayerFacts, second: LayerFacts) -> bool:
    """Return whether an attention multiplies in INT8 and no fused kernel has its size."""
    if {first.precision, second.precision}.isdisjoint({"INT8"}):
        return False
    sizes = head_sizes(first, second)
    is_long = max(first.outputs[0].dimensions[-2:], default=0) > _MAX_INT8_TOKENS
    return is_long or (sizes is not None and not _INT8_HEADS.issuperset(sizes))


def _share(context: Context, layers: Sequence[LayerFacts]) -> str:
    return f"{format_percent(context.share_percent(context.time_ms(layers)) / 100)} of layer time"


def _in_one_kernel(context: Context, layers: Sequence[LayerFacts], products: Iterable[LayerFacts]) -> Gain:
    """Return what one kernel in place of several saves, and what it reads once that is repeated before."""
    saved = fused(context, layers)
    fewer = [
        (product, 0.0, (product.avg_ms or 0.0) * less / product.moved_bytes)
        for product in products
        if product.moved_bytes and (less := _repeated_bytes(context, product))
    ]
    if not fewer:
        return saved
    gains = [saved, of_layers("estimate", fewer, "less-traffic")]
    return add(gains, context.layer_ms, context.total_ms) or saved


def _repeated_bytes(context: Context, product: LayerFacts) -> float:
    """Return how many bytes of heads a product reads more than there would be without repeating them."""
    return math.fsum(
        (use.size_bytes or 0) * (1 - _part_before(each, math.prod(use.dimensions)))
        for use in product.inputs
        for each in context.producers(use.tensor)
        if repeats_heads(each)
    )


def _part_before(layer: LayerFacts, repeated: int) -> float:
    """Return the heads before a layer repeats them as a part of what it writes; 1 if it is not known.

    Where it also appends to a cache, this is another output.
    """
    sizes = (math.prod(use.dimensions) for use in (*layer.inputs[:1], *layer.outputs))
    before = max((size for size in sizes if 0 < size < repeated), default=0)
    return before / repeated if before else 1.0


def _gain(layers: Sequence[LayerFacts], *, is_certain: bool) -> Gain:
    times = {each.index: (each, each.avg_ms or 0.0) for each in layers}.values()
    least = 1 - 1 / _SPEEDUP[0] if is_certain else 0.0
    ranges = ((each, time_ms * least, time_ms * (1 - 1 / _SPEEDUP[1])) for each, time_ms in times)
    return of_layers("estimate", ranges, GainBasis("published", *_SPEEDUP, (), _SOURCE))

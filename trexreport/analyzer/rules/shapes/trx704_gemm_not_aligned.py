"""TRX704 shapes.gemm-not-aligned."""

from __future__ import annotations

import math
from functools import partial

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.analysis.roofline import LayerRoof
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.limits import min_gain, min_share
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.savings import if_worthwhile
from trexreport.numbers import TIMES, format_percent
from trexreport.regex import regex

#: Row length, in elements, of which rows must be a multiple so that kernels load 16 bytes at a time.
_ALIGNMENT = {"FP16": 8, "BF16": 8, "INT8": 16, "FP8": 16, "INT4": 32, "FP4": 32}
#: What names of kernels say that load or store fewer elements at a time.
_UNALIGNED = regex(r"align[abc]?[124](?!\d)")

#: Operations per byte: less than any GPU's ridge point of its Tensor Cores.
_FEW_OPERATIONS = 16.0
#: Part of a time from which on another one is about as long.
_ABOUT = 0.9
#: Share of the roofline from which on the bytes of a memory-bound layer explain its time, in percent.
_REACHED_PERCENT = 50.0


@built_in_rule(
    "warning",
    many="{count} matrix multiplications have dimensions that are not aligned.",
    needs=("layers", "profile"),
    thresholds=(min_share(0.5, "one layer"), min_gain(0.5)),
    explains={"layers": ("TRX604",), "share": ("TRX605",)},
)
def gemm_not_aligned(context: Context, *, share_percent: float, gain_percent: float) -> list[Hit]:
    """A matrix multiplication has dimensions that are not aligned for Tensor Cores.

    Cost:
        Kernels load 16 bytes at a time where rows begin at multiples of 16 bytes: dimensions of 8 elements in
        FP16 and BF16, 16 in INT8 and FP8, 32 in FP4 and INT4. Others load less at a time, copy to padded
        memory first, or do not use Tensor Cores; the rest of the last tile is padding.

    Recommendation:
        Pad N and K (hidden size, heads, vocabulary, classes, sequence length) with zeros to the next multiple
        in the model, and cut the result. Kernel names with "align1" or "align2" indicate unaligned access.

    False alarm:
        The kernel pads by itself at almost no cost. M (the rows, mostly batch times tokens) is not checked,
        nor are multiplications with a vector. A memory-bound multiplication that reaches half of its roofline
        is left out, as padding adds bytes, and so are one of few operations per byte where the GPU is not
        known, and one that is as near to its roofline as aligned ones. It
        is information where the savings are not estimated.

    Est. savings:
        An estimate: the layer's time minus its roofline time, at the share of the roofline that aligned
        matrix multiplications of this engine reach; not estimated without the GPU's peaks. Where the layer is
        latency-bound and its kernel's name states no unaligned access, from 0 on: something else may slow it.
    """
    return if_worthwhile(context, _unaligned(context, share_percent), gain_percent)


def _unaligned(context: Context, share_percent: float) -> Hits:
    for layer in context.products:
        if not (layer.work and context.is_matmul(layer)):
            continue
        multiple = _ALIGNMENT.get(layer.precision)
        if multiple is None or context.share_percent(layer.avg_ms or 0.0) < share_percent:
            continue
        extents = {"M": layer.work.m, "N": layer.work.n, "K": layer.work.k}
        unaligned = [name for name in ("N", "K") if extents[name] % multiple]
        if not unaligned or min(extents.values()) == 1:
            continue
        gain = above_roof(
            context,
            layer,
            partial(_is_aligned, context),
            is_explained=bool(_UNALIGNED.search(layer.tactic or "")),
        )
        if layer.roof and (gain is None or _is_at_the_bandwidth(layer.roof)):
            continue
        if layer.roof is None and (_has_few_operations(layer) or _is_as_fast_as_aligned(context, layer)):
            continue
        what = " and ".join(f"{name} = {extents[name]}" for name in unaligned)
        multiples = "a multiple" if len(unaligned) == 1 else "multiples"
        yield Hit(
            f"{LAYER} has {what}, not {multiples} of {multiple}, as aligned loads in {layer.precision} "
            f"need{EXTENT}.",
            (layer,),
            gain,
            {
                f"M{TIMES}N{TIMES}K": TIMES.join(str(extent) for extent in extents.values()),
                "Padding adds": format_percent(_padding(layer.work, multiple)),
            },
            severity="info" if gain is None else None,
        )


def _is_at_the_bandwidth(roof: LayerRoof) -> bool:
    """Return whether the bytes of a layer explain its time: padding adds some."""
    return roof.bound == "memory" and (roof.reached_percent or 0.0) >= _REACHED_PERCENT


def _has_few_operations(layer: LayerFacts) -> bool:
    """Return whether a layer has so few operations per byte that memory limits it on any GPU."""
    return layer.work is not None and (layer.work.intensity or math.inf) < _FEW_OPERATIONS


def _is_as_fast_as_aligned(context: Context, layer: LayerFacts) -> bool:
    """Return whether an aligned multiplication with no more operations takes about as long."""
    return any(
        other.precision == layer.precision
        and _is_aligned(context, other)
        and (other.flops or math.inf) <= (layer.flops or 0)
        and (other.avg_ms or 0.0) >= _ABOUT * (layer.avg_ms or 0.0)
        for other in context.products
    )


def _is_aligned(context: Context, layer: LayerFacts) -> bool:
    multiple = _ALIGNMENT.get(layer.precision)
    if not (layer.work and multiple and context.is_matmul(layer)):
        return False
    return not (layer.work.n % multiple or layer.work.k % multiple)


def _padding(work: Operation, multiple: int) -> float:
    """Return the fraction that padding N and K to a multiple adds to the operations."""
    return math.prod(-(-extent // multiple) * multiple / extent for extent in (work.n, work.k)) - 1

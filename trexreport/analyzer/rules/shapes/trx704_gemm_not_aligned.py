"""TRX704 shapes.gemm-not-aligned."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import Operation
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import TIMES, format_percent

#: Elements that rows must be a multiple of so that kernels can load 16 bytes at a time.
_ALIGNMENT = {"FP16": 8, "BF16": 8, "INT8": 16, "FP8": 16, "INT4": 32, "FP4": 32}


@rule(
    "TRX704",
    "shapes.gemm-not-aligned",
    "warning",
    many="{count} matrix products have extents that are not aligned.",
    subject="kernels",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 0.5, 0, 100, "Time of a layer worth naming, in percent of the sum."),
    ),
)
def gemm_not_aligned(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """A matrix product has extents that tensor cores do not take well.

    Cost:
        Kernels load 16 bytes at a time where rows begin at multiples of 16 bytes: extents of 8 elements in
        FP16 and BF16, 16 in INT8 and FP8, 32 in FP4 and INT4. Others load less at a time, copy to padded
        memory first, or do not use tensor cores; the rest of the last tile is computed in vain.

    Advice:
        Pad N and K (hidden size, heads, vocabulary, classes, sequence length) with zeros to the next
        multiple in the model, and cut the result. Look at the kernel's name: "align1" or "align2" gives it
        away.

    False alarm:
        The kernel pads on its own at next to no cost. M (the rows, mostly batch times tokens) is not
        judged, nor products with a vector, which memory bounds.

    Bound:
        What the layer takes beyond its roof, the least time for its operations and bytes; not known without
        the GPU's peaks.
    """
    for layer in context.layers:
        if not (layer.work and context.is_matrix_product(layer)):
            continue
        multiple = _ALIGNMENT.get(layer.precision)
        if multiple is None or context.share_percent(layer.avg_ms or 0.0) < share_percent:
            continue
        extents = {"M": layer.work.m, "N": layer.work.n, "K": layer.work.k}
        odd = [name for name in ("N", "K") if extents[name] % multiple]
        if not odd or min(extents.values()) == 1:
            continue
        what = " and ".join(f"{name} = {extents[name]}" for name in odd)
        yield Hit(
            f"{what} {'is no multiple' if len(odd) == 1 else 'are no multiples'} of {multiple}, which "
            f"{layer.precision} wants; the layer runs{for_time(context, [layer])}.",
            (layer,),
            layer.roof.headroom_ms if layer.roof else None,
            {
                f"M {TIMES} N {TIMES} K": f" {TIMES} ".join(str(extent) for extent in extents.values()),
                "Padded work": format_percent(_padding(layer.work, multiple)),
            },
        )


def _padding(work: Operation, multiple: int) -> float:
    """Return the part that padding N and K to a multiple adds to the work."""
    padded = 1.0
    for extent in (work.n, work.k):
        padded *= -(-extent // multiple) * multiple / extent
    return padded - 1

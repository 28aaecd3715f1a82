"""TRX601 memory.bound-share."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted, format_percent


@rule(
    "TRX601",
    "memory.bound-share",
    "info",
    many="Memory bounds the engine in {count} ways.",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    thresholds=(
        Threshold("share_percent", 50.0, 0, 100, "Time of layers that memory bounds, in percent of the sum."),
    ),
)
def bound_share(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Memory, not arithmetic, bounds most of the time.

    Cost:
        These layers move more bytes for each operation than the GPU can at its peak, so that faster
        arithmetic, such as INT8 in place of FP16 inside a kernel, gains them nothing by itself.

    Advice:
        Move fewer bytes: smaller types for the tensors between layers (quantized inputs and outputs, not
        only weights), fusion of neighbors, no copies and reformats. For products with weights a larger
        batch uses each weight more often.

    False alarm:
        Networks of depthwise convolutions, of pointwise work or of decoding single tokens are so by nature.
        Tensors that stay in the second-level cache are faster than the roof of memory says.

    Bound:
        None here: what each layer could gain is its headroom in the table of the roofline.
    """
    found = [
        layer for layer in context.layers if layer.avg_ms and layer.roof and layer.roof.bound == "memory"
    ]
    share = context.share_percent(context.time_ms(found))
    if not found or share < share_percent:
        return
    cached = context.time_ms(layer for layer in found if layer.roof and layer.roof.fits_l2)
    yield Hit(
        f"{format_percent(share / 100)} of the time is in {counted(len(found), 'layer')} that memory bounds.",
        tuple(found),
        None,
        {"Of it in layers whose data fit in L2": format_percent(context.share_percent(cached) / 100)},
    )

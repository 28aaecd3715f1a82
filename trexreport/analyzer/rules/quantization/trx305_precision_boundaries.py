"""TRX305 quantization.precision-boundaries."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    changes_quantization,
    only_quantizes,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted, format_count


@rule(
    "TRX305",
    "quantization.precision-boundaries",
    "info",
    section="precision",
    subject="movement",
    many="{count} engines change between quantized and float types.",
    thresholds=(
        Threshold("least_count", 4, 1, 1_000_000, "Fewer changes are not told of."),
        Threshold("share_percent", 1.0, 0, 100, "Least share of the time of the conversions."),
    ),
)
def precision_boundaries(context: Context, *, least_count: float, share_percent: float) -> Iterator[Hit]:
    """The data changes between quantized and float types many times.

    Cost:
        Each change costs accuracy, forces a tensor of the wider type into memory, and takes a kernel of its
        own where no layer does it on the way.

    Advice:
        Quantize whole stretches of the network rather than single layers: a boundary is worth its cost only
        if what lies behind it gains more. The graph colored by precision shows where types alternate.

    False alarm:
        One boundary at each float input and output of the network has to be.

    Bound:
        None here: the conversions count with the rules on unfused Q/DQ, islands of float and reformats.
    """
    changing = [layer for layer in context.layers if changes_quantization(layer)]
    apart = [layer for layer in changing if only_quantizes(layer)]
    time_ms = context.time_ms(apart)
    if len(changing) < least_count or (context.total_ms and context.share_percent(time_ms) < share_percent):
        return
    inside = len(changing) - len(apart)
    parts = []
    if apart:
        parts.append(f"{counted(len(apart), 'time')} in layers of their own{for_time(context, apart)}")
    if inside:
        parts.append(f"{counted(inside, 'time')} within a layer")
    yield Hit(
        f"Data changes between quantized and float {counted(len(changing), 'time')}: {'; '.join(parts)}.",
        tuple(sorted(changing, key=lambda layer: -(layer.avg_ms or 0.0))),
        None,
        {"To quantized": format_count(sum(layer.output_precision in QUANTIZED for layer in changing))},
    )

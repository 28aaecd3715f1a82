"""TRX204 reformat.chain."""

from __future__ import annotations

import math

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule, estimate
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.reformat.reformat_places import EACH_PLACE, describe_formats, reformat_places
from trexreport.numbers import format_shape


@built_in_rule(
    "warning",
    many="{count} sequences of reformats could each be a single reformat.",
    thresholds=(EACH_PLACE,),
    explains={"share": ("TRX205",)},
    replaces=True,
)
def chain(context: Context, *, place_percent: float) -> Hits:
    """Several reformats follow each other.

    Cost:
        Each reads and writes the whole tensor; a single reformat could make all the changes.

    Recommendation:
        Look for what separates them: usually a no-op (Reshape, Squeeze, Identity) or a Cast of the model
        between two conversions by TensorRT. Remove the no-op or move it to the other side of the neighboring
        layer. If a conversion precedes a Q node, the Q node can often read the tensor before the conversion.

    False alarm:
        A tensor between two of them that other layers read is needed; such reformats are not listed here.

    Est. savings:
        An estimate: the time of all except the slowest to the time of all except the fastest, as a single
        reformat is likely to take as long as one of them.
    """
    for layers in context.cached(reformat_places).chains:
        if not context.is_significant(layers, place_percent):
            continue
        times = [layer.avg_ms or 0.0 for layer in layers]
        yield Hit(
            f"{len(layers)} reformats follow each other{timed(context, layers)}.",
            tuple(layers),
            estimate(math.fsum(times) - max(times), math.fsum(times) - min(times), "fused-kernel"),
            {"Formats": describe_formats(layers), "Shape": format_shape(layers[-1].outputs[0].dimensions)},
        )

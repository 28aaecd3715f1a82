"""TRX204 reformat.chain."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.reformat.reformat_places import (
    EACH_PLACE,
    describe_formats,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX204",
    "reformat.chain",
    "warning",
    many="{count} times several reformats stand in a row.",
    section="reformats",
    subject="movement",
    thresholds=(EACH_PLACE,),
)
def chain(context: Context, *, place_percent: float) -> Iterator[Hit]:
    """Several reformats stand in a row.

    Cost:
        Each reads and writes the whole tensor; one alone could do the change of all.

    Advice:
        See what separates them: usually a no-op (Reshape, Squeeze, Identity) or a Cast of the model between
        two conversions by TensorRT. Remove the no-op or move it to the other side of the neighboring layer.
        Of a conversion followed by a Q node, the Q node can often read the tensor before the conversion.

    False alarm:
        A tensor that other layers read between two of them is needed; such reformats are not listed here.

    Bound:
        The time of all but the cheapest, as one that does the whole change takes at least as long as it.
    """
    for layers in context.once(reformat_places).chains:
        if not context.may_matter(layers, place_percent):
            continue
        times = [layer.avg_ms or 0.0 for layer in layers]
        yield Hit(
            f"{len(layers)} reformats stand in a row{for_time(context, layers)}.",
            tuple(layers),
            math.fsum(times) - min(times),
            {"Formats": describe_formats(layers), "Shape": describe_shape(layers[-1].outputs[0].dimensions)},
        )

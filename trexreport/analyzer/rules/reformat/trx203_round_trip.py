"""TRX203 reformat.round-trip."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.reformat.reformat_places import (
    EACH_PLACE,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX203",
    "reformat.round-trip",
    "warning",
    many="{count} reformats undo another one.",
    section="reformats",
    subject="movement",
    thresholds=(EACH_PLACE,),
)
def round_trip(context: Context, *, place_percent: float) -> Iterator[Hit]:
    """A reformat turns its input back into what it was before another reformat.

    Cost:
        The same tensor is written again in a format in which it stands in memory already.

    Advice:
        Look for what stood between the two in the model: a Reshape, Transpose, Slice or Cast that became a
        no-op, or an output that is also used inside. Remove it there, or simplify the model (onnxsim,
        Polygraphy's `surgeon sanitize --fold-constants`). If nothing is left to remove, try another version
        of TensorRT and report it: the builder should have seen it.

    False alarm:
        FP32 → FP16 → FP32 rounds on purpose, and INT8 → FP16 → INT8 may change the scale, as before a
        concatenation of tensors with different scales.

    Bound:
        All the time of the second reformat, and of the first if nothing else reads its result.
    """
    for trip in context.once(reformat_places).round_trips:
        if not context.may_matter(trip, place_percent):
            continue
        undoing = trip[0]
        middle = undoing.inputs[0].format
        rest = "nothing else reads it" if len(trip) > 1 else "which exists already"
        yield Hit(
            f"It turns {middle} back into {undoing.outputs[0].format}{for_time(context, trip)}; {rest}.",
            trip,
            context.time_ms(trip),
            {"Shape": describe_shape(undoing.outputs[0].dimensions)},
        )

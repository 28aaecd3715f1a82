"""TRX203 reformat.round-trip."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.analyzer.rules.reformat.reformat_places import EACH_PLACE, reformat_places
from trexreport.model.data_format import is_known_layout
from trexreport.numbers import format_shape


@built_in_rule(
    "warning",
    many="{count} reformats undo another one.",
    thresholds=(EACH_PLACE,),
    explains={"share": ("TRX205",)},
    replaces=True,
)
def round_trip(context: Context, *, place_percent: float) -> Hits:
    """A reformat undoes another reformat.

    Cost:
        The same tensor is written again in a format in which it already exists in memory.

    Recommendation:
        Look for what the model has between the two: a Reshape, Transpose, Slice or Cast that became a no-op,
        or an output that is also used inside. Remove it there, or simplify the model (onnxsim, Polygraphy's
        `surgeon sanitize --fold-constants`). If there is nothing to remove, try another version of TensorRT
        and report the case to NVIDIA.

    False alarm:
        FP32 → FP16 → FP32 may round on purpose, and INT8 → FP16 → INT8 may change the scale, as before a
        concatenation of tensors with different scales.

    Est. savings:
        A bound: the full time of the second reformat, and of the first if nothing else reads its result. What
        reads the tensor then gets the same format as now, so nothing else becomes faster. From 0 where the
        layouts are not stated, so that the second may leave another one than the first found.
    """
    for trip in context.cached(reformat_places).round_trips:
        if not context.is_significant(trip, place_percent):
            continue
        undoing = trip[0]
        middle = undoing.inputs[0].format
        rest = (
            "no other layer reads the intermediate tensor" if len(trip) > 1 else "this tensor already exists"
        )
        yield Hit(
            f"{LAYER} changes {middle} back to {undoing.outputs[0].format}{timed(context, trip)}; {rest}.",
            trip,
            _gain(context, trip),
            {"Shape": format_shape(undoing.outputs[0].dimensions)},
        )


def _gain(context: Context, trip: tuple[LayerFacts, ...]) -> Gain:
    restored = context.tensor(trip[0].outputs[0].tensor)
    is_same = is_known_layout(restored.layout) and len(context.producers(trip[0].outputs[0].tensor)) == 1
    times = [each.avg_ms or 0.0 for each in trip]
    low = times if is_same else [0.0] * len(trip)
    return of_layers("bound", zip(trip, low, times, strict=True), "removed-layers")

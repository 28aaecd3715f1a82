"""TRX201 reformat.type-conversion."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX201",
    "reformat.type-conversion",
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats convert the data type between layers.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def type_conversion(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat converts the data type between two layers.

    Cost:
        It reads and writes a whole tensor and computes nothing, because the layers on its sides run in
        different types.

    Advice:
        Find which side is the odd one. A layer that fell back to FP32 in an FP16 engine: allow it the lower
        type (no --layerPrecisions or FP32 constraint; in TensorRT 11 and with --stronglyTyped, no Cast to
        FP32 around it in the ONNX file). A float layer between quantized ones: give it Q/DQ too. Layers that
        have no kernel in the lower type keep their conversions.

    False alarm:
        Accuracy needs the wider type there. At inputs and outputs of the network it is TRX206's, beside
        plugins TRX207's, in a row with others TRX203's or TRX204's; what Q/DQ nodes left over is TRX301's.

    Bound:
        All the time of the reformat.
    """
    found = context.once(reformat_places).type_conversions
    if not context.may_matter(found, share_percent):
        return
    for layer in found:
        if context.may_matter([layer], place_percent):
            before, after = (context.facts(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
            too = "" if before.layout == after.layout else " and changes the layout"
            yield Hit(
                f"It converts {before.data_type} to {after.data_type}{too}{for_time(context, [layer])}.",
                (layer,),
                layer.avg_ms,
                describe_place(context, layer),
            )

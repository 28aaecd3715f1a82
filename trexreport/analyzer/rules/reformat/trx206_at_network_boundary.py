"""TRX206 reformat.at-network-boundary."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
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
    "TRX206",
    "reformat.at-network-boundary",
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats convert inputs or outputs of the network.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def at_network_boundary(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat converts an input or output of the network.

    Cost:
        Inputs and outputs are FP32 in the plain layout unless asked for otherwise; the first layer then waits
        for a pass over the whole input, and FP32 takes twice the bytes of FP16, also between host and device.

    Advice:
        TensorRT 8 to 10: ask for the type and layout that the layer reads, with
        --inputIOFormats=fp16:chw (fp16:hwc8, int8:chw4, ...) and --outputIOFormats, or ITensor's
        `setAllowedFormats`; --directIO, until it was deprecated in 10.7, makes the builder fail rather than
        reformat. TensorRT 11 and --stronglyTyped take the type from the ONNX file: make the input FP16
        there; the option then takes layouts only (--inputIOFormats=hwc8). A quantized input (int8) is
        quantized by the caller with the scale of the first Q node.

    False alarm:
        The caller has FP32 data and would have to convert it elsewhere, which is seldom faster. Not all
        layouts can be asked for: three channels padded to four (NHWC4) can't, the type alone can, and eight
        (fp16:hwc8) if the caller pads them. Where only that layout differs it is information.

    Bound:
        All the time of the reformat.
    """
    found = context.once(reformat_places).at_boundary
    if not context.may_matter([layer for layer, _ in found], share_percent):
        return
    for layer, side in found:
        if context.may_matter([layer], place_percent):
            change = f"from {layer.inputs[0].format} to {layer.outputs[0].format}"
            yield Hit(
                f"It turns an {side} of the network {change}{for_time(context, [layer])}.",
                (layer,),
                layer.avg_ms,
                describe_place(context, layer),
                severity="info" if _only_pads_to_four(context, layer) else None,
            )


def _only_pads_to_four(context: Context, layer: LayerFacts) -> bool:
    """Tell whether a reformat makes a layout that no option asks for and leaves the type as it is."""
    before, after = (context.facts(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
    return after.layout == "NHWC4" and before.data_type == after.data_type

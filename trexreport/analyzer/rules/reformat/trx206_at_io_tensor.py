"""TRX206 reformat.at-io-tensor."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.reformat import reformat_rule
from trexreport.analyzer.rules.reformat.reformat_places import (
    EACH_PLACE,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit
from trexreport.analyzer.rules.savings import untimed_as_info, without_conversion

#: Three channels padded to four, as graph files and logs state it.
_FOUR = frozenset({"NHWC4", "NC/4"})
#: Below this share of layer time, in percent, another layout is not worth the padding in the application.
_PADDING_PERCENT = 5.0


@reformat_rule(
    "warning",
    former_name="reformat.at-network-boundary",
    many="{count} reformats convert I/O tensors.",
    thresholds=(min_share(2.0, "all places together"), EACH_PLACE),
    explains={"share": ("TRX205", "TRX305")},
)
@untimed_as_info
def at_io_tensor(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat converts an I/O tensor.

    Cost:
        I/O tensors are FP32 in the linear layout unless the builder is given another one; the first layer
        then waits for a pass over the whole input, and FP32 takes twice the bytes of FP16, also between host
        and device.

    Recommendation:
        [..10, unless typed, unless same-type: Request the type that the layer reads, with
        --inputIOFormats=fp16:chw or int8:chw, and --outputIOFormats for an output.] [..10, unless typed:
        Request the layout, too (fp16:hwc8, int8:chw4), in code with ITensor's `setAllowedFormats`.]
        [..10.6: --directIO makes the builder fail instead of reformatting.] [if typed, unless same-type:
        Give the I/O tensor that type in the ONNX file.] [if typed: Request the layout with
        --inputIOFormats=hwc8.] [unless same-type: A quantized input is quantized by the application with
        the scale of the first Q node.]

    False alarm:
        The application has FP32 data and would have to convert it elsewhere, which is rarely faster. Not all
        layouts can be requested: three channels padded to four (NHWC4) cannot, the type alone can, and eight
        (hwc8) if the application pads the channels. Where only that layout differs the finding is
        information, and there is none below 5% of layer time, nor without a profile; the others are
        information without a profile. Nothing is reported where the I/O tensors are inferred from the layers
        that a log lists.

    Est. savings:
        An estimate: up to the full time of the reformat; less if only the type can be requested, so that a
        change of the layout remains with fewer bytes, or may remain where the layouts are not stated.
    """
    found = context.cached(reformat_places).at_io_tensors
    if not context.knows_io_tensors or not context.is_significant([each[0] for each in found], share_percent):
        return
    padding = {layer.index for layer, _ in found if _only_pads_to_four(context, layer)}
    padded = [context.layers[each] for each in padding]
    is_cheap = not context.total_ms or not context.is_significant(padded, _PADDING_PERCENT)
    for layer, side in found:
        if layer.index in padding and is_cheap:
            continue
        if context.is_significant([layer], place_percent):
            change = f"from {layer.inputs[0].format} to {layer.outputs[0].format}"
            yield Hit(
                f"{LAYER} converts an {side} of the engine {change}{EXTENT}.",
                (layer,),
                of_layers("estimate", [(layer, *without_conversion(context, layer))], "removed-layers"),
                describe_place(context, layer),
                severity="info" if layer.index in padding else None,
            )


def _only_pads_to_four(context: Context, layer: LayerFacts) -> bool:
    """Return whether a reformat only pads to a layout that no option can request."""
    before, after = (context.tensor(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
    return after.layout in _FOUR and before.data_type == after.data_type

"""Rules on reformats where TensorRT meets what is not its own: the caller, and plugins."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_formats,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.wording import describe_shape, for_time
from trexreport.numbers import counted


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


@rule(
    "TRX207",
    "reformat.around-plugin",
    "warning",
    needs=("layers", "profile"),
    many="{count} plugins have reformats beside them.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def around_plugin(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A plugin has reformats beside it.

    Cost:
        A plugin takes and gives the types and layouts that its author wrote it for, often FP32 or FP16 in the
        plain layout. Its neighbors' data is converted before it and back behind it.

    Advice:
        Let the plugin support what its neighbors use: more combinations in `supportsFormatCombination`
        (FP16 or INT8; kHWC8, kCHW32). Or replace it by operations that TensorRT has itself: InstanceNorm and
        GroupNorm became layers (INormalizationLayer) in 8.6, and are fused by Myelin since 10.

    False alarm:
        The plugin was timed in both layouts and is slower in the other by more than the reformats take.

    Bound:
        All the time of the reformats beside the plugin; the plugin's own time is not counted.
    """
    found = context.once(reformat_places).around_plugins
    if not context.may_matter([layer for _, layers in found for layer in layers], share_percent):
        return
    for plugin, layers in found:
        if context.may_matter(layers, place_percent):
            formats = dict.fromkeys(describe_formats([layer]) for layer in layers)
            yield Hit(
                f"{counted(len(layers), 'reformat')} beside it run{'s' if len(layers) == 1 else ''}"
                f"{for_time(context, layers)}.",
                (plugin, *layers),
                context.time_ms(layers),
                {"Formats": "; ".join(formats), "Shape": describe_shape(layers[0].outputs[0].dimensions)},
            )

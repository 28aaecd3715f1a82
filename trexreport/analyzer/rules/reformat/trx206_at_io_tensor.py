"""TRX206 reformat.at-io-tensor."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import takewhile

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import FLAG
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.io_formats import (
    io_format_inside,
    is_requested_already,
    mostly_pads_inside,
    type_inside,
)
from trexreport.analyzer.rules.launches import are_few_launches, with_launches_halved
from trexreport.analyzer.rules.layer_names import named_io_reformats
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import changes_quantization
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.reformat.reformat_places import (
    EACH_PLACE,
    describe_place,
    layout_is_hidden,
    reformat_places,
)
from trexreport.analyzer.rules.savings import untimed_by_bytes, without_conversion

#: Three channels padded to four, as graph files and logs state it.
_FOUR = frozenset({"NHWC4", "NC/4"})
_REQUESTED = frozenset({"--inputIOFormats", "--outputIOFormats"})
#: Below this share of layer time, in percent, another layout is not worth the padding in the application.
_PADDING_PERCENT = 5.0
#: Nor is it, below this one, that the application quantizes, as it may have to where only names are known.
_QUANTIZING_PERCENT = _NAMED_PERCENT = 2.5
#: From this share on those known by name are a warning.
_MUCH_PERCENT = 10.0
#: From this number of outputs on, each with a reformat, joining them is worth it.
_MANY_OUTPUTS = 4


@built_in_rule(
    "warning",
    needs=(),
    former_name="reformat.at-network-boundary",
    many="{count} reformats convert I/O tensors{extent}.",
    thresholds=(min_share(1.0, "all places together"), EACH_PLACE),
    explains={"share": ("TRX205", "TRX305")},
)
@untimed_by_bytes
def at_io_tensor(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A reformat converts an I/O tensor.

    Cost:
        I/O tensors are FP32 in the linear layout unless the builder is given another one. The wider type
        takes twice the bytes (FP32 those of FP16, INT64 those of INT32), also between host and device.

    Recommendation:
        [if whole: Export the model with INT32 inputs and outputs in place of INT64, and let the application
        use INT32.] [unless quantizes, unless before-dla, unless whole, unless pads-inside: Let the
        application use what the engine has on the other side, {Inside|such as fp16:chw or fp16:hwc8}.]
        [unless quantizes, unless before-dla, unless whole, if pads-inside, unless linear-outputs: Let the
        application use the type alone, {Inside|such as fp16:chw}: the layout inside pads the channels.] [if
        linear-outputs: Join outputs of few channels with a Concat along the channels: one reformat then takes
        the place of many. Or request the padded layout, such as fp16:hwc8, if the application reads it on the
        GPU, as its copies to the host would be larger.] [if before-dla: Let the application use what a DLA
        reads, such as fp16:dla_hwc4 or int8:dla_linear.] [..10, unless typed, unless quantizes, unless whole,
        unless linear-outputs: Request it with --inputIOFormats or --outputIOFormats (one format for each
        tensor), or in code with ITensor's `setAllowedFormats`.] [if pinned, unless whole: The build requests
        the linear layout (chw), so that layers with another one need a reformat.] [if typed, unless
        same-type, unless quantizes, unless whole: Give the I/O tensor that type in the ONNX file.] [if typed,
        unless linear-inside, unless quantizes, unless whole: Request the layout with --inputIOFormats or
        --outputIOFormats.] [if untyped, unless no-layer-information: Layer information of
        --profilingVerbosity=detailed shows which it is.] [if quantizes, unless before-dla, unless at-output,
        unless untyped, unless quantized-alone: Only the application can save it: it has to quantize, and to
        provide {Inside|the format inside, such as int8:chw4}.] [if quantizes, if at-output, unless untyped,
        unless quantized-alone: Only the application can save it: it has to read {Inside|the format inside,
        such as int8:chw4}, and to dequantize.] [if quantizes, if explicit, unless before-dla, unless
        at-output, unless untyped, unless quantized-alone: The scale is that of the first Q node, which the
        model then leaves out.] [..10, if quantizes, unless explicit, unless typed, unless before-dla, unless
        untyped, unless quantized-alone: Without Q/DQ nodes the scale is that of the calibration, or of the
        tensor's dynamic range.] [if quantizes, if quantized-alone, unless untyped: One layer alone is
        quantized, which saves little: leave it in FP16, and let the application provide the input in that
        type.]

    False alarm:
        The application has FP32 data, and converting it elsewhere is rarely faster. Three channels padded to
        four (NHWC4) cannot be requested, the type alone can, and eight (hwc8) if the application pads the
        channels; a layout that makes an input larger, as 32 channels for three, is not advised. It is
        information where only a layout differs that cannot be requested, without a profile, and for layers
        known from a log or by name. Left out are those below 64 KiB, fewer than four that are as short as a
        launch, and, where only that layout differs or they quantize an input, those below 2.5% to 5% of layer
        time.

    Est. savings:
        An estimate: up to the full time of the reformat; less if only the type can be requested, so that a
        change of the layout remains with fewer bytes, or may remain where the layouts are not stated. From 0
        where the application has to quantize instead.
    """
    yield from _by_name(context, share_percent)
    at_ends = set() if context.knows_io_tensors else _at_ends(context)
    found = _found_at(context, at_ends)
    joined = _to_be_joined(context, found)
    found = [each for each in found if each[0].index in joined or not _is_requested(context, each[0])]
    if are_few_launches(context, [layer for layer, _ in found]):
        return
    padding = {layer.index for layer, _ in found if _only_pads_to_four(context, layer)}
    found = _without_small(context, found, padding)
    counted_ms = with_launches_halved(context, [layer for layer, _ in found])
    if context.total_ms and context.share_percent(counted_ms) < share_percent:
        return
    for layer, side in found:
        if not context.is_significant([layer], place_percent):
            continue
        is_joined = layer.index in joined
        low, high = (0.0, layer.avg_ms or 0.0) if is_joined else _saved_ms(context, layer)
        pads = not is_joined and mostly_pads_inside(context, layer)
        if pads and 0 < context.total_ms * share_percent / 100 > high:
            continue
        change = (
            f"converts an {side} of the engine from {layer.inputs[0].format} to {layer.outputs[0].format}"
        )
        if layout_is_hidden(context, layer):
            change = f"changes the layout of an {side} of the engine, which is not stated"
        informs = changes_quantization(layer) and not context.is_significant([layer], _PADDING_PERCENT)
        yield Hit(
            f"{LAYER} {change}{EXTENT}.",
            (layer,),
            of_layers("estimate", [(layer, low, high)], "removed-layers"),
            describe_place(context, layer) | ({} if is_joined else _inside(context, layer)),
            severity="info" if informs or layer.index in padding or layer.index in at_ends else None,
        )


def _found_at(context: Context, at_ends: Collection[int]) -> list[tuple[LayerFacts, str]]:
    """Return the reformats at I/O tensors, or at the ends of an engine whose I/O tensors are not known."""
    requested = any(_REQUESTED & set(FLAG.findall(command)) for command in context.analysis.commands)
    return [
        (layer, side)
        for layer, side in context.cached(reformat_places).at_io_tensors
        if context.knows_io_tensors
        or layer.index in at_ends
        or (requested and layout_is_hidden(context, layer))
    ]


def _without_small(
    context: Context, found: list[tuple[LayerFacts, str]], padding: Collection[int]
) -> list[tuple[LayerFacts, str]]:
    """Leave out those that pad, and with times those that quantize, if all of them together take little."""
    padded = [context.layers[each] for each in padding]
    if not context.total_ms or not context.is_significant(padded, _PADDING_PERCENT):
        found = [each for each in found if each[0].index not in padding]
    quantizing = [layer for layer, _ in found if changes_quantization(layer)]
    if context.total_ms and not context.is_significant(quantizing, _QUANTIZING_PERCENT):
        found = [each for each in found if not changes_quantization(each[0])]
    return found


def _to_be_joined(context: Context, found: Sequence[tuple[LayerFacts, str]]) -> set[int]:
    """Return the reformats of many outputs of few channels, of which one output would need only one."""
    few = {
        layer.index
        for layer, side in found
        if side == "output" and layer.avg_ms and is_requested_already(context, layer)
    }
    return few if len(few) >= _MANY_OUTPUTS else set()


def _saved_ms(context: Context, layer: LayerFacts) -> tuple[float, float]:
    """Return what is saved at least and at most."""
    low, high = without_conversion(context, layer)
    # A layer that pads stays, and the application may have to quantize instead.
    high = low if mostly_pads_inside(context, layer) else high
    return (0.0 if changes_quantization(layer) else low), high


def _inside(context: Context, layer: LayerFacts) -> dict[str, str]:
    """Return the format inside of the engine as options name it, or another type alone, as evidence."""
    inside = io_format_inside(context, layer) or type_inside(context, layer)
    return {"Inside": inside} if inside else {}


def _at_ends(context: Context) -> set[int]:
    """Return the reformats that change a type before the first layer that computes and after the last one.

    Those at the end only with a profile: without one a list may be cut there.
    """
    passed = {"Constant", "NoOp"}
    lists = [context.layers, context.layers[::-1]] if context.total_ms else [context.layers]
    found: set[int] = set()
    for layers in lists:
        ends = takewhile(lambda each: context.is_reformat(each) or each.type in passed, layers)
        found.update(
            each.index
            for each in ends
            if context.is_reformat(each) and "data type" in context.reformat_of[each.index].change
        )
    return found


def _by_name(context: Context, share_percent: float) -> Hits:
    """Yield what by name reformats the first layer's input, or the last one's output.

    As information unless it takes much: what it changes is not known.
    """
    if not context.total_ms:
        return
    share_percent = max(share_percent, _NAMED_PERCENT)
    inputs = named_io_reformats(context.layers, "input")
    outputs = [] if context.lacks_layers else named_io_reformats(context.layers, "output")
    found = context.slowest([*inputs, *outputs], share_percent)
    is_much = context.is_significant(found, _MUCH_PERCENT)
    of_inputs = {each.index for each in inputs}
    for layer in found:
        side = "input" if layer.index in of_inputs else "output"
        yield Hit(
            f"By its name and place {LAYER} converts an {side} of the engine{EXTENT}.",
            (layer,),
            of_layers("estimate", [(layer, 0.0, layer.avg_ms or 0.0)], "removed-layers"),
            {"Identified": "by name"},
            severity=None if is_much else "info",
        )


def _is_requested(context: Context, layer: LayerFacts) -> bool:
    """Return whether the I/O tensor has the format inside already, so that no option saves its reformat."""
    return not _only_pads_to_four(context, layer) and is_requested_already(context, layer)


def _only_pads_to_four(context: Context, layer: LayerFacts) -> bool:
    """Return whether a reformat only pads to a layout that no option can request."""
    before, after = (context.tensor(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
    return after.layout in _FOUR and before.data_type == after.data_type

"""The formats of I/O tensors as trtexec's options name them."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.build_flags import FIRST_WITHOUT
from trexreport.analyzer.rules.patterns import changes_quantization
from trexreport.analyzer.rules.reformat.reformat_places import reformat_places
from trexreport.numbers import join_names
from trexreport.regex import regex

#: Three channels padded to four.
_PADS_TO_FOUR = "NHWC4"
#: Short name of a layout to that of the options.
_LAYOUTS = {
    "linear": "chw",
    "NHWC": "hwc",
    "NHWC8": "hwc8",
    "NHWC16": "hwc16",
    "NDHWC8": "dhwc8",
    "NC/2HW2": "chw2",
    "NC/4HW4": "chw4",
    "NC/16HW16": "chw16",
    "NC/32HW32": "chw32",
    # It cannot be requested; the type alone can.
    _PADS_TO_FOUR: "chw",
}
#: How many channels a layout stores together: 8 of "hwc8".
_UNIT = regex(r"\d+$", re.ASCII)
_TYPES = {"FP32": "fp32", "FP16": "fp16", "BF16": "bf16", "INT8": "int8", "FP8": "fp8"}


def io_format_inside(context: Context, layer: LayerFacts) -> str:
    """Return the format that a reformat of an I/O tensor has on its other side: "fp16:hwc8".

    Args:
        context: The engine.
        layer: The reformat.

    Returns:
        The layout alone from TensorRT 11 on, whose options state no types; empty where the format is not
        known or no option names it.
    """
    if not layer.inputs or not layer.outputs:
        return ""
    is_input = _reads_input(context, layer)
    tensor = context.tensor((layer.outputs if is_input else layer.inputs)[0].tensor)
    layout, name = _LAYOUTS.get(tensor.layout, ""), _TYPES.get(tensor.data_type, "")
    dimensions = (layer.outputs if is_input else layer.inputs)[0].dimensions
    if layout and (mostly_pads_inside(context, layer) or math.prod(dimensions[2:]) == 1):
        # To copy the padding to or from the host takes more than the other layout saves, and without
        # height and width there is none: the I/O tensor itself often has two dimensions.
        layout = "chw"
    if not layout or not name:
        return ""
    return layout if context.version is not None and context.version >= FIRST_WITHOUT else f"{name}:{layout}"


def type_inside(context: Context, layer: LayerFacts) -> str:
    """Return the type on the other side of a reformat of an I/O tensor; empty if it is not another one."""
    if layer.precision == layer.output_precision:
        return ""
    inside = layer.outputs if _reads_input(context, layer) else layer.inputs
    return _TYPES.get(context.tensor(inside[0].tensor).data_type, "")


def formats_inside(
    context: Context, side: str, types: Collection[str] = _TYPES.keys() - {"FP32"}
) -> dict[str, str]:
    """Return the formats inside of inputs or outputs that reformats convert, as options name them.

    As evidence, so that rules that advise narrower I/O tensors name the formats that save the reformats, too.

    Args:
        context: The engine.
        side: "input" or "output".
        types: Those that are advised.
    """
    layers = [layer for layer, at in context.cached(reformat_places).at_io_tensors if at == side]
    found = dict.fromkeys(
        inside + (" (the application then quantizes)" if changes_quantization(layer) else "")
        for layer in layers
        if (layer.output_precision if side == "input" else layer.precision) in types
        and (inside := io_format_inside(context, layer))
    )
    return {f"Proposed {side} formats": join_names(list(found), "or")} if found else {}


def mostly_pads_inside(context: Context, layer: LayerFacts) -> bool:
    """Return whether the layout inside pads channels so that only the type is worth requesting.

    It makes an input larger than it is outside, or is mostly padding of an output.
    """
    source, result = layer.inputs[0], layer.outputs[0]
    if not _reads_input(context, layer):
        return _is_mostly_padding(_LAYOUTS.get(context.tensor(source.tensor).layout, ""), source.dimensions)
    # Padding to four channels adds little, and no option names that layout.
    is_wide = (layout := context.tensor(result.tensor).layout) in _LAYOUTS and layout != _PADS_TO_FOUR
    return is_wide and (result.size_bytes or 0) > (source.size_bytes or math.inf)


def only_type_can_be_requested(context: Context, layer: LayerFacts) -> bool:
    """Return whether the layout inside pads channels, and no option names it or it is not worth the bytes."""
    if not layer.inputs or not layer.outputs:
        return False
    inside = (layer.outputs if _reads_input(context, layer) else layer.inputs)[0]
    return mostly_pads_inside(context, layer) or context.tensor(inside.tensor).layout == _PADS_TO_FOUR


def is_requested_already(context: Context, layer: LayerFacts) -> bool:
    """Return whether an I/O tensor has the format of the engine's other side, as far as options name it."""
    if not layer.inputs or not layer.outputs:
        return False
    uses = layer.inputs if _reads_input(context, layer) else layer.outputs
    outside = context.tensor(uses[0].tensor)
    inside = io_format_inside(context, layer).split(":")
    return _LAYOUTS.get(outside.layout) == inside[-1] and layer.precision == layer.output_precision


def _reads_input(context: Context, layer: LayerFacts) -> bool:
    return context.is_input(layer.inputs[0].tensor) or not context.is_output(layer.outputs[0].tensor)


def _is_mostly_padding(layout: str, extents: Sequence[int]) -> bool:
    """Return whether at least half of what a layout stores is padding of the channels."""
    unit = _UNIT.search(layout)
    return unit is not None and len(extents) > 1 and 0 < 2 * extents[1] <= int(unit[0])

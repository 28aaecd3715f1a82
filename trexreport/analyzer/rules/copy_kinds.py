"""What a copy is for, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from itertools import permutations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.reformats import is_reformat
from trexreport.analyzer.rules.caches import appends_to_cache, orders_cache
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.convolution.channels import is_depthwise
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.layer_tests import AnyLayer, Test, alike, all_layers, any_layer
from trexreport.analyzer.rules.move_kinds import cut_windows
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_fused_attention,
    looks_up,
    operations,
)
from trexreport.analyzer.rules.pixel_shuffles import pixel_factor, shuffles_pixels
from trexreport.model.data_format import BITS

#: What copies do that names no other purpose of a cast.
_ALONGSIDE_CAST = frozenset({"Cast", "Move", "Reshape"})
#: Operations of kernels and ONNX nodes that repeat values.
_REPEATS = frozenset({"Replicate", "Broadcast", "Expand", "Tile"})
#: A kernel of these operations that also puts zeros before the rows shifts them, as attention with relative
#: positions (Transformer-XL, Conformer) does.
_SHIFTS, _BEFORE_SHIFTS = frozenset({"Reshape", "Slice"}), frozenset({"Pad", "Concat", "Replicate"})
_INTEGERS = frozenset({"INT32", "INT64"})
_SCATTERS = frozenset({"Scatter", "ScatterElements", "ScatterND"})
#: Part of what lookups move from which on the type of their indices matters.
_MUCH_OF_LOOKUP = 0.25
#: Operations by which a copy is described, and how many at most.
_COPYING = _SCATTERS | {"Concat", "Gather", "Pad", "Reshape", "Slice", "Split", "Transpose"}
_MAX_OPERATIONS = 2
#: Operations that hand on values as they are.
_VIEWS = frozenset({"Reshape", "Unsqueeze", "Squeeze"})
#: What splits heads or joins them; a Concat appends to a cache, and others repeat heads.
_SPLITS_HEADS = frozenset({"Move", "Reshape", "Slice", "Transpose"})
#: Batch items, heads (or groups and heads of each), tokens, elements of a head.
_OF_HEADS = 4
#: Channels of an image, whose extents are as those of heads.
_GRAY_TO_COLOR = (1, 3)
#: Batch items, channels, height, width.
_OF_IMAGES = 4


def repeats_heads(layer: LayerFacts) -> bool:
    """Return whether a layer repeats heads of keys or values, one for each query of its group.

    One that also appends to a cache writes both, the cache and the repeated heads.
    """
    if _REPEATS.isdisjoint(copied(layer)):
        return False
    read = (*layer.inputs[:1], *layer.outputs)
    return any(
        _has_more_heads(before.dimensions, after.dimensions) for after in layer.outputs for before in read
    )


def _has_more_heads(before: Sequence[int], after: Sequence[int]) -> bool:
    """Return whether the second of two tensors has more heads than the first, and else is as large."""
    if min(len(before), len(after)) < _OF_HEADS or before[0] != after[0]:
        return False
    heads = math.prod(before[1:-2]), math.prod(after[1:-2])
    # Tokens and elements of a head stay as many, perhaps in the other order.
    return sorted(before[-2:]) == sorted(after[-2:]) and 0 < heads[0] < heads[1] and heads != _GRAY_TO_COLOR


def _repeats_heads_before(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer repeats heads, or reads what does."""
    return repeats_heads(layer) or any(map(repeats_heads, context.predecessors(layer)))


def _folds_batch(_: Context, layer: LayerFacts) -> bool:
    """Return whether a layer makes the items of a batch channels of one item, or channels items again."""
    shapes = {tuple(use.dimensions) for use in (*layer.inputs[:1], *layer.outputs[:1])}
    if len(shapes) != 2 or any(len(each) < _OF_IMAGES for each in shapes):
        return False
    one, many = sorted(shapes)
    return one[0] == 1 and one[1:] == (math.prod(many[:2]), *many[2:])


def handles_heads(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only moves values between a product and a fused attention, to or from heads."""
    splits = bool(layer.operations) and _SPLITS_HEADS.issuperset(layer.operations)
    return splits and _is_beside_attention(context, layer)


def _is_beside_attention(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is between a product and a fused attention."""
    return any(
        any(is_fused_attention(context, each) for each in near)
        and any(is_conv_or_matmul(context, each) for each in far)
        for near, far in permutations((context.predecessors(layer), context.successors(layer)))
    )


def _only_casts(_: Context, layer: LayerFacts) -> bool:
    """Return whether a layer casts a type to itself and does nothing else."""
    return "Cast" in copied(layer) and _ALONGSIDE_CAST.issuperset(layer.operations)


def _follow_casts(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers read what was converted to another type; None if some do, or there are none.

    What a product writes, and what a layer makes of its own result, is not converted between them.
    """
    converting = context.cached(_converting)
    found = {
        _begins_with_cast(layer) or any(each.index in converting for each in context.predecessors(layer))
        for layer in layers
    }
    return found.pop() if len(found) == 1 else None


def _begins_with_cast(layer: LayerFacts) -> bool:
    return next((each for each in layer.operations if each not in _VIEWS), "") == "Cast"


def _converting(context: Context) -> set[int]:
    """Return the layers that convert what they read, without those that a depthwise convolution needs."""
    return {
        layer.index
        for layer in context.layers
        if ("Cast" in layer.operations or layer.precision != layer.output_precision)
        and not is_conv_or_matmul(context, layer)
        and not any(map(is_depthwise, context.predecessors(layer)))
    }


def shifts_rows(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer shifts the rows of a product, each by one more, and writes no longer ones.

    It pads, reshapes and slices in this order; windows that move, as in Swin, slice and join first.
    """
    found = list(operations(layer))
    if not _SHIFTS.issubset(found) or _BEFORE_SHIFTS.isdisjoint(found) or len(layer.inputs) != 1:
        return False
    if "Slice" not in found[found.index("Reshape") :]:
        return False
    before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    writers = context.predecessors(layer, context.is_reformat)
    return (
        list(before[:-1]) == list(after[:-1])
        and list(before[-1:]) >= list(after[-1:])
        and all(is_conv_or_matmul(context, each) for each in writers)
    )


def _scatter_by_data(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers scatter to places that are computed, or an input; None if some do."""
    scattering = (each for each in layers if not copied(each).isdisjoint(_SCATTERS))
    return alike(_depends_on_data(context, each) for each in scattering)


def _depends_on_data(context: Context, layer: LayerFacts) -> bool:
    """Return whether integers that a layer reads are not constant: the places of what it scatters."""
    live = activations(context, layer)
    return any(context.tensor(each).data_type in _INTEGERS for each in live)


def _fit_general_advice(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether layers do nothing that other advice is about; None if some do."""
    found = alike(_has_own_advice(context, each) for each in layers if not is_reformat(each))
    return None if found is None else not found


def _has_own_advice(context: Context, layer: LayerFacts) -> bool:
    found = copied(layer)
    return (
        shuffles_pixels(layer)
        or shifts_rows(context, layer)
        or _folds_batch(context, layer)
        or cut_windows(context, [layer])
        or repeats_heads(layer)
        or handles_heads(context, layer)
        or appends_to_cache(context, layer)
        or orders_cache(context, layer)
        or not found.isdisjoint({"Pad", "Gather"} | _SCATTERS)
    )


def purpose_of_copy(context: Context, layer: LayerFacts) -> str:
    """Return what a layer that only copies data does for the model, else by which operations it does so."""
    purpose = next((text for text, is_so in _PURPOSES if is_so(context, layer)), "")
    if purpose:
        return purpose
    done = {"Scatter" if each in _SCATTERS else each for each in copied(layer) if each in _COPYING}
    return f"by {' and '.join(sorted(done)[:_MAX_OPERATIONS]) or 'Move'}"


#: What copies do for a model, the first that is so.
_PURPOSES: Sequence[tuple[str, Callable[[Context, LayerFacts], bool | None]]] = (
    ("for shifted rows", shifts_rows),
    ("for a batch in the channels", _folds_batch),
    (
        "for a cache that grows and heads of K and V that are repeated",
        lambda context, layer: appends_to_cache(context, layer) and repeats_heads(layer),
    ),
    ("for a cache that grows", appends_to_cache),
    ("for the order of beams in a cache", orders_cache),
    ("for heads of K and V that are repeated", lambda _, layer: repeats_heads(layer)),
    ("for the heads of an attention", handles_heads),
    ("for a pixel shuffle", lambda _, layer: shuffles_pixels(layer)),
    ("for windows", lambda context, layer: cut_windows(context, [layer])),
)


def _join_alike(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether all that layers join has one type and layout already; None if some does."""
    joins = (each for each in layers if "Concat" in copied(each))
    return alike(len(_formats_read(context, each)) == 1 for each in joins)


def _formats_read(context: Context, layer: LayerFacts) -> set[str]:
    live = activations(context, layer)
    return {use.format for use in layer.inputs if use.tensor in live}


def _converts_lookup(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer converts to a narrower floating-point type what was all looked up in tables."""
    if layer.output_precision not in FLOATS or BITS[layer.output_precision] >= BITS.get(layer.precision, 0):
        return False
    before = context.predecessors(layer)
    return bool(before) and all(
        reads_table(context, each) or reads_places_alone(context, each) for each in before
    )


def picks_elements(_: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads an index for each element that it writes."""
    return layer.attributes.get("GatherMode") == "ELEMENT" or "GatherElements" in copied(layer)


def read_wide_indices(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether INT64 indices are much of what lookups read and write."""
    found = list(filter(looks_up, layers))
    uses = [use for each in found for use in each.inputs]
    wide = [use.size_bytes or 0 for use in uses if context.tensor(use.tensor).data_type == "INT64"]
    return sum(wide) >= _MUCH_OF_LOOKUP * sum(each.moved_bytes or 0 for each in found) > 0


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
COPY_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "picks-elements": (all_layers(picks_elements), "For GatherElements"),
    "wide-indices": (read_wide_indices, "With INT64 indices"),
    "enlarges": (all_layers(lambda _, layer: pixel_factor(layer) > 1), "DepthToSpace"),
    "makes-image": (lambda _, layers: any(pixel_factor(layer) > 1 for layer in layers), ""),
    "reduces": (all_layers(lambda _, layer: 0 < pixel_factor(layer) < 1), "SpaceToDepth"),
    "repeats-heads": (AnyLayer(repeats_heads), "Heads of K and V that are repeated (GQA)"),
    "also-repeats-heads": (any_layer(_repeats_heads_before), ""),
    "heads": (any_layer(handles_heads), "Heads of an attention"),
    "before-attention": (any_layer(_is_beside_attention), ""),
    "only-casts": (all_layers(_only_casts), "Cast"),
    "casts-between": (_follow_casts, "With a cast between"),
    "gathers": (all_layers(lambda _, layer: "Gather" in copied(layer)), "Gather"),
    "shifts": (all_layers(shifts_rows), "Shifted rows"),
    "converts-lookups": (all_layers(_converts_lookup), "Behind a lookup in a table"),
    "folds-batch": (all_layers(_folds_batch), "For a batch in the channels"),
    "scatters-by-data": (_scatter_by_data, "To places that depend on data"),
    "joins-alike": (_join_alike, "Where its inputs are of one type and layout"),
    "plain-copies": (_fit_general_advice, "For other copies"),
    "also-plain": (_fit_general_advice, ""),
}


def reads_table(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer looks up elements of a table of values that is constant; it may join them."""
    if layer.type != "Gather" and "Gather" not in layer.operations:
        return False
    live = set(activations(context, layer))
    constant = (context.tensor(use.tensor) for use in layer.inputs if use.tensor not in live)
    return any(each.data_type in FLOATS | QUANTIZED for each in constant)


def reads_places_alone(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer looks up values at places and reads nothing else that a file lists: a table."""
    read = {context.tensor(each).data_type for each in activations(context, layer)}
    return looks_up(layer) and read <= _INTEGERS and layer.output_precision in FLOATS


def sums_up(_: Context, layer: LayerFacts) -> bool:
    """Return whether a layer scatters more elements than it writes, so that several meet at one place."""
    if copied(layer).isdisjoint(_SCATTERS):
        return False
    written = max((math.prod(use.dimensions) for use in layer.outputs), default=0)
    return any(math.prod(use.dimensions) > written for use in layer.inputs)

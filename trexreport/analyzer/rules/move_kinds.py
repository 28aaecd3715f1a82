"""Why layers that only move data are there, where advice depends on it: see `advice.py`."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from itertools import takewhile

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.convolution.channels import elements
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.layer_names import is_named_move, is_named_reformat
from trexreport.analyzer.rules.layer_tests import Test, alike
from trexreport.analyzer.rules.moves import change_of, copy_concatenations, copy_filled, copy_unfilled
from trexreport.analyzer.rules.patterns import changes_quantization, is_pointwise
from trexreport.regex import regex

#: From this number on reformats around normalizations are worth a sentence.
SEVERAL = 4
_OF_NORMALIZATION = regex(
    r" (?:to|for) .*(?:Layer|Group|Instance|RMS)_?Norm(?:alization)?(?:_\d+)?(?:[^A-Za-z/][^/]*)?$", re.ASCII
)
_NORMALIZATION = regex(
    r"(?:Layer|Group|Instance|RMS)_?Norm(?:alization)?(?:_\d+)?(?:[^A-Za-z/][^/]*)?$", re.ASCII
)
#: What TensorRT calls copies around a change of the shape.
_SHAPE_COPY = regex(r"_copy_(?:input|output)(?:_\d+)?$", re.ASCII)
#: Transposes that converters of TensorFlow and Keras insert around convolutions: "Transpose__108" and
#: "conv2d/Conv2D__6" of tf2onnx, of keras2onnx "conv2d/transpose_3".
_CONVERTED = regex(
    r"(?:^|/)(?:Transpose|Conv2D|convolution|depthwise|MaxPool(?:2d)?|AvgPool)__\d+$", re.ASCII
)
#: The layout that each operation reads.
LINEAR = "linear"
_CHOOSES = frozenset({"TopK", "ArgMax", "ArgMin", "NMS", "NonMaxSuppression"})
_MATRIX_RANK = 2
#: Batch items, tokens, channels.
_ROWS_RANK = 3
#: What moves the rows and columns of an image around its edges, as windows that are shifted.
_ROLLING = frozenset({"Concat", "Slice"})
#: Part of the time of all these layers that those at the end of the network take at least, and transposes.
_MUCH = 0.2


def transpose_for_channels_last(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether several layers are the transposes of a model that was exported with channels last.

    They count among the kernels of nodes of the model, not among copies and reformats that TensorRT inserts.
    """
    found = [each for each in layers if any(_CONVERTED.search(node) for node in each.name.split(" + "))]
    return len(found) > 1 and _is_much(context, found, _own_moves(context, layers))


def copy(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether many of the copies among the layers are of parts of a Concat or Split."""
    return _are_many_copies(context, layers, lambda each: not _SHAPE_COPY.search(each.name))


def copy_for_shapes(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether many of the copies among the layers are for a change of the shape."""
    return _are_many_copies(context, layers, lambda each: bool(_SHAPE_COPY.search(each.name)))


def _are_many_copies(
    context: Context, layers: Sequence[LayerFacts], is_kind: Callable[[LayerFacts], bool]
) -> bool:
    found = list(filter(_copies(context), layers))
    return _is_much(context, list(filter(is_kind, found)), found)


def serve_normalizations(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether several layers are reformats before or behind a normalization."""
    return len(around_normalizations(context, layers)) >= SEVERAL


def around_normalizations(context: Context, layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the reformats before or behind a normalization, by their names, or behind its activation."""
    normalizing = context.cached(_normalizations)
    return [
        layer
        for layer in layers
        if not _copies(context)(layer)
        and (
            _OF_NORMALIZATION.search(layer.name)
            or any(each.index in normalizing for each in context.predecessors(layer))
        )
    ]


def _normalizations(context: Context) -> set[int]:
    """Return the normalizations, and the pointwise layers that read the result of one alone."""
    found = {layer.index for layer in context.layers if _NORMALIZATION.search(layer.name)}
    found -= context.reformat_of.keys()
    return found | {
        layer.index
        for layer in filter(is_pointwise, context.layers)
        if len(before := context.predecessors(layer)) == 1 and before[0].index in found
    }


def convert(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether reformats that TensorRT inserts between layers are among the layers."""
    return any(_converting(context, layers))


def write_outputs(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether the reformats among the layers write outputs of the engine; None if many do."""
    found = _converting(context, layers)
    last = [each for each in found if any(context.is_output(use.tensor) for use in each.outputs)]
    return None if _is_much(context, last, found) and len(last) < len(found) else last == found


def _change_types(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any of the reformats among the layers changes the type."""
    return any(each.precision != each.output_precision for each in _converting(context, layers))


def _write_several_outputs(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether several of the reformats among the layers write outputs of the engine."""
    found = _converting(context, layers)
    return sum(any(context.is_output(use.tensor) for use in each.outputs) for each in found) > 1


def read_inputs(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether most reformats among the layers, by time, read inputs of the engine; None if many do."""
    found = _converting(context, layers)
    first = [each for each in found if _reads_input(context, each)]
    if not _is_much(context, first, found) or not context.knows_io_tensors:
        return False
    return True if context.time_ms(first) >= context.time_ms(found) / 2 and context.total_ms else None


def _converting(context: Context, layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the reformats, without those that quantize an input, which the application alone can save."""
    return [
        each
        for each in layers
        if is_named_reformat(each)
        or (each.index in context.reformat_of and context.reformat_of[each.index].kind == "reformat")
        if not _copies(context)(each)
        if not changes_quantization(each) or not _reads_input(context, each)
    ]


def _reads_input(context: Context, layer: LayerFacts) -> bool:
    return any(context.is_input(use.tensor) for use in layer.inputs)


def are_last(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether layers at the end of the network, after the last that computes, take much of it."""
    indices = {each.index for each in layers}
    backwards = (each for each in reversed(context.layers) if not each.structural)
    moving = takewhile(
        lambda each: (
            each.index in indices
            or context.is_reformat(each)
            or is_named_reformat(each)
            or is_named_move(each)
        ),
        backwards,
    )
    return _is_much(context, _own_moves(context, [each for each in moving if each.index in indices]), layers)


def have_linear_side(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether reformats change from or to the linear layout; None if some do."""
    return alike(
        LINEAR in {context.tensor(use.tensor).layout for use in (*each.inputs[:1], *each.outputs[:1])}
        for each in layers
    )


def are_beside_regions(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether the linear layout is that of Myelin regions alone; None for some of the layers."""
    sides = (linear_neighbors(context, each) for each in layers)
    return alike(bool(beside) and all(map(context.is_opaque, beside)) for beside in sides)


def linear_neighbors(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers on the side of a reformat that has the linear layout; none if neither side has."""
    before, after = (context.tensor(use.tensor).layout for use in (layer.inputs[0], layer.outputs[0]))
    if after == LINEAR:
        return context.successors(layer, _copies(context))
    return _origins(context, layer) if before == LINEAR else []


def _origins(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers before one whose layout it reads: pointwise ones and copies between take any."""
    found = context.predecessors(layer, _copies(context))
    while len(found) == 1 and is_pointwise(found[0]):
        before = context.predecessors(found[0])
        if not before or any(context.is_reformat(each) for each in before):
            break
        found = before
    return found


def are_beside_choice(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a layer beside sorts or chooses, which no option gives another type."""
    beside = (near for each in layers for near in (*context.predecessors(each), *context.successors(each)))
    return any(not copied(each).isdisjoint(_CHOOSES) for each in beside)


def are_beside_convolutions(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer reads from a convolution, or writes to one."""
    return any(
        context.is_convolution(near)
        for each in layers
        for near in (*context.predecessors(each), *context.successors(each))
    )


def are_own_moves(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether kernels of nodes of the model that only move data take much of the layers' time."""
    return _is_much(context, _own_moves(context, layers), layers)


def _own_moves(context: Context, layers: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that are nodes of the model."""
    return [
        each
        for each in layers
        if is_named_move(each)
        or (each.index in context.reformat_of and context.reformat_of[each.index].kind == "kernel")
    ]


def cut_windows(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer cuts an image or a sequence into windows, or joins them again."""
    return any("Roll" in each.operations or _changes_items(each) or _rolls(context, each) for each in layers)


def _rolls(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer joins the slices of its one input in another order, beside one of windows."""
    if not _ROLLING.issuperset(layer.operations) or len(layer.inputs) != 1 or len(layer.outputs) != 1:
        return False
    beside = (*context.predecessors(layer), *context.successors(layer))
    return elements(layer.inputs[0]) == elements(layer.outputs[0]) and any(map(_changes_items, beside))


def _changes_items(layer: LayerFacts) -> bool:
    """Return whether a layer reshapes so that the first extent, that of batch items, changes.

    One that joins or divides extents keeps only channels, unlike one that splits heads of an attention.
    """
    if "Reshape" not in layer.operations or not layer.inputs or not layer.outputs:
        return False
    if not {"Broadcast", "Replicate"}.isdisjoint(layer.operations):
        return False  # It may repeat an item for a batch.
    before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    if min(len(before), len(after)) <= _MATRIX_RANK or min(before[0], after[0]) <= 0:
        return False
    if len(before) == len(after) == _ROWS_RANK and before[1] == after[1]:
        return False  # Each row is divided among the heads, or joined from them.
    if len(before) != len(after) and (
        before[-1] != after[-1] or not set(before[1:-1]).isdisjoint(after[1:-1])
    ):
        return False
    return before[0] != after[0]


def _is_much(context: Context, part: Sequence[LayerFacts], layers: Sequence[LayerFacts]) -> bool:
    if not context.total_ms:
        return bool(part)
    return context.time_ms(part) >= _MUCH * context.time_ms(layers) > 0


def _copies(context: Context) -> Callable[[LayerFacts], bool]:
    return lambda layer: change_of(context, layer) == "copy"


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
MOVE_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "channels-last-model": (transpose_for_channels_last, "For transposes of a model with channels last"),
    "copies": (copy, "Copies"),
    "nested-copies": (copy_concatenations, "Of concatenations that grow (DenseNet)"),
    "filled-copies": (copy_filled, "For parts of one type and layout"),
    "shape-copies": (copy_for_shapes, "Copies"),
    "at-norms": (serve_normalizations, "Around normalizations"),
    "unfilled": (copy_unfilled, "For channels that do not fill the units of the layout"),
    "converts": (convert, "Reformats"),
    "from-inputs": (read_inputs, "At inputs of the engine"),
    "to-outputs": (write_outputs, "At outputs of the engine"),
    "changes-types": (_change_types, ""),
    "several-outputs": (_write_several_outputs, ""),
    "no-layer-information": (lambda context, _: context.exports_no_layers, ""),
    "hides": (lambda context, _: bool(context.opaque), "Where regions hide what they compute"),
    "linear-side": (have_linear_side, "With the linear layout on one side"),
    "linear-region": (are_beside_regions, "Beside a region that needs the linear layout"),
    "beside-choice": (are_beside_choice, "Beside TopK, ArgMax and suppression"),
    "beside-convolutions": (are_beside_convolutions, "Beside convolutions"),
    "own-moves": (are_own_moves, "Kernels that only move data"),
    "windows": (cut_windows, "For windows"),
    "last": (are_last, "At the end of the network"),
}

"""Group the reformats by cause, each under one cause.

A reformat with several causes counts for the first of: it undoes another (TRX203), it follows another
(TRX204), it converts an I/O tensor (TRX206), it is next to a plugin (TRX207), it converts the data type
(TRX201), it changes the layout (TRX202). Left out are reformats that only copy and, inside the network, those
that remain of Q/DQ nodes, which TRX301 reports.

TensorRT inserts a "Reformatting CopyNode" for a tensor of a layer only where their formats differ. Where a
log states no layouts and the types are equal, the layouts differ.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.engine.dla import dla_use, waits_for_one_part
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_pointwise, only_consumer
from trexreport.model.data_format import BITS, is_known_layout
from trexreport.numbers import format_bytes, format_shape
from trexreport.regex import regex

#: Thresholds that these rules share.
ALL_PLACES = min_share(0.5, "all places together")
EACH_PLACE = min_share(0.05, "one place", name="place_percent")
#: Reformats beside plugins that are worth a warning by themselves, in percent of layer time.
MUCH_BESIDE = 2.5


#: Operations of a generated kernel whose whole effect is visible in formats and dimensions.
_KEEPS_ORDER = frozenset({"Cast", "Move"})
#: Layers that read and write any layout, so that the format of a plugin beside them is theirs, too.
_KEEPS_FORMAT = frozenset({"Padding", "Resize", "Slice"})
#: Layers that move data in the linear layout, so that only the type of a plugin beside them is theirs.
_KEEPS_TYPE = frozenset({"Concat", "Concatenation", "Gather", "Shuffle"})
#: The name of a reformat between a layer and one of its inputs or outputs.
_INSERTED = regex(r"^Reformatting CopyNode for (?:In|Out)put Tensor \d+ to ", re.ASCII)


@dataclass
class ReformatPlaces:
    """The reformats of an engine by cause, each in one list only.

    Attributes:
        round_trips: The reformat that undoes, then the undone one if nothing else reads its result.
        chains: In execution order, at least two each.
        at_io_tensors: With "input" or "output".
        around_plugins: A plugin with the reformats next to it.
    """

    round_trips: list[tuple[LayerFacts, ...]] = field(default_factory=list)
    chains: list[list[LayerFacts]] = field(default_factory=list)
    at_io_tensors: list[tuple[LayerFacts, str]] = field(default_factory=list)
    around_plugins: list[tuple[LayerFacts, list[LayerFacts]]] = field(default_factory=list)
    type_conversions: list[LayerFacts] = field(default_factory=list)
    layout_changes: list[LayerFacts] = field(default_factory=list)


def reformat_places(context: Context) -> ReformatPlaces:
    """Return the reformats of an engine by cause; call it through `Context.cached`."""
    found = ReformatPlaces()
    handed_over = _of_dla(context)
    left = {
        index: context.layers[index]
        for index, reformat in sorted(context.reformat_of.items())
        if reformat.change not in ("copy", "not stated")
        if index not in handed_over
    }
    _take_round_trips(context, left, found)
    _take_chains(context, left, found)
    for index in sorted(context.reformat_of):
        layer = context.layers[index]
        if index not in left and not layout_is_hidden(context, layer):
            continue
        if side := _io_side(context, layer):
            left.pop(index, None)
            found.at_io_tensors.append((layer, side))
    left = {index: layer for index, layer in left.items() if not _is_left_over(layer)}
    _take_plugins(context, left, found)
    for index, layer in left.items():
        converts = "data type" in context.reformat_of[index].change
        (found.type_conversions if converts else found.layout_changes).append(layer)
    return found


def _of_dla(context: Context) -> set[int]:
    """Return the transfers that TRX911 alone is about: waiting for the DLA's only part, or between parts."""
    use = context.cached(dla_use)
    transfers, parts = ({each.index for each in layers} for layers in (use.transfers, use.on_dla))
    if waits_for_one_part(context):
        return transfers

    def passes(layer: LayerFacts) -> bool:
        return layer.index in transfers

    def is_between(layer: LayerFacts) -> bool:
        sides = context.predecessors(layer, passes), context.successors(layer, passes)
        return all(side and parts.issuperset(each.index for each in side) for side in sides)

    return {each.index for each in use.transfers if is_between(each)}


def layout_is_hidden(context: Context, layer: LayerFacts) -> bool:
    """Return whether a reformat certainly changes layouts that the file does not state."""
    if context.reformat_of[layer.index].change != "not stated" or not _INSERTED.match(layer.name):
        return False
    neighbors = (*context.predecessors(layer), *context.successors(layer))
    if all(each.type == "Constant" for each in neighbors):
        return False  # A constant is copied to an output.
    tensors = [context.tensor(use.tensor) for use in (*layer.inputs[:1], *layer.outputs[:1])]
    # Where the types are not known either, as with dynamic shapes, it may change these alone.
    return all(each.data_type in BITS and not is_known_layout(each.layout) for each in tensors)


def _is_left_over(layer: LayerFacts) -> bool:
    """Return whether a reformat is what remains of a Q or DQ node."""
    return layer.attributes.get("Origin") == "QDQ"


def _take_round_trips(context: Context, left: dict[int, LayerFacts], found: ReformatPlaces) -> None:
    for layer in list(left.values()):
        undone = _undone(context, layer)
        if undone is None or undone.index not in left or layer.index not in left:
            continue
        trip = [left.pop(layer.index)]
        if only_consumer(context, undone) is layer:
            trip.append(left.pop(undone.index))
        found.round_trips.append(tuple(trip))


def _undone(context: Context, layer: LayerFacts) -> LayerFacts | None:
    """Return the reformat whose change a reformat undoes."""
    if len(layer.inputs) != 1:
        return None
    writers = context.producers(layer.inputs[0].tensor)
    if len(writers) != 1 or not context.is_reformat(writers[0]) or len(writers[0].inputs) != 1:
        return None
    if not _KEEPS_ORDER.issuperset([*layer.operations, *writers[0].operations]):
        return None
    before, after = writers[0].inputs[0], layer.outputs[0]
    same = (before.format, before.dimensions) == (after.format, after.dimensions)
    # INT8 to INT8 may change the scale: the rules on Q/DQ look at that.
    return writers[0] if same and not (_is_left_over(layer) and _is_left_over(writers[0])) else None


def _take_chains(context: Context, left: dict[int, LayerFacts], found: ReformatPlaces) -> None:
    for index in list(left):
        if index not in left:
            continue
        chain = [left[index]]
        while (reader := only_consumer(context, chain[-1])) is not None and reader.index in left:
            chain.append(reader)
        if len(chain) < 2 or all(_is_left_over(layer) for layer in chain):
            continue
        found.chains.append(chain)
        for layer in chain:
            del left[layer.index]


def _io_side(context: Context, layer: LayerFacts) -> str:
    """Return "input" or "output" if a reformat converts an I/O tensor; an input may be transposed before."""
    before = [
        use for source in context.predecessors(layer) if source.type == "Shuffle" for use in source.inputs
    ]
    if any(context.is_input(use.tensor) for use in [*layer.inputs, *before]):
        return "input"
    return "output" if any(context.is_output(use.tensor) for use in layer.outputs) else ""


def _take_plugins(context: Context, left: dict[int, LayerFacts], found: ReformatPlaces) -> None:
    for plugin in context.plugins:
        if not left:
            return
        sides = (
            (context.predecessors, plugin.inputs, "outputs", "inputs"),
            (context.successors, plugin.outputs, "inputs", "outputs"),
        )
        adjacent: dict[int, None] = {}
        for step, uses, beside, beyond in sides:
            formats = {context.tensor(use.tensor).format for use in uses}
            layouts = {context.tensor(use.tensor).layout for use in uses}
            keeps_layout = partial(_keeps_layout, context)
            near, _ = search([plugin], step, _keeps_format)
            far, passed = search([plugin], step, partial(_keeps_type, context))
            far = [each for each in (*far, *_other_parts(context, passed)) if _converts_type(context, each)]
            ends, _ = search([plugin], step, keeps_layout)
            behind = {each.index for each in ends if _change(context, each) == "layout"}
            beside_plugin = {each.index: each for each in (*near, *far, *ends) if each.index in left}
            for _, each in sorted(beside_plugin.items()):
                inner, outer = getattr(each, beside), getattr(each, beyond)
                if beside == "inputs" and context.tensor(each.outputs[0].tensor).format in formats:
                    inner, outer = outer, inner  # It converts another part of what the plugin's result joins.
                tensor = context.tensor(inner[0].tensor)
                has_its_layout = each.index in behind and tensor.layout in layouts
                if tensor.format not in formats and not has_its_layout:
                    continue
                if _bits(context, outer) <= _bits(context, inner):
                    adjacent[each.index] = None
        if adjacent:
            found.around_plugins.append((plugin, [left.pop(index) for index in adjacent]))


def _other_parts(context: Context, passed: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that write the other parts of what some layers copy a part of."""
    written = dict.fromkeys(use.tensor for each in passed for use in each.outputs)
    return [each for tensor in written for each in context.producers(tensor)]


def _keeps_format(layer: LayerFacts) -> bool:
    return is_pointwise(layer) or layer.type in _KEEPS_FORMAT


def _keeps_type(context: Context, layer: LayerFacts) -> bool:
    return _keeps_format(layer) or layer.type in _KEEPS_TYPE or _change(context, layer) == "copy"


def _keeps_layout(context: Context, layer: LayerFacts) -> bool:
    """Return whether what a plugin forces on the layers beside it goes on behind a layer: its layout."""
    return _keeps_format(layer) or _change(context, layer) == "data type"


def _change(context: Context, layer: LayerFacts) -> str:
    reformat = context.reformat_of.get(layer.index)
    return "" if reformat is None else reformat.change


def _bits(context: Context, uses: Sequence[TensorUse]) -> int:
    """Return the width of what a reformat reads or writes: the wider type is not needed by the other side."""
    return BITS.get(context.tensor(uses[0].tensor).data_type, 0)


def _converts_type(context: Context, layer: LayerFacts) -> bool:
    return "data type" in _change(context, layer)


def describe_formats(layers: Sequence[LayerFacts]) -> str:
    """Return the formats through successive reformats: "FP32 linear → FP16 NHWC8"."""
    steps = [layers[0].inputs[0].format, *(layer.outputs[0].format for layer in layers)]
    return " → ".join(steps)


def describe_place(context: Context, layer: LayerFacts) -> dict[str, str]:
    """Return what a reformat changes and moves, and its neighbors, as evidence."""
    evidence = {
        "Format": describe_formats([layer]),
        "Shape": format_shape(layer.outputs[0].dimensions),
        "Producers": _types(context.predecessors(layer)),
        "Consumers": _types(context.successors(layer)),
        "Moves": format_bytes(layer.moved_bytes) if layer.moved_bytes else "",
    }
    return {label: text for label, text in evidence.items() if text}


def _types(layers: Sequence[LayerFacts]) -> str:
    return ", ".join(dict.fromkeys(layer.type for layer in layers))

"""The layers that only move data, by kind: each kind has another cause and another fix."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, Context
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.layer_names import (
    is_named_copy,
    is_named_move,
    is_named_part,
    named_pixel_shuffles,
)
from trexreport.analyzer.rules.pixel_shuffles import shuffles_pixels
from trexreport.regex import regex

#: What they are called: one, several.
_REFORMATS, _COPIES = ("reformat", "reformats"), ("copy", "copies")
#: Copies of the parts of a Concat or Split, where others are for changes of the shape.
_OTHER_COPIES = ("other copy", "other copies")
PARTS = ("copy of a Concat or Split", "copies of Concat and Split")
KERNELS = ("data movement kernel", "data movement kernels")
#: Layouts that store channels in units: "NC/32HW32", "NHWC8".
_UNIT = regex(r"(?:^NC/|^NHWC)(\d+)", re.ASCII)
#: Part of the copies from which on they are mostly of one kind.
_MOST = 0.5


def moves_by_kind(context: Context) -> dict[tuple[str, str], list[LayerFacts]]:
    """Return the layers that only move data by what they are called, those with the most time first.

    Call it through `Context.cached`.

    With a profile only those that take time: a file lists reformats that became none.
    """
    shuffles = named_pixel_shuffles(context.layers)
    transfers = {layer.index for layer in context.cached(dla_use).transfers}
    found: dict[tuple[str, str], list[LayerFacts]] = {_REFORMATS: [], _COPIES: [], KERNELS: []}
    for index in sorted(context.reformat_of.keys() | {layer.index for layer in context.untyped}):
        layer = context.layers[index]
        if index in transfers or (context.total_ms and not layer.avg_ms) or _is_needed(layer):
            continue
        if layer.index in context.reformat_of:
            reformat = context.reformat_of[layer.index]
            kind = _COPIES if change_of(context, layer) == "copy" else _REFORMATS
            found[kind if reformat.kind == "reformat" else KERNELS].append(layer)
        elif is_named_move(layer) and layer.index not in shuffles:
            found[KERNELS].append(layer)
    parts = [each for each in found[_COPIES] if is_named_part(each)]
    if parts and len(parts) < len(found[_COPIES]):
        found[_OTHER_COPIES] = [each for each in found.pop(_COPIES) if not is_named_part(each)]
        found[PARTS] = parts
    return dict(sorted(found.items(), key=lambda item: -context.time_ms(item[1])))


def _is_needed(layer: LayerFacts) -> bool:
    """Return whether a layer is a pixel shuffle, by its extents."""
    return layer.type != "Reformat" and shuffles_pixels(layer)


def change_of(context: Context, layer: LayerFacts) -> str:
    """Return what a layer changes: as its formats show it, else as its name does."""
    reformat = context.reformat_of.get(layer.index)
    change = "not stated" if reformat is None else reformat.change
    return "copy" if change == "not stated" and is_named_copy(layer) else change


def parts_beside(context: Context, layers: Sequence[LayerFacts]) -> dict[int, list[LayerFacts]]:
    """Return for each layer the copies of parts of a Concat or Split beside it, each once.

    With them go those of the other parts, also where a layer itself writes one.
    """
    copies = context.cached(_part_copies)
    found: dict[int, list[LayerFacts]] = {layer.index: [] for layer in layers}
    taken: set[int] = set()
    for layer in layers if copies else ():
        beside = (*context.predecessors(layer), *context.successors(layer))
        own = {each.index: each for each in beside if each.index in copies}
        # All parts of a Concat write one tensor.
        written = dict.fromkeys(use.tensor for each in (layer, *own.values()) for use in each.outputs)
        for tensor in written:
            own |= {each.index: each for each in context.producers(tensor) if each.index in copies}
        found[layer.index] = [each for index, each in own.items() if index not in taken]
        taken.update(own)
    return found


def copied_parts(context: Context, reformats: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the copies of parts of a Concat that reformats read or write."""
    parts = parts_beside(context, reformats)
    return [each for layer in reformats for each in parts[layer.index] if joins_part(context, each)]


def joins_part(context: Context, layer: LayerFacts) -> bool:
    """Return whether a copy writes a part of a Concat, as its origin or the other parts show."""
    is_one_of_several = any(len(context.producers(use.tensor)) > 1 for use in layer.outputs)
    return is_one_of_several or layer.attributes.get("Origin") == "CONCAT"


def is_nested(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer copies a concatenation into another one."""
    copies = context.is_reformat(layer) and joins_part(context, layer)
    return copies and any(len(context.producers(use.tensor)) > 1 for use in layer.inputs)


def copy_concatenations(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether most of the copies among the layers are of a concatenation into another one."""
    copies = [each for each in layers if change_of(context, each) == "copy"]
    nested = [each for each in copies if is_nested(context, each)]
    if context.total_ms:
        return context.time_ms(nested) >= _MOST * context.time_ms(copies) > 0
    return len(nested) >= _MOST * len(copies) > 0


def copy_unfilled(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether copies are of tensors whose channels do not fill the units of the layout."""
    return any(_is_unfilled(context, each) for each in layers if change_of(context, each) == "copy")


def copy_filled(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether all copies are of parts of a Concat that a layer could write in place.

    Their channels fill the units of the layout, and they have no scales, which may differ.
    """
    copies = [each for each in layers if change_of(context, each) == "copy"]
    return bool(copies) and all(
        each.index in context.reformat_of
        and context.reformat_of[each.index].origin == "CONCAT"
        and each.precision in FLOATS
        and not _is_unfilled(context, each)
        for each in copies
    )


def _is_unfilled(context: Context, layer: LayerFacts) -> bool:
    for use in layer.inputs:
        unit = _UNIT.match(context.tensor(use.tensor).layout)
        if unit and len(use.dimensions) > 1 and use.dimensions[1] > 0:
            return use.dimensions[1] % int(unit[1]) != 0
    return False


def _part_copies(context: Context) -> frozenset[int]:
    """Return the reformats that take time and copy."""
    reformats = map(context.layers.__getitem__, context.reformat_of)
    return frozenset(each.index for each in reformats if each.avg_ms and change_of(context, each) == "copy")

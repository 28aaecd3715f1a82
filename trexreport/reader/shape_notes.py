"""Note tensors of which layers state different shapes that no view of a tensor explains."""

from __future__ import annotations

import math
import operator
import re
from collections import Counter
from collections.abc import Sequence
from typing import TypeAlias

from trexreport.model import Binding, InputWarning, Layer
from trexreport.model.torn_tensors import bound_names
from trexreport.numbers import format_shape, list_names
from trexreport.reader.impossible import quoted
from trexreport.regex import regex

#: A value: the name of a tensor, and the number of writes before it.
_Value: TypeAlias = tuple[str, int]
#: Batch, channels and at least two more.
_LEAST_RANK = 4
#: Layers and kernels of Myelin that read a part of a tensor.
_CHOOSES = regex(r"slic|sele|gath|spli|crop|topk", re.ASCII | re.IGNORECASE)
_CHOOSING = frozenset({"Slice", "Gather", "Select", "TopK", "Resize"})
#: What is written may have padding, as channels up to a multiple.
_PADDED = 1.4


def unlike_shapes(layers: Sequence[Layer], bindings: Sequence[Binding], name: str) -> list[InputWarning]:
    """Return the note that layers state different shapes of one tensor, if they do.

    Args:
        layers: All of the engine.
        bindings: Its inputs and outputs.
        name: That of the file.
    """
    unlike = {**_differing(layers), **_partly_read(layers, bindings)}
    if not unlike:
        return []
    message = f"Tensors whose shapes differ from layer to layer: {list_names([*unlike.values()], 3)}."
    hint = "Export the layer information again: the file was changed, or joined from several engines."
    return [InputWarning("degraded", "unlike-shapes", message, name, ("memory", "layers"), hint)]


def _differing(layers: Sequence[Layer]) -> dict[str, str]:
    """Return by name how the shapes of tensors differ that no view explains.

    Views change the rank, and parts of a concatenation have fewer channels. Myelin writes the projections of
    an attention into one buffer whose first extent counts them, and heads are views of a part. Parts of a
    concatenation within another, as of a cost volume, fill its buffer together. Only tensors of equally many
    extents, at least four, of which two or more differ, are no such case: there are none in the engines seen.
    """
    first: dict[_Value, tuple[int, ...]] = {}
    unlike: dict[str, str] = {}
    filled: Counter[_Value] = Counter()
    for layer in layers:
        for tensor in (*layer.inputs, *layer.outputs):
            extents = tensor.dimensions
            if len(extents) < _LEAST_RANK or min(extents) < 1:
                continue
            value = tensor.name, tensor.version
            known = first.setdefault(value, extents)
            differ = len(known) == len(extents) and sum(map(operator.ne, known, extents)) > 1
            if not differ or _may_be_views(known, extents):
                continue
            # Counted once, and of few engines.
            filled = filled or _filled(layers)
            if not _is_part(known, extents, filled[value]):
                text = f"{quoted(tensor.name)} ({format_shape(known)} and {format_shape(extents)})"
                unlike.setdefault(tensor.name, text)
    return unlike


def _partly_read(layers: Sequence[Layer], bindings: Sequence[Binding]) -> dict[str, str]:
    """Return by name the tensors of which a part seems to be read by nothing.

    Their readers state fewer elements of the same rank, and each value is written once. Readers that choose a
    part, or one element of an axis but the first, explain it. So does another rank: heads of an attention are
    views.
    """
    rewritten: set[_Value] = set()
    written: dict[_Value, tuple[int, ...]] = {}
    parts: dict[_Value, list[tuple[int, ...]]] = {}
    explained: set[_Value] = set()
    for layer in layers:
        for tensor in layer.inputs:
            value = tensor.name, tensor.version
            if written.get(value) == tensor.dimensions:
                explained.add(value)
                continue
            parts.setdefault(value, []).append(tensor.dimensions)
            if _CHOOSES.search(layer.name) or layer.type in _CHOOSING:
                explained.add(value)
        for tensor in layer.outputs:
            value = tensor.name, tensor.version
            if value in written:
                rewritten.add(value)
            written[value] = tensor.dimensions
    leaving, unclear = bound_names(bindings), rewritten | explained
    return {
        value[0]: f"{quoted(value[0])} ({format_shape(whole)} and {format_shape(its[0])})"
        for value, its in parts.items()
        if value in written and value not in unclear and value[0] not in leaving
        if _lacks(whole := written[value], its)
    }


def _lacks(whole: Sequence[int], parts: Sequence[Sequence[int]]) -> bool:
    """Return whether all parts together are less than a shape of their rank, by more than padding."""
    if any(len(part) != len(whole) for part in parts):
        return False
    if min(min(each, default=0) for each in (whole, *parts)) < 1:
        return False
    differing = [
        (axis, part[axis]) for part in parts for axis, extent in enumerate(whole) if part[axis] != extent
    ]
    # Parts of a concatenation have fewer channels.
    if any((extent == 1 and axis) or (axis == 1 and len(whole) >= _LEAST_RANK) for axis, extent in differing):
        return False
    return _PADDED * sum(map(math.prod, parts)) < math.prod(whole)


def _may_be_views(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes are one transposed, or a buffer of several parts and a view of one part."""
    part, buffer = sorted((one, other), key=math.prod)
    parts, rest = divmod(math.prod(buffer), math.prod(part))
    return sorted(one) == sorted(other) or (parts > 1 and not rest and buffer[0] == parts)


def _filled(layers: Sequence[Layer]) -> Counter[_Value]:
    """Return how many elements of each value all layers write together."""
    found: Counter[_Value] = Counter()
    for layer in layers:
        for tensor in layer.outputs:
            found[tensor.name, tensor.version] += math.prod(tensor.dimensions)
    return found


def _is_part(one: Sequence[int], other: Sequence[int], filled: int) -> bool:
    """Return whether one shape lies within the other, which what all layers write fills exactly."""
    part, whole = sorted((one, other), key=math.prod)
    return math.prod(whole) == filled and all(map(operator.le, part, whole))

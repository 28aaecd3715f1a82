"""Find tensors that no layer writes by their names and that are views of what a layer writes.

Myelin lets a kernel read a part of a tensor, such as the queries of a joint projection, under another name.
"""

from __future__ import annotations

import math
import re
from bisect import bisect_left
from collections import Counter
from collections.abc import Collection, Hashable, Iterable, Sequence

from trexreport.model.engine import Binding, Layer, Tensor
from trexreport.model.torn_tensors import bound_names, form_of, layers_in_vain
from trexreport.regex import regex

#: Words of names of constants.
_CONSTANT = regex(
    r"const|weight|bias|kernel|param|embed|scale|gamma|beta|alpha|table|lut|buffer|Broadcast|Unnamed Layer"
    r"|_w\b|_b\b|\.w\b|\.b\b|l2_cache_|initializer|running_(?:mean|var)",
    re.IGNORECASE,
)
#: Kernels of a whole attention, which read queries, keys and values and no weights.
_ATTENTION = regex(r"_f?mha_|mha_v\d|flash_?att|fused_attention", re.IGNORECASE)
_IN_MYELIN = regex(r"_myl\d+_\d+$", re.ASCII)
#: A view has at least as many extents, as has what is read of a batch of heads.
_MIN_RANK = 2
#: Engines repeat a block, so that what their layers write has few forms; of more nothing is known.
_MAX_FORMS = 100


def tensor_views(layers: Sequence[Layer], bindings: Sequence[Binding]) -> dict[str, str]:
    """Return tensors that no layer writes, each with the tensor of which it is a part.

    That is the last one before its reader of which nothing is read by its own name, and which all its views
    fill. A slice, as of the first token, may fill less where its name says of what it is one, or
    where the next kernel of Myelin reads it as its first operand.

    Args:
        layers: All layers of the engine.
        bindings: All its inputs and outputs.
    """
    vain = layers_in_vain(layers, bindings)
    spare = [(layer.index, tensor) for layer in vain for tensor in layer.outputs]
    by_form: dict[Hashable, list[int]] = {}
    for at, (_, tensor) in enumerate(spare):
        by_form.setdefault(form_of(tensor), []).append(at)
    if not 0 < len(by_form) <= _MAX_FORMS:
        return {}
    written = {tensor.name for layer in layers for tensor in layer.outputs} | bound_names(bindings)
    # Most tensors are of few forms.
    wholes: dict[Hashable, Sequence[Sequence[int]]] = {}
    found: dict[str, int] = {}
    slices: set[str] = set()
    filled: Counter[int] = Counter()
    for layer in layers:
        for tensor in layer.inputs:
            if tensor.name in written or tensor.name in found or not _may_flow(tensor):
                continue
            form = form_of(tensor)
            if form not in wholes:
                wholes[form] = [each for each in by_form.values() if _is_part(tensor, spare[each[0]][1])]
            ends = (
                (places, bisect_left(places, layer.index, key=lambda at: spare[at][0]))
                for places in wholes[form]
            )
            before = [places[end - 1] for places, end in ends if end]
            if before:
                found[tensor.name] = max(before)
                if _is_slice(layer, tensor, layers[spare[max(before)][0]], spare[max(before)][1]):
                    slices.add(tensor.name)
                filled[max(before)] += math.prod(tensor.dimensions)
    return {
        name: spare[at][1].name
        for name, at in found.items()
        if name in slices or filled[at] == math.prod(spare[at][1].dimensions)
    }


def _is_slice(reader: Layer, part: Tensor, writer: Layer, whole: Tensor) -> bool:
    """Return whether a tensor may be a slice of another one, by its name or by the order of the layers."""
    if part.name.startswith(whole.name) and not part.name[len(whole.name)].isalnum():
        return True
    is_next = reader.index == writer.index + 1 and part is reader.inputs[0]
    in_myelin = _IN_MYELIN.search(reader.name) and _IN_MYELIN.search(writer.name)
    return is_next and bool(in_myelin) and part.dimensions[-1] == whole.dimensions[-1]


def unwritten_operands(
    layers: Iterable[Layer], unwritten: Collection[str], *, all_of_them: bool, is_torn: bool
) -> set[str]:
    """Return tensors that no layer writes and that are not constants, since an attention reads them.

    Args:
        layers: All layers of the engine.
        unwritten: The names of the tensors that no layer writes.
        all_of_them: What other layers read are not constants either: they are more than the engine's weights.
        is_torn: Neither is the first operand of a layer that reads no other tensor than such: the builder
            would have computed its result.
    """
    return {
        tensor.name
        for layer in layers
        for tensor in layer.inputs
        if tensor.name in unwritten
        and _may_flow(tensor)
        and (
            all_of_them
            or (
                is_torn and tensor is layer.inputs[0] and all(each.name in unwritten for each in layer.inputs)
            )
            or _ATTENTION.search(f"{layer.name} {layer.tactic}")
        )
    }


def _may_flow(tensor: Tensor) -> bool:
    """Return whether nothing in the name of a tensor says that it is a constant."""
    return len(tensor.dimensions) >= _MIN_RANK and not _CONSTANT.search(tensor.name)


def _is_part(part: Tensor, whole: Tensor) -> bool:
    """Return whether a tensor may be a part of another one, or all of it in another shape."""
    if part.format.data_type != whole.format.data_type or part.dimensions == whole.dimensions:
        return False
    sizes = math.prod(part.dimensions), math.prod(whole.dimensions)
    return min(*part.dimensions, *whole.dimensions) > 0 and sizes[1] % sizes[0] == 0

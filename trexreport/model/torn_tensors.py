"""Find where a list of layers is torn: what one layer writes does not reach the layer that reads it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence

from trexreport.model.engine import Binding, Layer, Tensor


def layers_in_vain(layers: Sequence[Layer], bindings: Sequence[Binding]) -> list[Layer]:
    """Return the layers of whose outputs nothing is read or leaves the engine: TensorRT builds none.

    Args:
        layers: All layers of the engine.
        bindings: All its inputs and outputs.
    """
    read = Counter([tensor.name for layer in layers for tensor in layer.inputs])
    read.update(bound_names(bindings))
    writers: dict[str, list[Layer]] = {}
    for layer in layers:
        for tensor in layer.outputs:
            writers.setdefault(tensor.name, []).append(layer)
    ends = [layer for layer in layers if _is_in_vain(layer, read)]
    for end in ends:
        # What only a no-op reads, of which nothing is read either, is written in vain.
        for name in [tensor.name for tensor in end.inputs if end.is_structural]:
            read[name] -= 1
            if not read[name]:
                ends += [layer for layer in writers.get(name, ()) if _is_in_vain(layer, read)]
    found = {id(layer) for layer in ends if not layer.is_structural}
    return [layer for layer in layers if id(layer) in found]


def _is_in_vain(layer: Layer, read: Mapping[str, int]) -> bool:
    return bool(layer.outputs) and not any(read[tensor.name] for tensor in layer.outputs)


def torn_tensors(layers: Sequence[Layer], bindings: Sequence[Binding]) -> dict[str, str]:
    """Return tensors that no layer writes, each with one like it that a layer writes in vain.

    One of the two names is wrong, or what lies between them is missing: that tensor is not a constant.
    """
    spare: dict[Hashable, str] = {}
    for layer in layers_in_vain(layers, bindings):
        for tensor in layer.outputs:
            spare.setdefault(form_of(tensor), tensor.name)
    known = {tensor.name for layer in layers for tensor in layer.outputs}.union(bound_names(bindings))
    return {
        tensor.name: spare[form_of(tensor)]
        for layer in layers
        for tensor in layer.inputs
        if tensor.name not in known and form_of(tensor) in spare
    }


def form_of(tensor: Tensor) -> Hashable:
    """Return what is equal for tensors of one type and shape."""
    return tensor.format.data_type, tensor.dimensions


def bound_names(bindings: Sequence[Binding]) -> set[str]:
    """Return the names of inputs and outputs, as the file lists them and as layers use them."""
    # A tensor may bear the mark of an optimization profile that the binding's name lacks.
    return {name for each in bindings for name in (each.name, each.tensor.name if each.tensor else each.name)}

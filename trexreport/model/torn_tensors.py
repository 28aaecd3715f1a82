"""Find where a list of layers is torn: what one layer writes does not reach the layer that reads it."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

from trexreport.model.engine import Binding, Layer, Tensor


def layers_in_vain(layers: Sequence[Layer], bindings: Sequence[Binding]) -> list[Layer]:
    """Return the layers of whose outputs nothing is read or leaves the engine: TensorRT builds none.

    Args:
        layers: All layers of the engine.
        bindings: All its inputs and outputs.
    """
    bound, left = bound_names(bindings), list(layers)
    while True:
        used = {tensor.name for layer in left for tensor in layer.inputs}.union(bound)
        ends = [
            layer
            for layer in left
            if layer.outputs and used.isdisjoint([tensor.name for tensor in layer.outputs])
        ]
        # What only a no-op reads, of which nothing is read either, is written in vain.
        no_ops = {id(layer) for layer in ends if layer.is_structural}
        if not no_ops:
            return ends
        left = [layer for layer in left if id(layer) not in no_ops]


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

"""Tensors that several layers write in place, as the branches of a concatenation do: each writes a part."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from trexreport.model.engine import Layer, Tensor


def last_writes(layers: Iterable[Layer]) -> dict[str, list[Tensor]]:
    """Return what writes the last value of each name, as each layer sees it."""
    found: dict[str, list[Tensor]] = {}
    for layer in layers:
        for tensor in layer.outputs:
            writes = found.setdefault(tensor.name, [])
            if writes and writes[-1].version != tensor.version:
                writes.clear()
            writes.append(tensor)
    return found


def whole_of(writes: Sequence[Tensor]) -> Tensor | None:
    """Return the tensor that these writes fill together; None where their extents do not show it.

    Parts that differ along one axis are joined along it; by equal ones the axis is unknown.
    """
    shapes = [each.dimensions for each in writes]
    if len(writes) == 1:
        return writes[0]
    if len(set(map(len, shapes))) > 1 or -1 in {extent for shape in shapes for extent in shape}:
        return None
    differing = [axis for axis, extents in enumerate(zip(*shapes, strict=True)) if len(set(extents)) > 1]
    if len(differing) != 1:
        return None
    (axis,) = differing
    extents = list(shapes[-1])
    extents[axis] = sum(shape[axis] for shape in shapes)
    return replace(writes[-1], dimensions=tuple(extents))

"""What a layer costs: its time, and the bytes and operations that it can't do without."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts, Operation, TensorUse
from trexreport.model import Layer

_PARTIAL_TYPES = frozenset({"Gather", "Slice"})
_PARTIAL_OPERATIONS = frozenset({"Gather", "Slice", "GridSample"})
_INDICES = frozenset({"INT32", "INT64"})
_REDUCTIONS = frozenset({"Sum", "Mean", "Reduce", "Maxr", "MaxReduce"})


class LayerCost(NamedTuple):
    """What a layer costs, as far as it is known."""

    avg_ms: float | None
    moved_bytes: int | None
    output_bytes: int | None
    work: Operation | None
    flops: int | None


def read_bytes(layer: Layer, inputs: Sequence[TensorUse], outputs: Sequence[TensorUse]) -> dict[int, int]:
    """Return by tensor how many bytes of it a layer reads at most, where that is less than all of it.

    A lookup (Gather) reads the rows of a table that it writes, and a slice the elements that it writes. A
    kernel that adds up the rows that it looks up reads one for each index.

    Args:
        layer: Of the file.
        inputs: The tensors that it reads.
        outputs: The tensors that it writes.
    """
    if not _lookups(layer) or any(use.size_bytes is None for use in outputs):
        return {}
    return {
        use.tensor: least
        for use in inputs
        if use.size_bytes
        and (least := _part_read(layer, use.dimensions, use.size_bytes, outputs)) < use.size_bytes
    }


def constants_bytes(layer: Layer, outputs: Sequence[TensorUse]) -> int | None:
    """Return the bytes that a layer reads at most of the constants beside its inputs, each once.

    Of tables in which it looks up rows these are the rows, as `read_bytes` counts them; None where a size is
    not known.
    """
    if not layer.constants:
        return 0
    inputs = {tensor.name for tensor in layer.inputs}
    sizes = {
        each.name: (each.size_bytes, each.dimensions) for each in layer.constants if each.name not in inputs
    }
    if any(size is None for size, _ in sizes.values()):
        return None
    if not _lookups(layer) or any(use.size_bytes is None for use in outputs):
        return sum(size or 0 for size, _ in sizes.values())
    return sum(_part_read(layer, dimensions, size or 0, outputs) for size, dimensions in sizes.values())


def _lookups(layer: Layer) -> int:
    return layer.operations.count("Gather") or int(layer.type in _PARTIAL_TYPES)


def _part_read(layer: Layer, dimensions: Sequence[int], size_bytes: int, outputs: Sequence[TensorUse]) -> int:
    """Return how many bytes of a tensor a lookup reads at most."""
    # A kernel may do more than gather: a table has the width of what it writes.
    written = [
        math.prod(each.dimensions)
        for each in outputs
        if layer.type in _PARTIAL_TYPES or each.dimensions[-1:] == dimensions[-1:] != []
    ]
    elements, read = math.prod(dimensions), _lookups(layer) * sum(written)
    if written and (indices := _added_rows(layer)):
        read = max(read, indices * dimensions[-1])
    return size_bytes * read // elements if written and elements > read else size_bytes


def _added_rows(layer: Layer) -> int:
    """Return how many rows a lookup adds up that it does not write; 0 if it adds up none."""
    if "Gather" not in layer.operations or _REDUCTIONS.isdisjoint(layer.operations):
        return 0
    indexing = (each for each in layer.inputs if each.format.data_type in _INDICES)
    indices = max((math.prod(each.dimensions) for each in indexing), default=0)
    written = max((math.prod(each.dimensions[:-1]) for each in layer.outputs), default=0)
    return indices if indices > written > 0 else 0


def min_bytes(layer: Layer, cost: LayerCost) -> int | None:
    """Return the bytes that the layer has to move at least, or None if that is not known."""
    # How many of the rows that a lookup adds up are the same, and in the cache, is not known.
    if cost.moved_bytes is None or _added_rows(layer):
        return None
    partial = layer.type in _PARTIAL_TYPES or not _PARTIAL_OPERATIONS.isdisjoint(layer.operations)
    if partial and cost.output_bytes is not None:
        return min(cost.moved_bytes, 2 * cost.output_bytes)
    hidden = cost.work.hidden_weights_bytes if cost.work else 0
    return cost.moved_bytes + hidden - skipped_bytes(layer, cost.work)


def skipped_bytes(layer: Layer | LayerFacts, work: Operation | None) -> int:
    """Return the bytes of the input between the windows of a convolution whose stride exceeds its kernel."""
    kernel = work.kernel if work and layer.type == "Convolution" else ()
    if not kernel:
        return 0
    stride = layer.attributes.get("Stride")
    size = layer.inputs[0].size_bytes if layer.inputs else None
    if size is None or not isinstance(stride, list) or len(stride) != len(kernel):
        return 0
    if not all(type(step) is int and step > 0 for step in stride):
        return 0
    read = math.prod(min(1.0, extent / step) for extent, step in zip(kernel, stride, strict=True))
    return int(size * (1 - read))

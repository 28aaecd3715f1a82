"""Find the engine's inputs and outputs among the tensors of its layers."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.model import Binding, Layer, ReadNote, Tensor
from trexreport.reader import layer_names
from trexreport.reader.graph_file import LayerGraph


def resolve_bindings(
    graph: LayerGraph, layers: Sequence[Layer], optimization_profile: int
) -> tuple[tuple[Binding, ...], list[ReadNote]]:
    """Return the bindings in the file's order; without a list in the file they are inferred."""
    read, written, consumed = _usage(layers)
    if graph.io_tensors:
        return tuple(_completed(binding, read, written) for binding in graph.io_tensors), []
    if graph.binding_names:
        names = _of_profile(graph.binding_names, optimization_profile)
        return tuple(_binding(name, read, written) for name in names), []
    inferred = [Binding(name, "input", tensor) for name, tensor in read.items() if not _is_internal(name)]
    inferred += [Binding(name, "output", tensor) for name, tensor in written.items() if name not in consumed]
    if not inferred:
        return (), []
    message = "The file has no list of bindings; they were inferred from what no layer writes or reads."
    return tuple(inferred), [ReadNote("repaired", "bindings-inferred", message)]


def _usage(layers: Sequence[Layer]) -> tuple[dict[str, Tensor], dict[str, Tensor], set[str]]:
    """Return first reads before any write, last writes, and the names whose last value is read."""
    read: dict[str, Tensor] = {}
    written: dict[str, Tensor] = {}
    consumed: set[str] = set()
    for layer in layers:
        for tensor in layer.inputs:
            if tensor.version == 0:
                read.setdefault(tensor.name, tensor)
            consumed.add(tensor.name)
        for tensor in layer.outputs:
            written[tensor.name] = tensor
            consumed.discard(tensor.name)
    return read, written, consumed


def _is_internal(name: str) -> bool:
    """Tell whether an unwritten tensor is a constant or control value of Myelin rather than an input."""
    return name.startswith(("__my", "l2_cache_")) or "constant" in name.lower()


def _of_profile(names: Sequence[str], index: int) -> list[str]:
    marked = [name for name in names if layer_names.optimization_profile(name) == index]
    plain = [name for name in names if layer_names.optimization_profile(name) is None]
    return marked if index and marked else plain or list(names)


def _binding(name: str, read: dict[str, Tensor], written: dict[str, Tensor]) -> Binding:
    for spelling in (name, *_marked_spellings(name, read, written)):
        if spelling in written:
            return Binding(name, "output", written[spelling])
        if spelling in read:
            return Binding(name, "input", read[spelling])
    return Binding(name, "unknown")


def _marked_spellings(name: str, read: dict[str, Tensor], written: dict[str, Tensor]) -> list[str]:
    """Return names of tensors that are this one but for the mark of an optimisation profile."""
    prefix = f"{name} [profile "
    return [other for other in (*read, *written) if other.startswith(prefix)]


def _completed(binding: Binding, read: dict[str, Tensor], written: dict[str, Tensor]) -> Binding:
    """Prefer the tensor as the layers see it: its shape is resolved where the engine's own is not."""
    seen = _binding(binding.name, read, written)
    mode = binding.mode if binding.mode != "unknown" else seen.mode
    if seen.tensor is None:
        return Binding(binding.name, mode, binding.tensor, binding.shape_range)
    return Binding(binding.name, mode, seen.tensor, binding.shape_range)

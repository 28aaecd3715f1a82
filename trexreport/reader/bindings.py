"""Find the engine's inputs and outputs among the tensors of its layers.

Weights that layers name among their inputs, as Myelin's do.
"""

from __future__ import annotations

import re
from collections.abc import Container, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import replace

from trexreport.model import (
    PART,
    TORN,
    Binding,
    BindingMode,
    InputWarning,
    Layer,
    NoteSeverity,
    Setup,
    Tensor,
)
from trexreport.model.shape_copies import copies_shape_to_host
from trexreport.model.tensor_views import tensor_views
from trexreport.model.torn_tensors import layers_in_vain
from trexreport.model.written_parts import last_writes, whole_of
from trexreport.numbers import layer_label, list_names
from trexreport.reader import layer_names
from trexreport.reader.graph_file import LayerGraph, read_io_tensor
from trexreport.regex import regex

#: The parameter of a module, as frameworks name it.
_PARAMETER = regex(r"[./](?:weight|bias|kernel|gamma|beta|embedding|qweight|scales|qzeros)$", re.ASCII)
#: Layers of one product, and of one lookup.
_PRODUCTS = frozenset({"gemm", "MatrixMultiply", "FullyConnected"})
_LOOKUPS = frozenset({"Gather"})
#: A matrix of weights or a table has rows and columns.
_RANK = 2
#: Part of the bytes of the listed inputs and outputs below which others change no figure.
_NEGLIGIBLE = 0.01
_AS_IT_IS = "Give the file of trtexec's --exportLayerInfo as it is."


def resolve_bindings(
    graph: LayerGraph, layers: Sequence[Layer], optimization_profile: int, setup: Setup, file: str = ""
) -> tuple[tuple[Binding, ...], list[InputWarning]]:
    """Return the bindings in the order of the layer information, or else as trtexec's log created them.

    Without either they are inferred: what no layer writes may as well be a tensor whose layer is not listed.
    """
    read, written, consumed = _usage(layers)
    stated = [read_io_tensor(item, optimization_profile) for item in graph.io_tensors]
    if not stated and graph.binding_names:
        names = _of_profile(graph.binding_names, optimization_profile)
        stated = [Binding(name, "unknown") for name in names]
    created = [] if stated else _created(setup, {*read, *written})
    stated = stated or created
    if stated:
        seen = _by_plain_name(read, written)
        found = [each for binding in stated for each in _completed(binding, seen.get(binding.name, {}))]
        without = [binding for binding in stated if binding.name not in seen]
        notes = []
        if without and seen:
            # A log lists all; what else no layer writes is of a layer that is not listed.
            weights = set() if created else _unlisted_weights(layers, {each.name for each in stated})
            inferred = [] if created else _inferred(read, written, consumed)
            left = [each for each in inferred if each.mode == "output" or each.name not in weights]
            others = _unlisted(left, stated, without)
            notes = [_without_tensor(without, others, found)]
            found += [replace(each, is_listed=False) for each in others]
        notes += _torn(layers, written.keys() - consumed - {each.name for each in found}, found)
        ranged = (_with_range(each, optimization_profile, setup) for each in found)
        named = [replace(note, source=file) for note in notes]
        return tuple({(each.name, each.mode): each for each in ranged}.values()), named
    # Where a file lists one side of the layers only, all of it would be bindings.
    # So it would be where a log states a part of the layers.
    is_part = any(note.slug == PART for note in graph.notes)
    inferred = [] if is_part or one_sided(layers) else _inferred(read, written, consumed)
    if not inferred:
        return (), []
    message = "The file has no list of bindings; they were inferred from what no layer writes or reads."
    return tuple(inferred), [InputWarning("repaired", "bindings-inferred", message)]


def one_sided(layers: Sequence[Layer]) -> BindingMode | None:
    """Return which tensors none of several layers states, "input" or "output"; None if some state both."""
    reading, writing = sum([1 for each in layers if each.inputs]), sum([1 for each in layers if each.outputs])
    if reading + writing < 2 or (reading and writing):
        return None
    return "output" if reading else "input"


def _inferred(
    read: dict[str, Tensor], written: dict[str, Tensor], consumed: AbstractSet[str]
) -> list[Binding]:
    """Return inputs and outputs by what no layer writes or reads."""
    inferred = [Binding(name, "input", tensor) for name, tensor in read.items()]
    inferred += [Binding(name, "output", tensor) for name, tensor in written.items() if name not in consumed]
    return [binding for binding in inferred if not _is_internal(binding.name)]


def _unlisted(
    inferred: Sequence[Binding], stated: Sequence[Binding], without: Sequence[Binding]
) -> list[Binding]:
    """Return what the bindings without a tensor may stand for: a tensor of their mode that is not listed."""
    listed = {binding.name for binding in stated}
    modes = {binding.mode for binding in without}
    return [
        each
        for each in inferred
        if modes & {each.mode, "unknown"} and not listed & {each.name, layer_names.without_profile(each.name)}
    ]


def _without_tensor(
    without: Sequence[Binding], others: Sequence[Binding], listed: Sequence[Binding]
) -> InputWarning:
    """Return the note on bindings that no layer reads or writes; an engine may ignore an input.

    Args:
        without: They.
        others: What they may stand for; constants and results that nothing reads look alike.
        listed: All bindings of the list.
    """
    what = "an input or output" if len(without) == 1 else "inputs or outputs"
    names = list_names([each.name for each in without], 3)
    message = f"The file lists {names} as {what}, which no layer reads or writes."
    if not others:
        return InputWarning("info", "bindings-without-tensor", message)
    found = list(dict.fromkeys(each.name for each in others))
    message += f" By the layers, {list_names(found, 3)} {'is one' if len(found) == 1 else 'are'} too."
    if reused := reused_names(others):
        message += f" The file uses {list_names(reused, 3)} again for other tensors."
    # The only input or output under another name is what the engine is about.
    known = {each.mode for each in listed if each.tensor is not None}
    is_harmless = known.issuperset(each.mode for each in others) and _are_negligible(others, listed)
    severity: NoteSeverity = "info" if is_harmless else "degraded"
    return InputWarning(severity, "bindings-without-tensor", message, hint=_AS_IT_IS)


def _are_negligible(others: Sequence[Binding], listed: Sequence[Binding]) -> bool:
    """Return whether unlisted inputs and outputs are too small for any figure to depend on them."""
    sizes = [each.tensor.size_bytes for each in others if each.tensor is not None]
    known = (each.tensor.size_bytes for each in listed if each.tensor is not None)
    total = sum(size for size in known if size is not None)
    unlisted = sum(size for size in sizes if size is not None)
    return None not in sizes and unlisted < _NEGLIGIBLE * total


def reused_names(bindings: Sequence[Binding]) -> list[str]:
    """Return the names that stand for tensors of different extents."""
    shapes: dict[str, set[tuple[int, ...]]] = {}
    for each in bindings:
        if each.tensor is not None:
            shapes.setdefault(each.name, set()).add(tuple(each.tensor.dimensions))
    return [name for name, found in shapes.items() if len(found) > 1]


def _torn(
    layers: Sequence[Layer], unread: AbstractSet[str], bindings: Sequence[Binding]
) -> list[InputWarning]:
    """Return a note on layers whose outputs go nowhere."""
    views = set(tensor_views(layers, bindings).values()) if unread else set()
    vain = layers_in_vain(layers, bindings) if unread else []
    # What is copied to the host, as a size that the host waits for, no layer of the GPU need read.
    found = [
        layer_label(layer.name)
        for layer in vain
        if views.isdisjoint(each.name for each in layer.outputs) and not copies_shape_to_host(layer.name)
    ]
    if not found:
        return []
    message = (
        f"Layers whose outputs no layer reads and the engine does not return: {list_names(found, 3)}. "
        "TensorRT builds none: a layer or binding is missing, or a tensor has two names. What others read "
        "may not be constants, so that connections, weights and memory are uncertain."
    )
    return [InputWarning("degraded", TORN, message, "", ("graph", "memory"), _AS_IT_IS)]


def _with_range(binding: Binding, optimization_profile: int, setup: Setup) -> Binding:
    """Return an input with the shapes of its optimization profile, which a log may state."""
    stated = setup.shape_ranges.get((optimization_profile, layer_names.without_profile(binding.name)))
    if binding.shape_range or binding.mode == "output" or not stated:
        return binding
    return replace(binding, shape_range=stated)


def _created(setup: Setup, names: AbstractSet[str]) -> list[Binding]:
    """Return the bindings that a log of the run created; none where a layer knows none of them."""
    if not setup.input_names or names.isdisjoint(setup.io_shapes):
        return []
    inputs = set(setup.input_names)
    return [Binding(name, "input" if name in inputs else "output") for name in setup.io_shapes]


def _usage(layers: Sequence[Layer]) -> tuple[dict[str, Tensor], dict[str, Tensor], set[str]]:
    """Return first reads before any write, last values, and the names whose last value is read."""
    read: dict[str, Tensor] = {}
    consumed: set[str] = set()
    for layer in layers:
        for tensor in layer.inputs:
            if tensor.version == 0:
                read.setdefault(tensor.name, tensor)
            consumed.add(tensor.name)
        consumed.difference_update([tensor.name for tensor in layer.outputs])
    written = {name: whole_of(writes) or writes[-1] for name, writes in last_writes(layers).items()}
    return read, written, consumed


def _is_internal(name: str) -> bool:
    """Return whether a tensor is a constant or internal value of Myelin rather than an input or output."""
    return (
        name.startswith(("__my", "l2_cache_")) or "constant" in name.lower() or _is_named_as_parameter(name)
    )


def _of_profile(names: Sequence[str], index: int) -> list[str]:
    marked = [name for name in names if layer_names.optimization_profile(name) == index]
    plain = [name for name in names if layer_names.optimization_profile(name) is None]
    return marked if index and marked else plain or list(names)


def _by_plain_name(read: dict[str, Tensor], written: dict[str, Tensor]) -> dict[str, dict[str, Tensor]]:
    """Return what the layers see by name and mode, also under names without the mark of a profile."""
    found: dict[str, dict[str, Tensor]] = {}
    for mode, tensors in (("input", read), ("output", written)):
        for name, tensor in tensors.items():
            found.setdefault(name, {})[mode] = tensor
    for name, seen in [each for each in found.items() if "[profile " in each[0]]:
        found.setdefault(layer_names.without_profile(name), seen)
    return found


def _completed(stated: Binding, seen: dict[str, Tensor]) -> list[Binding]:
    """Return a binding for each of its modes: what is updated in place is read first and written later.

    The tensor as the layers see it is preferred: its shape is resolved where the engine's own is not.
    """
    both: tuple[BindingMode, ...] = ("input", "output")
    modes = [mode for mode in both if mode == stated.mode or mode in seen]
    return [
        Binding(stated.name, mode, seen.get(mode, stated.tensor), stated.shape_range)
        for mode in modes or [stated.mode]
    ]


def _is_named_as_parameter(name: str) -> bool:
    """Return whether a name is that of a parameter of a module, such as "encoder.0.weight"."""
    return _PARAMETER.search(name) is not None


def _unlisted_weights(layers: Sequence[Layer], bindings: Container[str]) -> set[str]:
    """Return matrices of products and tables of lookups that no layer writes, beside a known operand.

    Args:
        layers: All of the engine.
        bindings: Names of the listed inputs and outputs, which are not weights.
    """
    written = {each.name for layer in layers for each in layer.outputs}
    found = set()
    for layer in layers:
        is_lookup = layer.type in _LOOKUPS
        if not is_lookup and layer.type not in _PRODUCTS:
            continue
        names = [each.name for each in layer.inputs]
        for at, each in enumerate(layer.inputs):
            others = [*names[:at], *names[at + 1 :]]
            is_known = any(other in written or other in bindings for other in others)
            if each.name in written or each.name in bindings or len(each.dimensions) != _RANK:
                continue
            # What is multiplied is the first operand, and the table of a lookup is.
            if is_known and (at == 0 if is_lookup else at > 0):
                found.add(each.name)
    return found

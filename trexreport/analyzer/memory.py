"""Add up the memory of an engine: weights, I/O tensors and activations, each tensor once."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Container, Iterable, Mapping, Sequence
from itertools import accumulate

from trexreport.analyzer.analysis import Group, LayerFacts, TensorFacts
from trexreport.analyzer.analysis.engine import Memory
from trexreport.analyzer.identity import describe_bindings
from trexreport.analyzer.tensors import TensorTable
from trexreport.model import PART, Engine, Layer, Setup
from trexreport.model.data_format import BITS
from trexreport.model.stated_shapes import stated_shapes
from trexreport.model.stated_sizes import stated_bytes

_STATED = (
    "Engine file size",
    "Engine size",
    "Loaded engine size",
    "Total Activation Memory",
    "Total Weights Memory",
    "Max Scratch Memory",
    "Total Host Persistent Memory",
    "Total Device Persistent Memory",
    "Execution context device memory",
    "Peak memory of allocators",
)

#: As the reader marks records of a verbose log.
_VERBOSE_LOG = "verbose log"
#: Types of layers without weights. Logs name others after implementations, such as "i8816cudnn".
_WITHOUT_WEIGHTS = frozenset(
    {"Reformat", "PointWise", "Pooling", "Softmax", "Shuffle", "Slice", "Concatenation", "Concat", "Resize"}
    | {"Reduce", "TopK", "NMS", "Select", "Cast", "Identity", "Shape", "ElementWise", "Activation", "Unary"}
    | {"Quantize", "Dequantize", "Fill", "NonZero", "Padding", "RaggedSoftMax", "OneHot"}
)
#: Regions whose layers the file does not list.
_OPAQUE = ("Myelin", "DLA")
#: Types of Myelin's kernels that have no weights but constants, and of those that may be products of tensors.
_WEIGHTLESS, _PRODUCTS = frozenset({"kgen", "shape_call", "wait", "signal"}), frozenset({"gemm", "fusion"})


def describe_memory(engine: Engine, tensors: TensorTable, layers: Sequence[LayerFacts]) -> Memory:
    """Return the memory of the engine in bytes; parts of unknown size are counted, not guessed."""
    hidden = [each.work.hidden_weights_bytes for each in layers if each.work]
    constants = _constants(engine, tensors)
    constant_sizes = [size for _, size in constants.values()]
    owned = [each.size_bytes for layer in engine.layers for each in layer.weights]
    sizes = [*owned, *constant_sizes]
    # Of an excerpt it is not known which tensors are inputs and outputs of the engine.
    slugs = {note.slug for note in engine.notes}
    is_excerpt = not slugs.isdisjoint({"log-layers-excerpt", PART})
    used = _activations(tensors.facts, is_excerpt=is_excerpt)
    flowing = [tensors.facts[index] for index in used]
    bound = [facts for facts in tensors.facts if facts.role in ("input", "output") and not is_excerpt]
    in_run = {each.name: each.run_bytes for each in describe_bindings(engine)}
    io_sizes = [in_run.get(each.name) if each.size_bytes is None else each.size_bytes for each in bound]
    facts = engine.setup.build_facts
    stating = {layer.index: layer.type for layer in engine.layers if _states_weights(layer, constants)}
    live, peak_layer = _live_bytes(len(engine.layers), tensors.facts, set(used))
    return Memory(
        weights_bytes=_known_bytes(sizes),
        weights_unknown=sum(size is None for size in sizes),
        constants_bytes=_known_bytes(constant_sizes),
        constants=len(constants),
        layers_without_weights=_without_weights(engine.layers, stating),
        layers_with_weights=len(stating),
        hidden_weights_bytes=sum(hidden),
        products_with_hidden_weights=sum(size > 0 for size in hidden),
        weights_by_type=_weights_by_type(engine, constants),
        bindings_bytes=_known_bytes(io_sizes),
        bindings=len(bound),
        bindings_in_run=sum(each.size_bytes is None and in_run.get(each.name) is not None for each in bound),
        bindings_unknown=io_sizes.count(None),
        activations_bytes=_known_bytes(facts.size_bytes for facts in flowing),
        activations=len(flowing),
        activations_unknown=sum(facts.size_bytes is None for facts in flowing)
        # What a layer that is known by name alone writes is a tensor, too.
        + (sum(not (each.inputs or each.outputs) for each in engine.layers) if PART in slugs else 0),
        peak_live_bytes=max(live, default=0),
        peak_layer=peak_layer,
        live_bytes=live,
        padding_bytes=_padding(tensors),
        stated={name: facts[name] for name in _STATED if name in facts},
        stated_activation_bytes=_stated_activations(facts),
        stated_for=_larger_shapes(engine.setup),
    )


def _stated_activations(facts: Mapping[str, str]) -> int | None:
    """Return what the build states, else what the execution context allocated, which is the same."""
    sizes = (
        stated_bytes(facts.get(name, ""))
        for name in ("Total Activation Memory", "Execution context device memory")
    )
    found = next((size for size in sizes if size), None)
    return None if found is None else int(found)


def _larger_shapes(setup: Setup) -> dict[str, list[int]]:
    """Return the largest shapes of the build where the run had smaller ones; empty otherwise."""
    run, _, largest, *_ = stated_shapes(setup.commands)
    used = setup.inputs() or run
    for shapes in largest:
        if any(
            name in used and math.prod(extents) > math.prod(used[name]) for name, extents in shapes.items()
        ):
            return {name: list(extents) for name, extents in shapes.items()}
    return {}


def _known_bytes(sizes: Iterable[int | None]) -> int:
    return sum(size for size in sizes if size is not None)


def _constants(engine: Engine, tensors: TensorTable) -> dict[str, tuple[str, int | None]]:
    """Return the type and bytes of the constant tensors by name: a constant that many layers read is one."""
    found = {
        constant.name: (constant.format.data_type, constant.size_bytes)
        for layer in engine.layers
        for constant in layer.constants
    }
    for facts in tensors.facts:
        # Hints for the L2 cache are listed among the inputs of kernels but hold no data of the network.
        if facts.role == "constant" and not facts.name.startswith("l2_cache_"):
            found[facts.name] = (facts.data_type, facts.size_bytes)
    return found


def _activations(tensors: Sequence[TensorFacts], *, is_excerpt: bool) -> list[int]:
    """Return the tensors that need memory besides the engine's inputs and outputs.

    What a no-op hands on as an output of the engine lies in that output's memory from the beginning.
    """
    if is_excerpt:
        return [at for at, each in enumerate(tensors) if each.role != "constant" and each.alias_of is None]
    handed_on = {facts.alias_of for facts in tensors if facts.role == "output"}
    return [
        index
        for index, facts in enumerate(tensors)
        if facts.role == "activation" and facts.alias_of is None and index not in handed_on
    ]


def _without_weights(layers: Sequence[Layer], stating: Mapping[int, str]) -> int:
    """Return how many layers may have weights that no file states; those given, by type, state some."""
    states_both = any(layer.inputs for layer in layers) and any(layer.outputs for layer in layers)
    if states_both or any(layer.weights for layer in layers):
        lists = any(kind[:1].islower() for kind in stating.values())
        return sum(
            _hides_weights(layer, lists_weights=lists) for layer in layers if layer.index not in stating
        )
    # A file that keeps one side of the layers leaves weights out, too.
    return sum(not layer.is_structural for layer in layers)


def _states_weights(layer: Layer, constants: Container[str]) -> bool:
    if layer.attributes.get("Source") == _VERBOSE_LOG:
        return False
    return bool(layer.weights or layer.constants) or any(each.name in constants for each in layer.inputs)


def _hides_weights(layer: Layer, *, lists_weights: bool) -> bool:
    """Return whether a layer that states no weights may have some.

    That is a Myelin kernel, of a type in lower case, an opaque region, or most layers of a verbose log.
    Where a file lists the constants of other Myelin kernels, generated kernels without one have none, and
    neither has a product of two tensors, or of two parts of one: scores of each row with each row.
    """
    if layer.attributes.get("Source") == _VERBOSE_LOG:
        return not layer.is_structural and layer.type not in _WITHOUT_WEIGHTS
    if layer.is_structural or not (layer.type in _OPAQUE or layer.type[:1].islower()):
        return False
    if not lists_weights:
        return True
    if layer.type in _PRODUCTS:
        return len(layer.inputs) < 2 and not _multiplies_rows(layer)
    return layer.type not in _WEIGHTLESS


def _multiplies_rows(layer: Layer) -> bool:
    """Return whether a layer writes a square matrix with a row for each row that it reads."""
    shapes = [each.dimensions[-2:] for each in (*layer.inputs, *layer.outputs)]
    return min(map(len, shapes), default=0) > 1 and shapes[0][0] == shapes[-1][0] == shapes[-1][1]


def _weights_by_type(engine: Engine, constants: Mapping[str, tuple[str, int | None]]) -> list[Group]:
    """Return the number of elements by data type; those of unknown type or size count none."""
    counts: Counter[str] = Counter()
    for layer in engine.layers:
        for weights in layer.weights:
            counts[weights.data_type] += weights.count or 0
    for data_type, size in constants.values():
        if size is not None and data_type in BITS:
            counts[data_type] += size * 8 // BITS[data_type]
    return [Group(name, count, None, None) for name, count in counts.most_common()]


def _live_bytes(
    layer_count: int, tensors: Sequence[TensorFacts], used: Container[int]
) -> tuple[list[int], int | None]:
    """Return the bytes between layers that are needed while each layer runs, and the layer with the most.

    A tensor lives from its first writer to its last reader; a no-op's output is its input, which so
    lives on until the last reader of either.
    """
    ends: dict[int, tuple[int, int]] = {}
    for index, facts in enumerate(tensors):
        owner = index if facts.alias_of is None else facts.alias_of
        touched = [*facts.producers, *facts.consumers]
        if owner in used and touched:
            first, last = ends.get(owner, (min(touched), max(touched)))
            ends[owner] = (min(first, *touched), max(last, *touched))
    changes = [0] * (layer_count + 1)
    for owner, (first, last) in ends.items():
        size = tensors[owner].size_bytes or 0
        changes[first] += size
        changes[last + 1] -= size
    live = list(accumulate(changes[:layer_count]))
    peak = max(range(layer_count), key=live.__getitem__) if live and max(live) > 0 else None
    return live, peak


def _padding(tensors: TensorTable) -> int:
    """Return the bytes that vectorized layouts add to channels."""
    plain = ((tensors.facts[index], tensors.unpadded_bytes(index)) for index in tensors.padded())
    return sum(
        facts.size_bytes - size
        for facts, size in plain
        if facts.alias_of is None and facts.size_bytes is not None and size is not None
    )

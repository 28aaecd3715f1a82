"""State the cost of each layer: time, share, bytes and work."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts, Operation, TensorUse
from trexreport.analyzer.flops import count_flops
from trexreport.analyzer.operations import count_operations
from trexreport.analyzer.percentiles import percentile
from trexreport.analyzer.roofline.costs import LayerCost, constants_bytes, read_bytes
from trexreport.analyzer.roofline.plausibility import SpeedLimits
from trexreport.analyzer.roofline.roofs import RoofModel
from trexreport.analyzer.tensors import TensorTable
from trexreport.model import Engine, Layer

_MS_PER_S = 1e3
#: What the attributes of a layer say of its tensors.
_TENSOR_RECORDS = ("Inputs", "Outputs", "Constants")
#: Types of layers whose operations are counted by attributes, too.
BY_ATTRIBUTES = frozenset(
    {"Convolution", "Deconvolution", "ConvActPool", "Pooling", "PointWise", "ElementWise", "Unary"}
    | {"Activation", "Scale"}
)


def layer_facts(engine: Engine, tensors: TensorTable, roofs: RoofModel) -> list[LayerFacts]:
    """Return the facts of each layer in execution order.

    Args:
        engine: The engine.
        tensors: Its tensors.
        roofs: The peaks that each layer is measured against.
    """
    total_ms = math.fsum(layer.time.avg_ms for layer in engine.layers if layer.time is not None)
    total_ms += engine.unlisted_ms
    engine_facts, costs = _EngineFacts(tensors, roofs, SpeedLimits(roofs.gpu), total_ms), FormCosts()
    return [_facts(layer, costs.of(layer), engine_facts) for layer in engine.layers]


class _EngineFacts(NamedTuple):
    """What the facts of all layers rest on."""

    tensors: TensorTable
    roofs: RoofModel
    limits: SpeedLimits
    total_ms: float


class FormCost(NamedTuple):
    """What follows from the types and shapes of a layer, whatever it and its tensors are called."""

    work: Operation | None
    flops: int | None
    weights_bytes: int | None
    weights_count: int | None
    precision: str
    output_precision: str


class FormCosts:
    """Counts what layers do once for all that are alike: an engine repeats a block many times."""

    def __init__(self) -> None:
        self._known: dict[Hashable, FormCost] = {}

    def of(self, layer: Layer) -> FormCost:
        """Return what follows from the types and shapes of a layer."""
        if layer.type in BY_ATTRIBUTES or layer.weights:
            return _form_cost(layer)
        # Formats are remembered by the reader, so that equal ones are one object.
        form = (
            layer.type,
            layer.tactic,
            layer.operations,
            *[(each.dimensions, id(each.format)) for each in layer.inputs],
            None,
            *[(each.dimensions, id(each.format)) for each in layer.outputs],
            None,
            *[(each.dimensions, id(each.format)) for each in layer.constants],
        )
        found = self._known.get(form)
        if found is None:
            found = self._known[form] = _form_cost(layer)
        return found


def _form_cost(layer: Layer) -> FormCost:
    work, weights = count_operations(layer), layer.weights
    return FormCost(
        work,
        count_flops(layer, work),
        _sum([each.size_bytes for each in weights]) if weights else 0,
        _sum([each.count for each in weights]) if weights else 0,
        layer.precision,
        layer.output_precision,
    )


def forget_tensor_records(layers: Iterable[LayerFacts]) -> None:
    """Leave out of the attributes what the file says of tensors, where nothing reads it any more.

    It is half of the memory that an engine takes; `inputs` and `outputs` have what is known of it. The
    records themselves stay as they are: others may hold them.
    """
    for layer in layers:
        attributes = dict(layer.attributes)
        for key in _TENSOR_RECORDS:
            attributes.pop(key, None)
        # For the type checker they are frozen.
        object.__setattr__(layer, "attributes", attributes)


def _facts(layer: Layer, form: FormCost, engine: _EngineFacts) -> LayerFacts:
    tensors, roofs, limits, total_ms = engine
    work, flops, weights_bytes, weights_count, precision, output_precision = form
    avg_ms = layer.time.avg_ms if layer.time else None
    inputs, outputs = tensors.uses(layer.inputs), tensors.uses(layer.outputs)
    input_bytes, output_bytes = _sum_bytes(inputs), _sum_bytes(outputs)
    if not (layer.type or inputs or outputs):
        # Only its name is known.
        input_bytes = output_bytes = weights_bytes = weights_count = None
    rows = read_bytes(layer, inputs, outputs)
    read = _sum_bytes([use for use in inputs if use.tensor not in rows]) if rows else input_bytes
    parts = [read, *rows.values(), output_bytes, weights_bytes, constants_bytes(layer, outputs)]
    moved = None if not (inputs or outputs) else _sum(parts)
    if layer.type == "NoOp":
        moved = 0
    touched = moved + work.hidden_weights_bytes if moved and work else moved
    cost = LayerCost(avg_ms, moved, output_bytes, work, flops)
    roof = roofs.roof(layer, cost)
    excess = limits.find_excess(layer, cost, roof)
    if excess == "impossible":
        cost = cost._replace(avg_ms=None)  # no speed follows from it
        roof = roofs.roof(layer, cost)
    if work is not None:
        work = _with_rates(work, touched, cost.avg_ms)
    # By position: with names it takes three times as long.
    return LayerFacts(
        layer.index,
        layer.key,
        layer.name,
        layer.type,
        layer.subtype,
        precision,
        output_precision,
        layer.tactic,
        layer.stream,
        layer.is_structural,
        layer.origins,
        layer.operations,
        avg_ms,
        layer.time.median_ms if layer.time else None,
        100 * avg_ms / total_ms if avg_ms is not None and total_ms > 0 else None,
        _spread(layer),
        inputs,
        outputs,
        input_bytes,
        output_bytes,
        weights_bytes,
        weights_count,
        moved,
        touched / (cost.avg_ms / _MS_PER_S) / 1e9 if touched and cost.avg_ms else None,
        work,
        layer.attributes,
        flops,
        roof,
        excess,
    )


def _with_rates(work: Operation, touched_bytes: int | None, avg_ms: float | None) -> Operation:
    """Return work with how fast it was done, as far as bytes and time are known."""
    flops = 2 * work.macs
    # dataclasses.replace takes several times as long, which shows in engines of 20,000 layers.
    return Operation(
        work.kind,
        work.macs,
        work.m,
        work.n,
        work.k,
        work.groups,
        work.kernel,
        flops / touched_bytes if touched_bytes else None,
        flops / (avg_ms / _MS_PER_S) / 1e12 if avg_ms else None,
        work.batch,
        work.hidden_weights_bytes,
    )


def _spread(layer: Layer) -> list[float] | None:
    if layer.time is None or len(layer.time.samples_ms) < 2:
        return None
    ordered = sorted(layer.time.samples_ms)
    return [percentile(ordered, rank) for rank in (10, 50, 90, 99)]


def _sum_bytes(uses: Sequence[TensorUse]) -> int | None:
    """Return the bytes of the tensors, each once: a kernel may list one again, under other dimensions."""
    if len(uses) < 2:
        return uses[0].size_bytes if uses else 0
    if len({use.tensor for use in uses}) == len(uses):
        return _sum([use.size_bytes for use in uses])
    largest: dict[int, int | None] = {}
    for use in uses:
        size = use.size_bytes
        known = largest.setdefault(use.tensor, size)
        largest[use.tensor] = None if known is None or size is None else max(known, size)
    return _sum(largest.values())


def _sum(sizes: Iterable[int | None]) -> int | None:
    """Return the sum, or None as soon as one part is unknown."""
    total = 0
    for size in sizes:
        if size is None:
            return None
        total += size
    return total

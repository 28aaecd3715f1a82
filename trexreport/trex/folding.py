"""Bring an engine's layers into the form that TREx shows: no synchronization, no no-ops, unique names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

from trexreport.model import Engine, Layer, Tensor
from trexreport.reader.values import records
from trexreport.trex.layer import PlanLayer, Port, readable

#: Layers that order streams or compute shapes on the host; TREx leaves them out.
_DROPPED = {"signal", "wait", "shape_call"}
_Value = tuple[str, int]


def plan_layers(engine: Engine) -> list[PlanLayer]:
    """Return the layers in execution order, constants included, no-ops folded into their neighbors.

    What reads a no-op's output reads its input instead. Where only the outside reads it, the layer that
    makes the input writes under the output's name instead, so that the binding keeps its producer.
    """
    kept = [layer for layer in engine.layers if layer.subtype not in _DROPPED and layer.type not in _DROPPED]
    no_ops = [layer for layer in kept if layer.type == "NoOp" and layer.inputs and layer.outputs]
    sources = _sources(no_ops)
    renamed = _renamed(kept, no_ops, sources, {binding.name for binding in engine.bindings})
    result = []
    for index, (name, layer) in enumerate(_named(layer for layer in kept if layer.type != "NoOp")):
        read = (sources.get(port.value, port) for port in _ports(layer, "Inputs"))
        inputs = [renamed.get(port.value, port) for port in read]
        outputs = [renamed.get(port.value, port) for port in _ports(layer, "Outputs")]
        result.append(PlanLayer(name, layer, inputs, outputs, index))
    return result


def _ports(layer: Layer, key: str) -> list[Port]:
    tensors = layer.inputs if key == "Inputs" else layer.outputs
    raw = records(layer.attributes.get(key))
    if len(raw) != len(tensors):
        # Only an engine that no file was read for has layers without their record.
        raw = [_record(tensor) for tensor in tensors]
    return [Port(*pair) for pair in zip(tensors, raw, strict=True)]


def _record(tensor: Tensor) -> dict[str, Any]:
    return {
        "Name": tensor.name,
        "Dimensions": list(tensor.dimensions),
        "Format/Datatype": tensor.format.text,
    }


def _sources(no_ops: Iterable[Layer]) -> dict[_Value, Port]:
    """Return the source of each no-op's output, through chains of no-ops."""
    sources: dict[_Value, Port] = {}
    for layer in no_ops:
        source = _ports(layer, "Inputs")[0]
        source = sources.get(source.value, source)
        for port in _ports(layer, "Outputs"):
            sources[port.value] = source
    return sources


def _renamed(
    layers: Iterable[Layer], no_ops: Iterable[Layer], sources: dict[_Value, Port], bindings: set[str]
) -> dict[_Value, Port]:
    """Return the new form of each tensor that a no-op without readers hands to a binding."""
    layers = list(layers)
    read = {(tensor.name, tensor.version) for layer in layers for tensor in layer.inputs}
    written = {
        (tensor.name, tensor.version) for layer in layers if layer.type != "NoOp" for tensor in layer.outputs
    }
    renamed: dict[_Value, Port] = {}
    for layer in no_ops:
        for port in _ports(layer, "Outputs"):
            source = sources[port.value].value
            is_leaf = port.value not in read and port.tensor.name in bindings
            # A tensor that is a binding itself, or feeds two, keeps its name.
            if is_leaf and source in written and source[0] not in bindings and source not in renamed:
                renamed[source] = port
    return renamed


def _named(layers: Iterable[Layer]) -> list[tuple[str, Layer]]:
    """Give each layer a readable name of its own: the second of a name ends in "_2", as in TREx."""
    layers = list(layers)
    taken = {readable(layer.name) for layer in layers}
    seen: Counter[str] = Counter()
    result = []
    for layer in layers:
        first = name = readable(layer.name)
        seen[first] += 1
        while seen[first] > 1 and name in taken:
            name = f"{first}_{seen[first]}"
            seen[first] += name in taken
        taken.add(name)
        result.append((name, layer))
    return result

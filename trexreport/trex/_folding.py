"""Bring an engine's layers into the form that TREx shows: no synchronization, unique names."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from trexreport import model
from trexreport.model import Engine
from trexreport.trex.activations import readable
from trexreport.trex.layer import Layer, fold_no_ops

#: Layers that order streams or compute shapes on the host; TREx leaves them out.
_SYNCHRONIZATION = {"signal", "wait"}
_SHAPE_CALL = "shape_call"


def file_layers(engine: Engine) -> list[Layer]:
    """Return the layers of the file in execution order, with no-ops, constants and calls for shapes."""
    kept = [layer for layer in engine.layers if _SYNCHRONIZATION.isdisjoint({layer.subtype, layer.type})]
    return [Layer.of(layer, name) for name, layer in _named(kept)]


def plan_layers(engine: Engine) -> list[Layer]:
    """Return the layers in execution order, constants included, no-ops folded into their neighbors."""
    layers = [layer for layer in file_layers(engine) if _SHAPE_CALL not in {layer.subtype, layer.type}]
    bindings = [readable(binding.name) for binding in engine.bindings]
    folded = fold_no_ops(layers, bindings)
    for index, layer in enumerate(folded):
        layer.index = index
    return folded


def _named(layers: Iterable[model.Layer]) -> list[tuple[str, model.Layer]]:
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

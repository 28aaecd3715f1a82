"""Choose the layers that remove most of the error for the least time if they compute in a higher precision.

A greedy estimate: the squares of independent errors add, so a layer's part is that of the square of its
increase in the sum of the squares of all. In FP16 a quantized layer takes up to twice the time above a kernel
launch, since Tensor Cores multiply half as fast and tensors are twice as large; which reformats that adds or
removes is not known.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.accuracy import PlanStep, TensorErrorFacts
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.analyzer.roofline.classes import MAX_LAUNCH_MS
from trexreport.model.data_format import BITS

_ENOUGH_PERCENT = 80.0
_MAX_STEPS = 20
#: A layer with less of the error is not worth its time.
_MIN_PERCENT = 1.0
_QUANTIZED = frozenset({"INT8", "FP8", "INT4", "FP4"})
_HIGHER_BITS = {**dict.fromkeys(_QUANTIZED, 16), "FP16": 32, "BF16": 32}


def plan_precision(
    facts: Sequence[TensorErrorFacts], layers: Sequence[LayerFacts], onnx: OnnxFacts | None
) -> list[PlanStep]:
    """Return the layers to keep in a higher precision, until 80% of the error is removed.

    Args:
        facts: The tensors with their increases.
        layers: Of the engine.
        onnx: The model, for the names of nodes; without it those that the layers state.
    """
    increases: dict[int, float] = {}
    for each in facts:
        if each.increase and each.layers:
            # Several layers may compute one node: the last one writes it.
            layer = each.layers[-1]
            increases[layer] = max(increases.get(layer, 0.0), each.increase)
    whole = math.fsum(value * value for value in increases.values())
    if whole <= 0:
        return []
    shares = {layer: 100 * value * value / whole for layer, value in increases.items()}
    able = [
        layer
        for layer, share in shares.items()
        if share >= _MIN_PERCENT and layers[layer].precision in _HIGHER_BITS and not layers[layer].structural
    ]
    costs = {layer: _cost_ms(layers[layer]) for layer in able}

    def worth(layer: int) -> tuple[float, int]:
        # Without times the part of the error decides alone.
        cost = costs[layer]
        return -shares[layer] / max(cost, 1e-6) if cost is not None else -shares[layer], layer

    steps: list[PlanStep] = []
    removed = 0.0
    for layer in sorted(able, key=worth):
        if removed >= _ENOUGH_PERCENT or len(steps) == _MAX_STEPS:
            break
        removed += shares[layer]
        steps.append(PlanStep(layer, _nodes(layers[layer], onnx), shares[layer], removed, costs[layer]))
    return steps


def _cost_ms(layer: LayerFacts) -> float | None:
    """Return the time that a quantized layer takes longer in FP16 at most; None where nothing shows it."""
    if layer.avg_ms is None or layer.precision not in _QUANTIZED:
        return None
    factor = 16 / BITS[layer.precision]
    return max(layer.avg_ms - MAX_LAUNCH_MS, 0.0) * (factor - 1)


def _nodes(layer: LayerFacts, onnx: OnnxFacts | None) -> list[str]:
    if onnx is not None and onnx.layer_nodes:
        return [onnx.nodes[index].name for index in onnx.layer_nodes[layer.index]]
    return list(layer.origins)

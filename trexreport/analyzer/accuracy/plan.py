"""Choose the layers that remove most of the error for the least time if they compute in a higher precision.

A greedy estimate: the squares of independent errors add, so a layer's part is that of the square of its
increase in the sum of the squares of all. In FP16 a quantized layer takes up to twice the time above a kernel
launch, since Tensor Cores multiply half as fast and tensors are twice as large; which reformats that adds or
removes is not known. Where no tensor between several layers is known, one of them causes the increase: a step
has all of them.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.accuracy import PlanStep, TensorErrorFacts
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.analyzer.reformats import is_reformat, only_moves_data
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
    increases: dict[tuple[int | str, ...], float] = {}
    for each in facts:
        if each.increase:
            # What no known layer causes is a part of the whole that no step removes.
            causes = _causes(each, layers) or (each.figures.name,)
            increases[causes] = max(increases.get(causes, 0.0), each.increase)
    whole = math.fsum(value * value for value in increases.values())
    if whole <= 0:
        return []
    shares = {
        tuple(each for each in causes if isinstance(each, int)): 100 * value * value / whole
        for causes, value in increases.items()
        if isinstance(causes[0], int)
    }
    able = [causes for causes, share in shares.items() if share >= _MIN_PERCENT]
    costs = {causes: _total_ms(layers[each] for each in causes) for causes in able}

    def worth(causes: tuple[int, ...]) -> tuple[float, tuple[int, ...]]:
        # Without times the part of the error decides alone.
        cost = costs[causes]
        return -shares[causes] / max(cost, 1e-6) if cost is not None else -shares[causes], causes

    steps: list[PlanStep] = []
    chosen: set[int] = set()
    removed = 0.0
    for causes in sorted(able, key=worth):
        if removed >= _ENOUGH_PERCENT or len(steps) == _MAX_STEPS:
            break
        removed += shares[causes]
        cost = _total_ms(layers[each] for each in causes if each not in chosen)
        nodes = list(dict.fromkeys(name for each in causes for name in _nodes(layers[each], onnx)))
        steps.append(PlanStep(causes[-1], causes, nodes, shares[causes], removed, cost))
        chosen.update(causes)
    return steps


def _causes(each: TensorErrorFacts, layers: Sequence[LayerFacts]) -> tuple[int, ...]:
    """Return the layers of which one causes an increase, and that can have a higher precision."""
    if each.steps > 1:
        # Of too many layers only some are listed.
        found = each.between if each.between_count == len(each.between) else ()
        found = [at for at in found if not (is_reformat(layers[at]) or only_moves_data(layers[at]))]
    else:
        # Several layers may compute one node: the last one writes it.
        found = each.layers[-1:]
    return tuple(at for at in found if layers[at].precision in _HIGHER_BITS and not layers[at].structural)


def _total_ms(layers: Iterable[LayerFacts]) -> float | None:
    costs = [_cost_ms(each) for each in layers]
    known = [each for each in costs if each is not None]
    return math.fsum(known) if len(known) == len(costs) else None


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

"""What the rules on pointwise layers share: recognize a GELU, describe operations and shapes."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.rules import LayerFacts
from trexreport.analyzer.rules.patterns import operations
from trexreport.numbers import format_shape

#: A kernel with Erf and this many operations computes the whole activation: Mul, Erf, Add, Mul.
WHOLE_GELU = 4


def result_dimensions(layer: LayerFacts) -> Sequence[int]:
    """Return the dimensions of a layer's first output, or none."""
    return layer.outputs[0].dimensions if layer.outputs else []


def written_elements(layer: LayerFacts) -> int:
    """Return how many elements the result of a layer has; unknown extents count as 1."""
    return math.prod(max(extent, 1) for extent in result_dimensions(layer))


def is_gelu(members: list[LayerFacts]) -> bool:
    """Return whether layers together compute a GELU, by erf or by tanh and a power, and none does it alone.

    Tanh without a power may be a sigmoid, which TensorRT's expressions write with tanh.
    """
    each = [operations(layer) for layer in members]
    found = {operation for some in each for operation in some}
    is_whole = any(len(some) >= WHOLE_GELU and "Erf" in some for some in each)
    return not is_whole and ("Erf" in found or {"Tanh", "Pow"} <= found)


def operations_evidence(members: list[LayerFacts]) -> dict[str, str]:
    """Return the operations of layers as evidence, or none if they are not known."""
    found = [each for layer in members for each in operations(layer)]
    return {"Operations": " · ".join(found)} if found else {}


def shape_evidence(layer: LayerFacts) -> dict[str, str]:
    """Return the shape of a layer's output as evidence, or none if it has no output."""
    return {"Shape": format_shape(result_dimensions(layer))} if result_dimensions(layer) else {}

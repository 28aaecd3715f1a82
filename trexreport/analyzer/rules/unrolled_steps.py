"""Equal pointwise kernels in a row: the steps of a recurrence that an export unrolled."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise, operations

#: Fewer equal ones in a row may be what the model has, as several layers of one kind.
_MIN_STEPS = 16
#: Part of some layers that steps have to be.
_MOST = 0.5


def are_unrolled_steps(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether most of the layers are pointwise kernels in rows of equal ones, not only in pairs."""
    equal_before = context.cached(_equal_before)
    steps = [
        layer
        for layer in filter(is_pointwise, layers)
        if any(equal_before.get(each) for each in equal_before.get(layer.index, ()))
    ]
    return len(steps) >= max(_MIN_STEPS, _MOST * len(layers))


def _equal_before(context: Context) -> dict[int, list[int]]:
    """Return by layer the equal ones whose result it reads, and no product does, as of residuals."""
    looks = {layer.index: _look(layer) for layer in context.layers}
    of_products = {
        before.index
        for layer in context.layers
        if is_conv_or_matmul(context, layer)
        for before in context.predecessors(layer)
    }
    return {
        layer.index: [
            each.index
            for each in context.predecessors(layer, context.is_reformat)
            if each.index not in of_products and looks[each.index] == looks[layer.index]
        ]
        for layer in context.layers
    }


def _look(layer: LayerFacts) -> tuple[object, ...]:
    """Return what equal steps have in common."""
    written = tuple(tuple(use.dimensions) for use in layer.outputs)
    return layer.type, layer.precision, tuple(operations(layer)), written

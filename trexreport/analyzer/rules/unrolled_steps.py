"""Equal kernels in a row, or beside each other: the steps of a loop that an export unrolled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from statistics import median_low

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_pointwise,
    looks_up,
    only_copies,
    operations,
)

#: Fewer equal ones in a row may be what the model has, as several layers of one kind.
_MIN_STEPS = 16
#: Part of some layers that steps have to be.
_MOST = 0.5
#: As many parts of one tensor are read by the steps of a loop: heads, classes, disparities, points in time.
_MIN_PARTS = 12
#: Part of the steps that have to have a kernel: the first and the last ones differ in some.
_NEARLY_ALL = 0.9
#: The blocks of a deep network have more different products, each with weights of its own.
_MAX_PRODUCTS = 3
#: Steps wait for each other where this part of their kernels follows one another.
_IN_A_ROW = 0.25


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


def unrolled_loops(context: Context) -> list[tuple[list[LayerFacts], int]]:
    """Return the layers of each loop that runs as equal steps, and how many steps there are.

    Each step reads its own part of one tensor and runs kernels of the same looks as the others; few layers
    read what they write.
    """
    cutting = context.of_kinds(lambda each: only_copies(each) or looks_up(each))
    by_source = group_by((each for each in cutting if _reads_values(context, each)), _source(context))
    known: set[int] = set()
    loops = []
    for parts in by_source.values():
        if len(parts) < _MIN_PARTS or parts[0].index in known:
            continue
        found = _grown(context, parts, known)
        looks = group_by(found, _kind_of_step)
        products = sum(is_conv_or_matmul(context, each[0]) for each in looks.values())
        members = {each.index for each in found}
        steps = median_low(list(map(len, looks.values())))
        behind = {each.index for layer in found for each in context.successors(layer)} - members
        known |= members
        if products <= _MAX_PRODUCTS and 2 * len(behind) < steps and not all(map(_only_moves, found)):
            loops.append((found, steps))
    return loops


def wait_for_each_other(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether kernels follow one another in a long row, as the steps of a recurrence do."""
    depth: dict[int, int] = {}
    for layer in sorted(layers, key=lambda each: each.index):
        before = (depth.get(each.index, 0) for each in context.predecessors(layer))
        depth[layer.index] = 1 + max(before, default=0)
    return max(depth.values(), default=0) > max(_MIN_PARTS, _IN_A_ROW * len(layers))


def _grown(context: Context, parts: Sequence[LayerFacts], known: Collection[int]) -> list[LayerFacts]:
    """Return layers with those before and behind them of which there are as many of one look.

    Those of loops that are known already are left out.
    """
    found = {each.index: each for each in parts}
    ahead: Collection[LayerFacts] = parts
    while ahead:
        near = {
            each.index: each
            for layer in ahead
            for each in (*context.predecessors(layer), *context.successors(layer))
            if each.index not in found and each.index not in known
        }
        ahead = [
            each
            for alike in group_by(near.values(), _kind_of_step).values()
            if len(alike) >= _NEARLY_ALL * len(parts)
            for each in alike
        ]
        found |= {each.index: each for each in ahead}
    return [found[index] for index in sorted(found)]


def _source(context: Context) -> Callable[[LayerFacts], object]:
    return lambda layer: (context.base_of(layer.inputs[0].tensor), _kind_of_step(layer))


def _reads_values(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads values that the network computes, and not a table or indices."""
    first = [use.tensor for use in layer.inputs[:1]]
    return any(
        each in first and context.tensor(each).data_type in FLOATS | QUANTIZED
        for each in activations(context, layer)
    )


def _only_moves(layer: LayerFacts) -> bool:
    return only_copies(layer) or looks_up(layer)


def _kind_of_step(layer: LayerFacts) -> tuple[object, ...]:
    """Return what the kernels of steps have in common; parts that are cut out may differ in their length."""
    uses = (*layer.inputs[:1], *layer.outputs[:1])
    products = [tuple(use.dimensions) for use in layer.outputs] if layer.work else []
    return layer.type, tuple(operations(layer)), *(use.format for use in uses), *products

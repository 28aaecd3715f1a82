"""Convolutions of few output channels that one could compute: the last ones of many heads."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts, slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.operation_names import operation_by_name
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.dependence import are_apart
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.layer_kinds import writes_few_channels
from trexreport.analyzer.rules.patterns import activations

#: Fewer in one place are not worth a change of the model.
_MIN_SIBLINGS = 6
#: To join tensors of this size takes more than launches, and each fills the GPU.
_LARGE_BYTES = 32 * 2**20
#: Between the names of the branches that one kernel computes, and of the nodes of a branch.
_BESIDE, _FUSED = " || ", " + "
#: Times up to this factor of each other are about equal.
_ABOUT_EQUAL = 1.15


def siblings(context: Context) -> list[list[LayerFacts]]:
    """Return convolutions of few output channels by what they have in common; call it through `cached`.

    These read and write as many pixels with windows of one size in one type, and none needs the result of
    another. Where no two read one tensor, these are not large: else one gains nothing.
    """
    few = [
        layer
        for layer in context.convolutions
        if layer.avg_ms and layer.inputs and layer.outputs and not is_mostly_launch(context, layer)
        if writes_few_channels(context, layer)
    ]
    groups = group_by(few, _look).values()
    return [
        group
        for group in groups
        if len(group) >= _MIN_SIBLINGS and are_apart(context, group) and _may_gain(context, group)
    ]


def named_siblings(context: Context) -> list[LayerFacts]:
    """Return what by name and time are siblings, where only names are known; call it through `cached`.

    Convolutions without an activation that follow each other and take about as long, as the ends of the
    branches whose beginnings a kernel before computes together.
    """
    runs: list[tuple[int, list[LayerFacts]]] = []
    branches, is_open, least, most = 0, False, 0.0, 0.0
    for layer in context.layers:
        if layer.type or not layer.avg_ms:
            continue
        if operation_by_name(layer) != "convolution" or _BESIDE in layer.name or _FUSED in layer.name:
            beside = layer.name.count(_BESIDE)
            branches, is_open = beside + 1 if beside else branches, False
            continue
        least, most = min(least, layer.avg_ms), max(most, layer.avg_ms)
        if is_open and most <= _ABOUT_EQUAL * least:
            runs[-1][1].append(layer)
        else:
            runs.append((branches, [layer]))
            is_open, least, most = True, layer.avg_ms, layer.avg_ms
    fitting = [run for number, run in runs if _MIN_SIBLINGS <= len(run) <= number]
    return max(fitting, key=len, default=[])


def are_siblings(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether layers are convolutions that one could compute."""
    groups = [*context.cached(siblings), context.cached(named_siblings)]
    found = {layer.index for group in groups for layer in group}
    return bool(layers) and all(layer.index in found for layer in layers)


def merged(context: Context, group: Sequence[LayerFacts]) -> Iterator[tuple[LayerFacts, float, float]]:
    """Yield how much of each sibling's time one convolution saves, from nothing.

    It takes at least as long as the slowest alone, and as its roofline: each tensor is read once.
    """
    total = math.fsum(layer.avg_ms or 0.0 for layer in group)
    sharing = group_by(group, lambda layer: _reads(context, layer)).values()
    roofs = [max(layer.roof.roof_ms if layer.roof else 0.0 for layer in each) for each in sharing]
    kept = max(slowest_first(group)[0].avg_ms or 0.0, math.fsum(roofs))
    for layer in group:
        time_ms = layer.avg_ms or 0.0
        yield layer, 0.0, time_ms * max(1 - kept / total, 0.0)


def _may_gain(context: Context, group: Sequence[LayerFacts]) -> bool:
    """Return whether convolutions share what they read, or each reads little."""
    if len({_reads(context, layer) for layer in group}) < len(group):
        return True
    return (group[0].inputs[0].size_bytes or 0) < _LARGE_BYTES


def _look(layer: LayerFacts) -> tuple[object, ...]:
    kernel = tuple(layer.work.kernel) if layer.work else ()
    return tuple(layer.inputs[0].dimensions), tuple(layer.outputs[0].dimensions[2:]), kernel, layer.precision


def _reads(context: Context, layer: LayerFacts) -> tuple[int, ...]:
    """Return what identifies the tensor that a layer reads: itself too, where that is a part of one."""
    tensors = tuple(context.base_of(tensor) for tensor in activations(context, layer))
    whole = max((math.prod(context.tensor(tensor).dimensions) for tensor in tensors), default=0)
    is_part = math.prod(layer.inputs[0].dimensions) < whole
    return (*tensors, layer.index) if is_part else tensors

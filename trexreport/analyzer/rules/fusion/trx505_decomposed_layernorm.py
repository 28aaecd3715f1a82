"""TRX505 fusion.decomposed-layernorm."""

from __future__ import annotations

import re
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.convolution.computed_weights import weight_layers
from trexreport.analyzer.rules.layer_kinds import plugin_type
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.named_normalizations import named_normalizations
from trexreport.analyzer.rules.patterns import (
    ROOTS,
    activations,
    is_pointwise,
    is_reduction,
    only_consumer,
    operations,
    reachable,
)
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import fused, fused_by_name, worthwhile
from trexreport.numbers import counted, format_count, format_shape
from trexreport.regex import regex

_ROOTS_AND_AVERAGES = ROOTS | {"Mean", "Sum", "Reduce"}
#: What TensorRT calls the average of a Reduce layer.
_AVERAGE = "AVG"
#: Division by the root, scale, shift, and one more for a cast.
_MAX_AFTER = 4
#: A node of ONNX that is a normalization over whole channels, for which two passes are usual.
_NORMALIZATION = regex(r"(?:Instance|Group)Normalization(?:_\d+)?$", re.ASCII)
_STATISTICS_AND_USE = 2
_NORMALIZES = "Normalization"
_OF_INSTANCES = regex(r"(?i:instance_?norm)")
#: How a kernel ends that divides by the deviation.
_QUOTIENT = frozenset({"Mul", "Div"})
#: Activations such as GELU multiply and add, too, but not first.
_SCALE, _NORM_SCALE_ACTIVATION = ["Mul", "Add"], 3


@built_in_rule(
    "warning",
    many="{count} normalizations run as several kernels each{extent}.",
    needs=(),
    thresholds=(min_gain(0.5),),
    explains={"share": ("TRX601",)},
    replaces=True,
)
@worthwhile
def decomposed_layernorm(context: Context) -> Hits:
    """A normalization runs as several kernels.

    Cost:
        Mean, deviation, variance and scaling each read the whole tensor again, often in FP32, although one
        kernel can do them in one or two passes.

    Recommendation:
        [unless of-groups: Export the normalization as one node: ONNX has LayerNormalization since opset 17
        (TensorRT 8.6).] [10.15.., unless of-groups, unless subtracts: RMSNormalization (opset 23) is a node,
        too.] [if of-groups: Export the normalization as one node: ONNX has GroupNormalization since opset 18,
        and an InstanceNormalization between two Reshapes leaves scale and activation to kernels of their
        own.] If it already is one node, look for a Cast, a Concat or a second consumer of the result between
        its parts, which can make Myelin split it.

    False alarm:
        Myelin computes the last parts of several normalizations in one kernel together with what follows;
        large tensors are split on purpose, statistics first. An InstanceNormalization or GroupNormalization
        is not reported that is one node of the model and two kernels, the statistics and their use. Where a
        file contains only names, layers are found that follow each other in one module, from mean to shift.

    Est. savings:
        An estimate: the time of the layers minus that of one kernel, which reads and writes what they
        exchange with others at the rate of the fastest or slowest of them. By names at least the time of the
        slowest stays.
    """
    yield from _by_name(context)
    reported: set[int] = set()
    # Of layers without them, names and parameters may state the operations.
    candidates = context.of_kinds(lambda each: not each.operations or _takes_root_of_others(each))
    found = [_parts(context, layer) for layer in candidates]
    found += [_around_average(context, layer) for layer in candidates]
    may_be = context.of_kinds(
        lambda each: each.type == _NORMALIZES or context.is_plugin(each) or _is_whole(each)
    )
    found += [_of_groups(context, layer) for layer in may_be if _normalizes(context, layer)]
    for parts in filter(None, found):
        if _is_one_node(parts):
            continue  # Statistics and their use are two passes; TRX401 reports conversions around them.
        if not reported.isdisjoint(each.index for each in parts):
            continue
        if parts[-1].index in context.cached(weight_layers):
            continue  # It normalizes weights.
        reported.update(each.index for each in parts)
        norms = max(1, sum(operations(each).count("Mean") > 1 for each in parts[:-1]))
        what = "A normalization runs as" if norms == 1 else f"{norms} normalizations share"
        shape = format_shape(parts[0].inputs[0].dimensions) if parts[0].inputs else ""
        message = f"{what} {len(parts)} kernels{timed(context, parts)}."
        types = dict.fromkeys(each.output_precision for each in parts)
        between = {"Between them": "FP32"} if "FP32" in list(types)[:-1] else {}
        evidence = ({"Shape": shape} if shape else {}) | between
        yield Hit(message, tuple(parts), fused(context, parts), evidence)


def _by_name(context: Context) -> Hits:
    """Yield the normalizations of layers of which only names are known."""
    groups = named_normalizations(context.layers) if context.untyped else []
    layers = [layer for members in groups for layer in members]
    if layers:
        run = counted(len(groups), "normalization runs", "normalizations run")
        yield Hit(
            f"By name, {run} as {format_count(len(layers))} kernels{timed(context, layers)}.",
            tuple(slowest_first(layers)),
            fused_by_name(groups),
            {"Identified": "by name"},
        )


def _is_one_node(parts: Sequence[LayerFacts]) -> bool:
    """Return whether two kernels are those of one node that normalizes whole channels."""
    if len(parts) != _STATISTICS_AND_USE:
        return False
    nodes = {*parts[0].origins} & {*parts[1].origins}
    return any(_NORMALIZATION.search(node) for node in nodes)


def _parts(context: Context, root: LayerFacts) -> list[LayerFacts]:
    """Return the kernels of the normalization whose square root a layer computes, if they are several."""
    if not _takes_root_of_others(root):
        return []

    def is_part(layer: LayerFacts) -> bool:
        has_root = not ROOTS.isdisjoint(operations(layer))
        return not has_root and (is_reduction(layer) or is_pointwise(layer) or context.is_reformat(layer))

    _, passed = search([root], context.producing, is_part)
    statistics = [layer for layer in passed if is_reduction(layer)]
    if not statistics:
        return []
    within = {layer.index for layer in passed}
    parts = {each.index: each for each in (root, *statistics, *reachable(context, statistics, within))}
    after = only_consumer(context, root)
    for _ in range(_MAX_AFTER):
        if after is None or not is_pointwise(after):
            break
        parts[after.index] = after
        after = only_consumer(context, after)
    return [parts[index] for index in sorted(parts)]


def _around_average(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the average over a tensor and the pointwise layer that subtracts it from that, or nothing.

    The root may be in a kernel whose name leaves it out.
    """
    if not is_pointwise(layer) or "Sub" not in operations(layer):
        return []
    read = {context.base_of(use.tensor) for use in layer.inputs}
    averages = [
        each
        for each in context.predecessors(layer)
        if each.type == "Reduce"
        and each.attributes.get("Operation") == _AVERAGE
        and any(context.base_of(use.tensor) in read for use in each.inputs)
    ]
    return [*averages, layer] if averages else []


def _normalizes(context: Context, layer: LayerFacts) -> bool:
    return (
        layer.type == _NORMALIZES
        or _is_whole(layer)
        or bool(_OF_INSTANCES.search(plugin_type(context, layer)))
    )


def _is_whole(layer: LayerFacts) -> bool:
    """Return whether a generated kernel computes average, variance, root and quotient, and nothing after."""
    found = list(layer.operations)
    averages = found.count("Mean") > 1 and "Sub" in found and not ROOTS.isdisjoint(found)
    return averages and found[-1] in _QUOTIENT


def _of_groups(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return an instance normalization, and the scale and activation after it; nothing without a scale.

    That is what becomes of a normalization of groups where the operation is not in the ONNX file.
    """
    parts, after = [layer], only_consumer(context, layer)
    while after is not None and is_pointwise(after) and len(activations(context, after)) == 1:
        parts.append(after)
        after = only_consumer(context, after) if len(parts) < _NORM_SCALE_ACTIVATION else None
    if len(parts) == 1:
        return []
    computed = [each for each in operations(parts[1]) if each != "Reshape"]
    return parts if computed[: len(_SCALE)] == _SCALE else []


def _takes_root_of_others(layer: LayerFacts) -> bool:
    """Return whether a layer computes a square root, and not of an average of its own."""
    found = operations(layer)
    if ROOTS.isdisjoint(found):
        return False
    return next(each for each in found if each in _ROOTS_AND_AVERAGES) in ROOTS

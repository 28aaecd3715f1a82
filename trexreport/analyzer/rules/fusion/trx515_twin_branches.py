"""TRX515 fusion.twin-branches."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Callable, Mapping, Sequence
from functools import reduce
from operator import or_

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Gain, Hit, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.dependence import are_apart
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.fusion.equal_calls import calls_of_equal_values
from trexreport.analyzer.rules.fusion.module_calls import ModuleCall, module_call
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import fills_gpu
from trexreport.analyzer.rules.limits import min_gain, min_share
from trexreport.analyzer.rules.patterns import activations
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.savings import if_worthwhile
from trexreport.numbers import format_count, join_names

_SHARED = "with the same weights"
#: What products are called, by whether they are convolutions.
_NAMES = {True: "convolutions", False: "multiplications"}


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    explains={"share": ("TRX508",)},
    thresholds=(
        min_share(5.0, "all these products"),
        Threshold(
            "min_count",
            6,
            2,
            1e6,
            "Minimum number of convolutions and matrix multiplications that run several times.",
        ),
        min_gain(1.0),
    ),
)
def twin_branches(
    context: Context, *, share_percent: float, min_count: float, gain_percent: float
) -> list[Hit]:
    """A branch runs several times with the same weights.

    Cost:
        The branches of a siamese network (two images of a stereo pair, template and search region) are the
        same layers. At a small batch one alone leaves SMs idle, and each has its own launches.

    Recommendation:
        [if same-input: All calls read the same values and compute the same: call the module once in the
        model, and give its result to all that read it.] [unless other-sizes, unless same-input: Concatenate
        the inputs along the batch, run the branch once, and split its result. Or give the branch an engine of
        its own, with a batch of as many inputs.] [if other-sizes: Give the branch an engine of its own.]
        [unless same-input: Where an input is that of an earlier query, as a template or the frame before is,
        keep its result.]

    False alarm:
        The branch fills the GPU by itself: then only launches are saved. Exporters number the calls of a
        module, "/conv/Conv" and "/conv/Conv_1", or "/net/fc/MatMul" and "/net_1/fc/MatMul", by which
        they are found. They have equal shapes
        and other inputs, and none depends on the result of the other; of other shapes are those that depend
        on different inputs of the engine, such as a small template and a large search region. Calls compute
        the same where they read the same tensors, or what equal operations make of these, with no part cut
        out.

    Est. savings:
        An estimate: for calls that compute the same the time of all but one; else from nothing up to all
        calls but one of layers without work for all SMs, and the launches of the others; of calls with other
        shapes up to the time of all but the slowest.
    """
    twins, how = calls_of_equal_values(context, _calls(context)), f"{_SHARED} for the same input"
    again = ((each, each.avg_ms or 0.0, each.avg_ms or 0.0) for calls in twins for each in calls[1:])
    gain = of_layers("estimate", again, "removed-layers")
    if not twins:
        twins, how = [calls for calls in _calls(context) if _are_independent(context, calls)], _SHARED
        gain = _gain(context, twins)
    if not twins:
        twins = [calls for calls in _calls(context, _only_type) if _read_other_inputs(context, calls)]
        smaller = (layer for calls in twins for layer in slowest_first(calls)[1:])
        gain = of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in smaller), "removed-layers")
    is_named = bool(twins)
    if not twins:
        twins, how = _equal_branches(context), "in branches of equal shapes, whose weights may be the same"
        gain = _gain(context, twins)
    layers = slowest_first(layer for calls in twins for layer in calls)
    if len(twins) < min_count or not context.is_significant(layers, share_percent):
        return []
    times = sorted({len(calls) for calls in twins})
    number = f"{format_count(times[0])} times" if len(times) == 1 else "several times"
    products = {each.index for each in context.products}
    are_convolutions = set(map(context.is_convolution, layers))
    what = join_names([_NAMES[each] for each in sorted(are_convolutions, reverse=True)])
    hit = Hit(
        f"{format_count(len(twins))} {what} run {number} each {how}: they {takes_time(context, layers)}.",
        tuple(layers),
        gain,
        severity=None if is_named else "info",
        affected=tuple(search(layers, context.successors, lambda each: each.index not in products)[1]),
    )
    return if_worthwhile(context, [hit], gain_percent)


def _shapes(layer: LayerFacts) -> tuple[object, ...]:
    return tuple(layer.inputs[0].dimensions), tuple(layer.outputs[0].dimensions)


def _only_type(_: LayerFacts) -> tuple[object, ...]:
    return ()


def _calls(
    context: Context, look: Callable[[LayerFacts], tuple[object, ...]] = _shapes
) -> list[Sequence[LayerFacts]]:
    """Return the products of one module each that its calls share, with equal looks and types."""
    found = group_by(
        context.cached(_called), lambda each: (each[1].module, each[1].node, look(each[0]), each[0].precision)
    )
    return [
        [layer for layer, _ in calls]
        for calls in found.values()
        if len(calls) > 1 and any(call.is_first for _, call in calls)
    ]


def _called(context: Context) -> list[tuple[LayerFacts, ModuleCall]]:
    """Return the products whose node others have as well, each with its call."""
    named = [
        (layer, call)
        for layer in context.products
        if layer.avg_ms and layer.inputs and layer.outputs and (call := module_call(layer.name))
    ]
    counts = Counter((call.module, call.node) for _, call in named)
    return [(layer, call) for layer, call in named if counts[call.module, call.node] > 1]


def _are_independent(context: Context, calls: Sequence[LayerFacts]) -> bool:
    """Return whether calls read different tensors, and none needs the result of another."""
    read = {context.base_of(tensor) for layer in calls for tensor in activations(context, layer)[:1]}
    return len(read) == len(calls) and are_apart(context, calls)


def _read_other_inputs(context: Context, calls: Sequence[LayerFacts]) -> bool:
    """Return whether each call depends on inputs of the engine on which no other one depends."""
    masks = [context.cached(_inputs_before)[layer.index] for layer in calls]
    return all(masks) and sum(mask.bit_count() for mask in masks) == reduce(or_, masks).bit_count()


def _equal_branches(context: Context) -> list[Sequence[LayerFacts]]:
    """Return the products of branches of equal shapes for inputs of their own, if no name has a module."""
    products = [each for each in context.products if each.avg_ms and each.inputs and each.outputs]
    if any("/" in layer.name for layer in products):
        return []
    masks = context.cached(_inputs_before)
    alone = [each for each in products if masks[each.index].bit_count() == 1]
    branches = group_by(alone, lambda each: masks[each.index]).values()
    alike = group_by(
        branches, lambda layers: tuple((*_shapes(each), each.precision, each.type) for each in layers)
    )
    return [calls for found in alike.values() if len(found) > 1 for calls in zip(*found, strict=True)]


def _inputs_before(context: Context) -> Mapping[int, int]:
    """Return the inputs of the engine that each layer depends on, as bits of their tensors."""
    found: dict[int, int] = defaultdict(int)
    for layer in context.layers:
        for use in layer.inputs:
            found[layer.index] |= (1 << use.tensor) if context.is_input(use.tensor) else 0
        for before in context.producing(layer):
            found[layer.index] |= found[before.index]
    return found


def _gain(context: Context, twins: Sequence[Sequence[LayerFacts]]) -> Gain:
    launch_ms = context.cached(floor_ms)
    ranges = []
    for calls in twins:
        for layer in calls[1:]:
            time_ms = layer.avg_ms or 0.0
            ranges.append((layer, 0.0, min(time_ms, launch_ms) if fills_gpu(context, layer) else time_ms))
    return of_layers("estimate", ranges, "fused-kernel")

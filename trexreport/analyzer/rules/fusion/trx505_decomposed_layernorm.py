"""TRX505 fusion.decomposed-layernorm."""

from __future__ import annotations

from functools import partial

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.patterns import (
    feeders,
    is_pointwise,
    operations,
    reachable,
    reduces,
    search,
    sole_reader,
)
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_fusing, worthwhile

_ROOTS = frozenset({"Sqrt", "Rsqrt"})
#: Division by the root, scale, shift, and one more for a cast.
_MOST_BEHIND = 4


@rule(
    "TRX505",
    "fusion.decomposed-layernorm",
    "warning",
    many="In {count} places normalizations are spread over several kernels.",
    subject="fusion",
    thresholds=(least_gain(0.5),),
)
def decomposed_layernorm(context: Context, *, gain_percent: float) -> list[Hit]:
    """A layer normalization is spread over several kernels.

    Cost:
        Mean, deviation, variance and the scaling each read the whole tensor again, often in FP32, though one
        kernel can do them in one pass or two.

    Advice:
        Export the normalization as one node: ONNX has LayerNormalization since opset 17 (TensorRT 8.6),
        GroupNormalization and InstanceNormalization too. Where it is one node already, look for a Cast, a
        Concat or a second reader of the result between its parts, which can make Myelin split it.

    False alarm:
        Myelin computes the last parts of several normalizations in one kernel together with what follows;
        large tensors are split on purpose, statistics first.

    Bound:
        The time of the parts but for the slowest: one kernel in place of all is taken to need at least as
        long as that one.
    """
    hits = []
    told: set[int] = set()
    for layer in context.layers:
        parts = _parts(context, layer)
        if not parts or not told.isdisjoint(each.index for each in parts):
            continue
        told.update(each.index for each in parts)
        norms = max(1, sum(operations(each).count("Mean") > 1 for each in parts[:-1]))
        what = "A normalization takes" if norms == 1 else f"{norms} normalizations share"
        shape = describe_shape(parts[0].inputs[0].dimensions) if parts[0].inputs else ""
        hits.append(
            Hit(
                f"{what} {len(parts)} kernels{for_time(context, parts)}.",
                tuple(parts),
                saved_by_fusing(parts),
                {"Shape": shape} if shape else {},
            )
        )
    return worthwhile(context, hits, gain_percent)


def _parts(context: Context, root: LayerFacts) -> list[LayerFacts]:
    """Return the kernels of the normalization whose root a layer takes, if they are several."""
    if not _takes_root_of_others(root):
        return []

    def is_part(layer: LayerFacts) -> bool:
        has_root = not _ROOTS.isdisjoint(operations(layer))
        return not has_root and (reduces(layer) or is_pointwise(layer) or context.is_reformat(layer))

    _, passed = search(root, partial(feeders, context), is_part)
    statistics = [layer for layer in passed if reduces(layer)]
    if not statistics:
        return []
    within = {layer.index for layer in passed}
    parts = {each.index: each for each in (root, *statistics, *reachable(context, statistics, within))}
    behind = sole_reader(context, root)
    for _ in range(_MOST_BEHIND):
        if behind is None or not is_pointwise(behind):
            break
        parts[behind.index] = behind
        behind = sole_reader(context, behind)
    return [parts[index] for index in sorted(parts)]


def _takes_root_of_others(layer: LayerFacts) -> bool:
    """Tell whether a layer takes a root, and not of what it has averaged itself before."""
    for operation in operations(layer):
        if operation in _ROOTS:
            return True
        if operation in {"Mean", "Sum", "Reduce"}:
            return False
    return False

"""TRX202 reformat.layout-only."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.move_kinds import linear_neighbors
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_place,
    reformat_places,
)
from trexreport.numbers import layer_label, list_names


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats change only the layout between layers{extent}.",
    thresholds=(ALL_PLACES, EACH_PLACE),
    explains={"share": ("TRX205",)},
)
def layout_only(context: Context, *, share_percent: float, place_percent: float) -> Hits:
    """A reformat changes only the layout between two layers.

    Cost:
        It reads and writes a whole tensor to rearrange the same values, because the kernels of its neighbors
        read and write different layouts.

    Recommendation:
        [if linear-side, unless linear-region: Look at the neighbor that needs the linear layout (NCHW):
        {Linear neighbor|operations without a vectorized kernel, such as pooling in FP32, resizing,
        transposing and reshaping}. Replace or move it.] [if
        linear-region: The region (ForeignNode) reads and writes the linear layout: what joins it, such as a
        1x1 convolution that the model computes as a MatMul, needs no reformat.]
        [unless linear-side: Its neighbors have kernels for different layouts of channels in units:
        one type for both, and numbers of channels that fill the units, let them share one.] [8.6..,
        unless level-5: --builderOptimizationLevel=5 lets the builder try more kernels.] [if
        cache-file: Build without it, so that the kernels are measured again.]

    False alarm:
        The builder timed the reformat with its neighbors' kernels and found the sum faster than kernels with
        a common layout. Then only another operation or shape helps.

    Est. savings:
        An estimate: up to the time of the reformat; nothing if its neighbors have no kernels with a common
        layout that are as fast.
    """
    found = context.cached(reformat_places).layout_changes
    for layer in context.significant(found, share_percent, place_percent):
        before, after = (context.tensor(use.tensor).layout for use in (layer.inputs[0], layer.outputs[0]))
        yield Hit(
            f"{LAYER} changes the layout from {before} to {after}{EXTENT}.",
            (layer,),
            of_layers("estimate", [(layer, 0.0, layer.avg_ms or 0.0)], "removed-layers"),
            describe_place(context, layer) | _linear_neighbor(context, layer),
        )


def _linear_neighbor(context: Context, layer: LayerFacts) -> dict[str, str]:
    """Return the layers on the side of the linear layout, as evidence."""
    beside = linear_neighbors(context, layer)
    if not beside:
        return {}
    names = [
        f"{layer_label(each.name)} ({each.type})" if each.type else layer_label(each.name) for each in beside
    ]
    return {"Linear neighbor": list_names(names, 2)}

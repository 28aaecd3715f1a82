"""TRX202 reformat.layout-only."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.reformat.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, rule


@rule(
    "TRX202",
    "reformat.layout-only",
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats change only the layout between layers.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def layout_only(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat changes only the layout between two layers.

    Cost:
        It reads and writes a whole tensor to arrange the same numbers differently, because the kernels on its
        sides read and write different layouts.

    Advice:
        Look at the side that wants the plain layout (linear, NCHW): operations without a vectorized kernel,
        such as pooling in FP32, resizing, transposing and reshaping. Replace or move them, or let them run
        in the type of their neighbors. A fresh timing cache and --builderOptimizationLevel=5 (since 8.6)
        let the builder weigh more combinations.

    False alarm:
        The builder has timed the reformat with the kernels on its sides and found the sum faster than kernels
        that share a layout. Then only another operation or shape helps.

    Bound:
        All the time of the reformat.
    """
    found = context.once(reformat_places).layout_changes
    if not context.may_matter(found, share_percent):
        return
    for layer in found:
        if context.may_matter([layer], place_percent):
            before, after = (context.facts(use.tensor).layout for use in (layer.inputs[0], layer.outputs[0]))
            yield Hit(
                f"It turns {before} into {after}{for_time(context, [layer])}.",
                (layer,),
                layer.avg_ms,
                describe_place(context, layer),
            )

"""TRX501 fusion.unfused-pointwise-chain."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.fusion.pointwise_parts import (
    is_gelu,
    operations_evidence,
    shape_evidence,
)
from trexreport.analyzer.rules.patterns import (
    pointwise_groups,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, saved_by_fusing, worthwhile
from trexreport.numbers import counted


@rule(
    "TRX501",
    "fusion.unfused-pointwise-chain",
    "warning",
    many="{count} chains of pointwise layers run as several kernels each.",
    subject="fusion",
    thresholds=(least_gain(0.5),),
)
def unfused_pointwise_chain(context: Context, *, gain_percent: float) -> list[Hit]:
    """Pointwise layers that feed only each other run as kernels of their own.

    Cost:
        Each kernel reads the whole tensor from memory and writes it back, though one kernel could do all of
        them in one pass; reformats between them add a pass each.

    Advice:
        Find what keeps them apart: a Cast or a change of layout between them, a plugin that takes and gives
        one layout only, a Scale that belongs to a normalization that was exported as InstanceNormalization
        (write GroupNormalization or LayerNormalization), `--markDebug`, or a precision pinned for one layer.
        Then build anew and check that the layers have become one.

    False alarm:
        Small tensors, where each kernel costs little more than its start; and operations that TensorRT has
        no fused kernel for.

    Bound:
        The time of the chain, reformats included, but for its slowest layer: one kernel in place of all is
        taken to need at least as long as that one.
    """
    hits = []
    for members in context.once(pointwise_groups):
        if is_gelu(members):
            continue
        own = sum(not context.is_reformat(each) for each in members)
        what = f"{own} pointwise layers feed only each other and run apart"
        what += f", with {counted(len(members) - own, 'reformat')} between," if len(members) > own else ""
        evidence = operations_evidence(members) | shape_evidence(members[-1])
        hits.append(
            Hit(
                f"{what}{for_time(context, members)}".rstrip(",") + ".",
                tuple(members),
                saved_by_fusing(members),
                evidence,
            )
        )
    return worthwhile(context, hits, gain_percent)

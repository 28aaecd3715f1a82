"""TRX501 fusion.unfused-pointwise-chain."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.channel_attentions import of_reported_attentions
from trexreport.analyzer.rules.fusion.pointwise_parts import is_gelu, operations_evidence, shape_evidence
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import pointwise_groups
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.savings import fused, worthwhile
from trexreport.numbers import counted


@built_in_rule(
    "warning",
    many="{count} chains of pointwise layers run as several kernels each{extent}.",
    thresholds=(min_gain(0.5),),
    explains={"share": ("TRX304", "TRX601")},
    replaces=True,
)
@worthwhile
def unfused_pointwise_chain(context: Context) -> Hits:
    """Pointwise layers that feed only each other run as separate kernels.

    Cost:
        Each kernel reads the whole tensor from memory and writes it back, although one kernel could do all of
        them in one pass; reformats between them add a pass each.

    Recommendation:
        [if steps: Many equal steps in a row are a recurrence over tokens or time that the export unrolled,
        such as the scan of a state-space model: one plugin that keeps the state on the chip computes it in
        one kernel.] [if reformats-between, unless steps: A reformat is between them: give what they read and
        write one type and layout; a plugin, or a type that is stated for one layer, prevents it.] [if
        scale-layers, unless steps: Pointwise kernels take no Scale of single channels: fold a batch
        normalization into the layer before it, and export one of instances as GroupNormalization or
        LayerNormalization.] [unless steps, unless reformats-between, unless scale-layers: Nothing is between
        them, and TensorRT ended the kernel by itself: a newer version may not.] [8.6.., unless steps, unless
        reformats-between, unless scale-layers, unless level-5: --builderOptimizationLevel=5 lets the builder
        try more kernels.]

    False alarm:
        Small tensors, where each kernel takes little more than its launch; and operations for which TensorRT
        has no fused kernel. Branches that several blocks of squeeze-and-excitation scale belong to TRX518.

    Est. savings:
        An estimate: the time of the layers minus that of one kernel, which reads and writes what they
        exchange with others at the rate of the fastest or slowest of them; from 0 where a reformat between
        them changes the layout, as no pointwise kernel does.
    """
    scaling = of_reported_attentions(context, -1)
    for members in context.cached(pointwise_groups):
        if is_gelu(members) or sum(each.index in scaling for each in members) > 1:
            continue
        own = sum(not context.is_reformat(each) for each in members)
        what = f"{own} pointwise layers feed only each other but are not fused"
        if len(members) > own:
            what += f", with {counted(len(members) - own, 'reformat')} between"
        evidence = operations_evidence(members) | shape_evidence(members[-1])
        yield Hit(f"{what}{timed(context, members)}.", tuple(members), fused(context, members), evidence)

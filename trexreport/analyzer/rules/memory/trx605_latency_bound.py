"""TRX605 memory.latency-bound."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.launches import fills_gpu, is_mostly_launch
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.roof_share import is_far_off
from trexreport.numbers import counted, format_percent


@built_in_rule(
    "info",
    needs=("layers", "profile", "roofline"),
    section="roofline",
    explains={"share": ("TRX703",)},
    thresholds=(min_share(50.0, "latency-bound layers"),),
)
def latency_bound(context: Context, *, share_percent: float) -> Hits:
    """Most of layer time is latency-bound.

    Kernels that are about as short as a launch are left out: TRX508 reports them. So are convolutions and
    matrix multiplications with at least four tiles of 64 x 64 for each SM: more work makes them no faster.
    What takes ten times its roofline time has a kernel that suits it badly (TRX604), and is left out.

    Cost:
        Neither the memory bandwidth nor the peak performance of the GPU explains a third of the time of these
        layers. Usual causes are too few thread blocks to fill the GPU, dependencies between instructions,
        dimensions that are not aligned to what Tensor Cores take, and kernels that suit the shape badly.

    Recommendation:
        Give each kernel more work: a larger batch, or several queries at once on streams. [8.6..: trtexec
        measures that with --infStreams=4.] [if unknown-optimum: Build with the shapes of the run as
        --optShapes: no file states those for which the builder chose its kernels.] [if unaligned: Align
        channels to what Tensor Cores take at a time (8 in FP16, 16 in INT8).] [8.6.., unless level-5:
        --builderOptimizationLevel=5 lets the builder try more kernels.]

    False alarm:
        The GPU ran at lower clocks than the peaks are for, or was another one. Layers that read some bytes
        several times are limited by memory, which the sizes of their tensors do not show.

    Est. savings:
        Not estimated: which part of the time can be saved depends on the cause.
    """
    # The peaks are those of the GPU, not of a DLA.
    on_dla = {layer.index for layer in context.cached(dla_use).on_dla}
    found = [
        layer
        for layer in context.layers
        if layer.roof and layer.roof.bound == "latency" and not is_mostly_launch(context, layer)
        if layer.index not in on_dla and not fills_gpu(context, layer)
        if not is_far_off(context, layer)
    ]
    found = context.slowest(found, share_percent)
    if not found:
        return
    time_ms = context.time_ms(found)
    roof_ms = sum(layer.roof.roof_ms for layer in found if layer.roof)
    whose = "Its" if len(found) == 1 else "Their"
    yield Hit(
        f"{counted(len(found), 'latency-bound layer')} {takes_time(context, found)}. {whose} roofline time "
        f"explains {format_percent(roof_ms / time_ms)} of it.",
        tuple(found),
        None,
        {"Limit": f"{context.analysis.roofline.explained_percent:g}% of roofline"},
    )

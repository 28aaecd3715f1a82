"""TRX606 memory.measured-bytes."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.numbers import format_bytes, format_percentage


@built_in_rule(
    "info",
    needs=("layers", "profile", "counters"),
    section="roofline",
    many="{count} layers read and write more bytes of device memory than their tensors have{extent}.",
    thresholds=(
        percent(
            "bytes_percent",
            200.0,
            "Minimum measured bytes, in percent of those by tensors and weights.",
            maximum=10000,
        ),
        min_share(1.0, "the layer"),
    ),
)
def measured_bytes(context: Context, *, bytes_percent: float, share_percent: float) -> Hits:
    """A layer moves far more bytes of device memory than its tensors have.

    Cost:
        It reads parts of its inputs several times, or keeps results in a workspace, as kernels with split K
        do: its time follows the bytes that it moves, and not those of its tensors.

    Recommendation:
        Let TensorRT choose another tactic. [8.6.., unless level-5: --builderOptimizationLevel=5 lets the
        builder try more kernels.] [8.4.., if workspace: A larger workspace (--memPoolSize) allows more.]

    False alarm:
        Nsight Compute flushes caches before each kernel, so that inputs are read from device memory which
        would be in the L2 cache in a query; and bytes by tensors leave out weights that no file states.

    Est. savings:
        Not estimated: what another tactic would move is not known.
    """
    counters = context.analysis.counters
    for each in counters.layers if counters else ():
        layer = context.analysis.layers[each.layer]
        if each.bytes_percent is None or each.bytes_percent < bytes_percent:
            continue
        if context.is_significant([layer], share_percent):
            yield Hit(
                f"{{layer}} moves {format_bytes(each.dram_bytes)} of device memory, "
                f"{format_percentage(each.bytes_percent)} of its tensors and weights.",
                (layer,),
                None,
                {
                    "Measured": format_bytes(each.dram_bytes),
                    "By tensors": format_bytes(layer.moved_bytes),
                },
            )

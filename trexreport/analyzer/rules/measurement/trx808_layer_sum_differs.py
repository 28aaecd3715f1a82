"""TRX808 measurement.layer-sum-differs."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_ms, format_percent
from trexreport.wording.latency import gap_reason_sentence


@rule(
    "TRX808",
    "measurement.layer-sum-differs",
    "info",
    many="The layers' sum differs in {count} ways.",
    needs=("profile", "end-to-end"),
    section="timing",
    thresholds=(
        Threshold(
            "difference_percent",
            10.0,
            0,
            1000,
            "Difference of the layers' sum from GPU compute time, in percent of the latter.",
        ),
    ),
)
def layer_sum_differs(context: Context, *, difference_percent: float) -> Iterator[Hit]:
    """The layers' times do not add up to the time of the engine.

    Cost:
        Shares of layers are shares of their sum. Where the sum is larger, profiling has lengthened small
        layers most, so their shares are too high; where it is smaller, time passes that no layer is charged
        for, such as launch gaps, waiting and synchronization.

    Advice:
        Judge layers by their times, the engine by its own. If the sum is larger because layers ran side by
        side, profile an engine built with --maxAuxStreams=0. If it is smaller, look at the gaps in Nsight
        Systems and try a CUDA graph.

    False alarm:
        A sum that is 5 to 40 % larger is usual for small engines: time stamps around each layer keep
        kernels from overlapping.

    Bound:
        Where the sum is smaller: the time that no layer takes. Else none.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    gap, total_ms = latency.gap_percent, latency.layer_sum_ms
    if whole is None or gap is None or total_ms is None or abs(gap) < difference_percent:
        return
    than = "more" if gap > 0 else "less"
    name = "GPU compute time" if latency.gpu_compute else "latency"
    yield Hit(
        f"The layers take {format_ms(total_ms)} together, {format_percent(abs(gap) / 100)} {than} than the "
        f"{name} of {format_ms(whole.mean_ms)}.",
        (),
        None if gap > 0 else whole.mean_ms - total_ms,
        {"Why": " ".join(map(gap_reason_sentence, latency.gap_reasons))},
        severity="info" if gap > 0 else "warning",
    )

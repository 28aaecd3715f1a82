"""TRX808 measurement.total-layer-time."""

from __future__ import annotations

from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule, estimate
from trexreport.analyzer.rules.limits import min_difference, percent
from trexreport.numbers import format_ms, format_percent
from trexreport.wording.latency import gap_reason_sentence


@built_in_rule(
    "info",
    former_name="measurement.layer-sum-differs",
    needs=("profile", "end-to-end"),
    thresholds=(
        min_difference(10.0, "by which total layer time is below GPU compute time, in percent of the latter"),
        percent("above_percent", 50.0, "Minimum difference by which it is above that.", maximum=1000),
    ),
)
def total_layer_time(context: Context, *, difference_percent: float, above_percent: float) -> Hits:
    """Total layer time differs from GPU compute time.

    Cost:
        The shares of layers refer to total layer time. Where it is larger, profiling has lengthened small
        layers most, so their shares are too high; where it is smaller, time passes that belongs to no layer,
        such as launch gaps, waiting and synchronization.

    Recommendation:
        Judge layers by their times, the engine by its own. [8.6.., if profile-longer, unless in-turn: Where
        layers ran in parallel, profile an engine built with --maxAuxStreams=0.] [if profile-longer, if graph:
        Layers are profiled without the CUDA graph, so that short ones take longer than in it.] [unless
        profile-longer: Look at the gaps in Nsight Systems.] [unless profile-longer, unless no-capture: A CUDA
        graph removes those of kernel launches.]

    False alarm:
        A total that is 5 to 40% larger is common for small engines: time stamps around each layer prevent
        kernels from overlapping. A total below GPU compute time is left to TRX805 where launches explain it.
        Where GPU compute time changes during the measurement, by TRX802 or TRX803, and the total is as large
        as one of its levels, nothing is reported, nor where files contradict each other's times.

    Est. savings:
        An estimate: up to GPU compute time minus total layer time, which is the GPU gap between layers; not
        estimated where total layer time is larger, as profiling adds time to each layer.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    gap, total_ms, time = latency.gap_percent, latency.layer_sum_ms, "layer time"
    if whole is None or gap is None or total_ms is None or -difference_percent < gap <= 0:
        return
    if contradicted(context.analysis.contradictions, ["query-times", "layer-times"]):
        return  # TRX908 reports that.
    if gap > 0:
        # Where a few slow iterations lengthen the averages, TRX814 advises the medians.
        total_ms, time = context.total_ms, context.layer_time_name
        gap = 100 * (total_ms / whole.median_ms - 1)
        if gap < above_percent:
            return
    elif context.enqueue_state == "bound":
        return  # TRX805 reports that gap with its reason.
    if any(reason.code == "changing-times" for reason in latency.gap_reasons):
        return  # TRX802 and TRX803 report that.
    side = "above" if gap > 0 else "below"
    name = "GPU compute time" if latency.gpu_compute else "latency"
    yield Hit(
        f"Total {time} is {format_percent(abs(gap) / 100)} {side} {name} ({format_ms(total_ms)} vs. "
        f"{format_ms(whole.median_ms)}).",
        (),
        None if gap > 0 else estimate(0.0, whole.median_ms - total_ms, "measured-gap"),
        {"Why": " ".join(map(gap_reason_sentence, latency.gap_reasons))},
        severity="info" if gap > 0 else "warning",
    )

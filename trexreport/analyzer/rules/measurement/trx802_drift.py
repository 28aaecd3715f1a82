"""TRX802 measurement.drift."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.thresholds import UNUSABLE_PERCENT
from trexreport.numbers import format_count, format_percent


@built_in_rule(
    "warning",
    needs=("queries",),
    thresholds=(
        percent(
            "drift_percent",
            2.0,
            "Minimum change of the median from the first tenth of the queries to the last, in percent.",
            maximum=1000,
        ),
    ),
    explains={"engine": ("TRX801", "TRX807")},
)
def drift(context: Context, *, drift_percent: float) -> Hits:
    """GPU compute time drifts during the measurement.

    Cost:
        The mean mixes two conditions. [if drifts-up: A GPU lowers its clocks as it gets warm or reaches its
        power limit.] [unless drifts-up: The GPU was not warmed up when the measurement began.]

    Recommendation:
        [if drifts-up, unless jetson: Lock the clocks at a value that the GPU can sustain (nvidia-smi
        --lock-gpu-clocks), check the cooling, and look at nvidia-smi -q -d PERFORMANCE for the throttle
        reasons.] [if drifts-up, if jetson: Set a power mode that the board sustains (nvpmodel), lock its
        clocks (jetson_clocks) and check the cooling.] [unless drifts-up: Warm up longer (--warmUp=1000).]
        Then measure again.

    False alarm:
        Times of TensorRT 8.4 and older include the warm-up queries, so they decrease. Nothing is reported
        where the times form two groups (TRX803), and where they may differ by chance, also if each query is
        like the one before it: below 200 queries the first and the last fifth must lie 15% apart, or 5% with
        several queries halfway between, or, from 50 on, the medians of the tenths be in order. Nothing is
        reported below 20. Where the times vary so much that they say little, TRX801 alone reports it.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    stability = context.analysis.stability
    if stability is not None and stability.variation_percent >= UNUSABLE_PERCENT:
        return
    if stability is None or not stability.is_drifting or abs(stability.drift_percent) <= drift_percent:
        return
    found = stability.drift_percent
    change = "slower" if found > 0 else "faster"
    cause = "throttled clocks" if found > 0 else "a short warm-up"
    yield Hit(
        f"The last tenth of {format_count(stability.queries)} queries is {format_percent(abs(found) / 100)} "
        f"{change} than the first tenth (medians); the likely cause is {cause}."
    )

"""TRX802 measurement.drift."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.analysis import Stability
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_count, format_percent


@rule(
    "TRX802",
    "measurement.drift",
    "warning",
    many="The times drift in {count} ways.",
    needs=("queries",),
    section="timing",
    thresholds=(
        Threshold(
            "drift_percent",
            2.0,
            0,
            1000,
            "Change of the median from the first tenth of the queries to the last, in percent.",
        ),
    ),
)
def drift(context: Context, *, drift_percent: float) -> Iterator[Hit]:
    """The GPU time changes in the course of the measurement.

    Cost:
        The mean is that of two conditions: times that rise show a GPU that lowers its clocks as it gets
        warm or reaches its power limit, falling ones show that it was not warmed up when the measurement
        began.

    Advice:
        Where times rise: lock the clocks at what the GPU can hold (nvidia-smi --lock-gpu-clocks), mind the
        cooling, and look at nvidia-smi -q -d PERFORMANCE for the reasons of throttling. Where they fall:
        warm up longer (--warmUp=1000). Then measure again.

    False alarm:
        Times of TensorRT 8.4 and older include the queries of the warm-up, so that they fall. A drift
        within what the scatter of so few queries makes likely is not reported.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    stability = context.analysis.stability
    if stability is None or abs(stability.drift_percent) <= max(
        drift_percent, _likely_drift_percent(stability)
    ):
        return
    found = stability.drift_percent
    way = "slower" if found > 0 else "faster"
    cause = "clocks that fall with heat or power" if found > 0 else "a warm-up that was too short"
    yield Hit(
        f"The last tenth of {format_count(stability.queries)} queries is {format_percent(abs(found) / 100)} "
        f"{way} than the first (medians), which speaks for {cause}.",
    )


def _likely_drift_percent(stability: Stability) -> float:
    """Return the difference that two medians of a tenth of the queries may show by chance.

    Four standard errors; that of a median is 1.25 times that of a mean for normal times.
    """
    tenth = max(1, stability.queries // 10)
    return 4 * 1.25 * stability.variation_percent * math.sqrt(2 / tenth)

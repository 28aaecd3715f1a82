"""Sentences about how stable the query times are."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.timing import Stability, stated_variation
from trexreport.analyzer.thresholds import STEADY_PERCENT
from trexreport.numbers import counted
from trexreport.wording.shares import percent

#: What is known of the query times of trtexec up to 8.4.
WARM_UP = "Up to TensorRT 8.4 the query times in the file include the warm-up queries."


def timing_sentence(analysis: Analysis) -> str:
    """Return how much the GPU compute time of the queries varies."""
    stability = analysis.stability
    if stability is None:
        stated = stated_variation(analysis.measurement_warnings)
        known = (
            ""
            if stated is None
            else f" trtexec states a coefficient of variation of {percent(stated)} of GPU compute time."
        )
        return f"This capture has no times of single queries.{known}"
    queries = counted(stability.queries, "query", "queries")
    if not stability.can_judge:
        verb = "is" if stability.queries == 1 else "are"
        return f"{queries} {verb} too few to judge how stable the times are."
    text = (
        f"GPU compute time is {steadiness(stability)} over {queries}: its "
        f"coefficient of variation is {percent(stability.variation_percent)}"
    )
    if stability.is_drifting:
        direction = "slower" if stability.drift_percent > 0 else "faster"
        text += (
            f", and the last tenth of the queries is {percent(abs(stability.drift_percent))} {direction} "
            "than the first"
        )
    return f"{text}."


def steadiness(stability: Stability) -> str:
    """Return "stable", "unstable", or that it is stable but for a few outliers."""
    if not stability.is_steady:
        return "unstable"
    return "stable" if stability.variation_percent <= STEADY_PERCENT else "stable but for a few outliers"


def measurement_warnings(analysis: Analysis) -> list[str]:
    """Return trtexec's own warnings, and what its version is known to do to the query times."""
    warm_up = analysis.stability is not None and analysis.stability.includes_warm_up
    return [*analysis.measurement_warnings, *([WARM_UP] if warm_up else [])]

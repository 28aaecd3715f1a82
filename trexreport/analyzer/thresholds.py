"""The bounds by which the report judges a measurement, each in one place."""

from __future__ import annotations

from trexreport.analyzer.analysis import Latency

#: trtexec from 10.13 on warns above this coefficient of variation, in percent.
STEADY_PERCENT = 2.5
#: Fewer queries say nothing of how steady the times are.
FEWEST_QUERIES = 20
#: From this share of the GPU time on, queuing the work may hold the GPU back.
ENQUEUE_SHARE = 0.8


def can_judge(queries: int) -> bool:
    """Tell whether there are enough queries to judge how steady the times are."""
    return queries >= FEWEST_QUERIES


def is_steady(variation_percent: float) -> bool:
    """Tell whether GPU time varies little enough to trust small differences."""
    return variation_percent <= STEADY_PERCENT


def is_held_back_by_host(latency: Latency) -> bool:
    """Tell whether queuing the work takes the host about as long as the GPU computes."""
    whole = latency.gpu_compute or latency.end_to_end
    if latency.enqueue is None or whole is None:
        return False
    return latency.enqueue.median_ms > ENQUEUE_SHARE * whole.median_ms

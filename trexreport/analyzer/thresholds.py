"""The bounds by which the report judges a measurement, each in one place."""

from __future__ import annotations

from trexreport.analyzer.analysis import Latency

#: trtexec from 10.13.2 on warns above this coefficient of variation, in percent.
STEADY_PERCENT = 2.5
#: trtexec up to 10.13.0 warns above this one. Source: sampleReporting.cpp of 8.4 to 11.1.
EARLIER_STEADY_PERCENT = 1.0
_STEADY_CHANGED_IN = (10, 13, 2)
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


def trtexec_steady_percent(version: str) -> float:
    """Return above which variation trtexec of this version warns; as the latest if it is not known."""
    parts = version.split(".")[:3]
    if not all(part.isascii() and part.isdecimal() for part in parts):
        return STEADY_PERCENT
    numbers = tuple(int(part) for part in parts)
    return EARLIER_STEADY_PERCENT if numbers < _STEADY_CHANGED_IN else STEADY_PERCENT


def is_held_back_by_host(latency: Latency) -> bool:
    """Tell whether queuing the work takes the host about as long as the GPU computes."""
    whole = latency.gpu_compute or latency.end_to_end
    if latency.enqueue is None or whole is None:
        return False
    return latency.enqueue.median_ms > ENQUEUE_SHARE * whole.median_ms

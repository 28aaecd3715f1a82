"""Queries of several streams, which share the GPU."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.thresholds import OVERLAP_PERCENT

#: The fastest query takes less than this part of the median where the first ones have the GPU for themselves.
_ALONE = 0.7


def do_streams_overlap(context: Context) -> bool:
    """Return whether several queries shared the GPU during most of the run."""
    busy = context.analysis.latency.gpu_busy_percent
    return not context.has_one_stream and busy is not None and busy >= OVERLAP_PERCENT


def are_streams_filling(context: Context) -> bool:
    """Return whether the first of several streams ran alone, so that its queries took far less time."""
    times = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    has_several = context.has_one_stream is False or do_streams_overlap(context)
    return has_several and times is not None and times.min_ms < _ALONE * times.median_ms

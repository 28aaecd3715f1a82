"""Queries of several streams, which share the GPU."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context

#: The fastest query takes less than this part of the median where the first ones have the GPU for themselves.
_ALONE = 0.7


def are_streams_filling(context: Context) -> bool:
    """Return whether the first of several streams ran alone, so that its queries took far less time."""
    times = context.analysis.latency.gpu_compute or context.analysis.latency.end_to_end
    return context.has_one_stream is False and times is not None and times.min_ms < _ALONE * times.median_ms

"""Whether the GPU mostly waits, so that faster layers change little before something else does."""

from __future__ import annotations

from trexreport.analyzer.rules.context import Context

#: Part of the time, in percent, that the GPU computes at least where its layers limit the run.
_MIN_BUSY = 60.0


def gpu_mostly_waits(context: Context) -> bool:
    """Return whether the host launches too slowly, or the GPU computes for too little of the run."""
    busy = context.analysis.latency.gpu_busy_percent
    return context.enqueue_state == "bound" or (busy is not None and busy < _MIN_BUSY)

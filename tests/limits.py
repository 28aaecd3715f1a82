"""Limit the work of a test, whatever the speed of the machine and however busy it is."""

from __future__ import annotations

import functools
import signal
import time
from contextlib import contextmanager

#: What a command may take for each MB that it reads, on a machine of the reference speed.
SECONDS_PER_MB = 10
#: What the reference machine needs for the loop of `slowness`.
_REFERENCE_S = 0.1


@functools.cache
def slowness() -> float:
    """Return how many times longer this machine takes than the reference machine; at least 1."""
    started = time.process_time()
    sum(number * number for number in range(1_000_000))
    return max(1.0, (time.process_time() - started) / _REFERENCE_S)


@contextmanager
def processor_seconds(limit: float):
    """Raise an AssertionError after this much processor time of the reference machine."""

    def stop(*_):
        raise AssertionError(f"more than {limit} s of the processor's time")

    seconds = limit * slowness()
    kept = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, kept)

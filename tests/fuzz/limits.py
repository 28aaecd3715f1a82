"""Hold a test to an amount of work, by the processor's time rather than the clock's."""

from __future__ import annotations

import signal
from contextlib import contextmanager

#: What a command may take for each MB that it reads.
SECONDS_PER_MB = 10


@contextmanager
def processor_seconds(most: float):
    """Raise after this many seconds of processor time; a busy machine does not matter."""

    def stop(*_):
        raise AssertionError(f"more than {most} s of the processor's time")

    kept = signal.signal(signal.SIGPROF, stop)
    signal.setitimer(signal.ITIMER_PROF, most)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        signal.signal(signal.SIGPROF, kept)

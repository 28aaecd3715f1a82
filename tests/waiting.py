"""Wait for an event, however slow the machine is."""

from __future__ import annotations

import time
from collections.abc import Callable

#: Only ends a hang: no test may depend on how soon something happens.
HANG_S = 60


def wait_until(has_happened: Callable[[], object], what: str = "the event") -> None:
    """Return as soon as a condition is true.

    Raises:
        AssertionError: It was still false after `HANG_S` seconds.
    """
    end = time.monotonic() + HANG_S
    while not has_happened():
        assert time.monotonic() < end, f"{what} did not happen within {HANG_S} s"
        time.sleep(0.02)

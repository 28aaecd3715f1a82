"""The thresholds by which the report judges a measurement."""

from __future__ import annotations

#: trtexec from 10.13.2 on warns above this coefficient of variation, in percent.
STEADY_PERCENT = 2.5
#: Times that vary from query to query by this or more, in percent, show little.
UNUSABLE_PERCENT = 20.0
#: Fewer queries do not show how stable the times are.
MIN_QUERIES = 20
#: Above this share of the GPU compute time the engine may be enqueue-bound.
ENQUEUE_SHARE = 0.8
#: The same where the GPU is idle between queries for longer than transfers explain.
ENQUEUE_SHARE_OF_IDLE = 0.7
#: From this part of its compute time on the GPU is idle between queries; else it always has the next one.
SMALL_GAP = 0.05

#: From this share of the wall time on, in percent, the GPU computes all the time, but for the ends of a run.
BUSY_PERCENT = 97.0
#: Total GPU compute time from which on queries overlap, in percent of the wall time.
OVERLAP_PERCENT = 150.0


def release_numbers(version: str, count: int) -> tuple[int, ...]:
    """Return the first numbers of a version such as 10.13.2, or none if one of them is not a number."""
    parts = version.split(".")[:count]
    return tuple(map(int, parts)) if all(part.isascii() and part.isdecimal() for part in parts) else ()


def includes_warm_up(version: str) -> bool:
    """Return whether this version of trtexec is known to be older than 8.5, which writes warm-up queries too.

    Source: printPerformanceReport in trtexec's sampleReporting.cpp of 8.4 and 8.5.
    """
    numbers = release_numbers(version, 2)
    return len(numbers) == 2 and numbers < (8, 5)

"""Cut a sequence of times in few runs of similar ones."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise

#: Maximum number of runs, and the part of all deviations that one more run has to explain.
_MAX_RUNS, _EXPLAINS = 6, 0.06
#: Minimum part of the whole time that a run takes.
_MIN_SHARE = 0.03
#: Longer sequences are divided into this many parts first.
_MAX_PARTS = 100
#: Shorter times count as this one.
_SHORTEST_MS = 1e-6


def runs_of_similar_times(times_ms: Sequence[float]) -> list[tuple[int, int]]:
    """Return begin and end of each run; nothing where the times do not change from run to run.

    A deviation is the square of how far the logarithm of a time is from the mean of its run.
    """
    count = min(len(times_ms), _MAX_PARTS)
    # Of nearly equal numbers, so that none has an unusual sum.
    starts = [len(times_ms) * part // count for part in range(count)]
    starts.append(len(times_ms))
    parts = [math.fsum(times_ms[start:end]) / (end - start) for start, end in pairwise(starts)]
    deviations, cuts = _best_cuts(parts)
    if not cuts:
        return []
    more = min(range(len(cuts)), key=lambda each: deviations[each] + _EXPLAINS * each * deviations[0])
    bounds = [len(parts)]
    for cut in reversed(cuts[: more + 1]):
        bounds.append(cut[bounds[-1]])
    return list(pairwise([starts[bound] for bound in reversed(bounds)])) if more else []


def _best_cuts(times_ms: Sequence[float]) -> tuple[list[float], list[list[int]]]:
    """Return for each number of runs the sum of deviations, and where the last run up to each end begins."""
    count = len(times_ms)
    logarithms = [math.log(max(time, _SHORTEST_MS)) for time in times_ms]
    sums = [list(accumulate(logarithms, initial=0.0))]
    sums.append(list(accumulate((each * each for each in logarithms), initial=0.0)))
    until_ms = list(accumulate(times_ms, initial=0.0))

    def deviation(start: int, end: int) -> float:
        if until_ms[end] - until_ms[start] < _MIN_SHARE * until_ms[-1]:
            return math.inf
        total, squares = (each[end] - each[start] for each in sums)
        return max(squares - total * total / (end - start), 0.0)

    best = [math.inf, *(deviation(0, end) for end in range(1, count + 1))]
    deviations, cuts = [best[count]], [[0] * (count + 1)]
    while len(cuts) < min(_MAX_RUNS, count):
        ends = [
            min(((best[cut] + deviation(cut, end), cut) for cut in range(1, end)), default=(math.inf, 0))
            for end in range(count + 1)
        ]
        best = [each for each, _ in ends]
        cuts.append([cut for _, cut in ends])
        deviations.append(best[count])
    return (deviations, cuts) if count else ([], [])

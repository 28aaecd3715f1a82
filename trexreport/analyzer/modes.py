"""Find out whether query times fall into two groups, as they do when the GPU changes between two clocks.

The test looks at the density of the times, drawn with a Gaussian kernel whose bandwidth follows Silverman's
rule of thumb (B. W. Silverman, Density Estimation for Statistics and Data Analysis, 1986, equation 3.31). The
rule smooths too much where there are two groups, so that it errs toward one. Two groups are there if the two
highest peaks lie far enough apart, the density between them falls to half of the lower peak or less, and each
side of that valley holds a fair part of the queries. One long tail, however long, has no such valley.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence
from itertools import accumulate, pairwise

from trexreport.analyzer.analysis.timing import TwoModes
from trexreport.analyzer.percentiles import mean_and_deviation, median, percentile

#: Fewer queries draw no density that could be trusted.
MIN_QUERIES_FOR_MODES = 200
#: The valley's density over the lower peak's, at most.
MAX_VALLEY = 0.5
#: Part of the queries on each side of the valley, at least.
MIN_PART = 0.1
#: CUDA's events count in steps of about a microsecond, which must not look like groups.
_CLOCK_STEP_MS = 0.001
#: What lies outside of these percentiles is not a group, as it holds less than `MIN_PART`.
_RANGE = (2.0, 98.0)
_CELLS = 512
#: Part of the smaller group that may lie on the other side of a single step: on its ramp, and outliers.
_MAX_MISPLACED = 0.05
_REACH = 4.0  # a Gaussian is next to nothing beyond this many bandwidths


def find_two_modes(times: Sequence[float], least: int = MIN_QUERIES_FOR_MODES) -> TwoModes | None:
    """Return the two groups that times fall into, or None if they form one.

    Args:
        times: In milliseconds, in the order in which they were measured.
        least: With fewer queries no group is looked for.
    """
    if len(times) < least:
        return None
    ordered = sorted(times)
    low, high = (percentile(ordered, rank) for rank in _RANGE)
    if not low < high:
        return None
    bandwidth = _bandwidth(ordered, high - low)
    low, high = low - bandwidth, high + bandwidth
    density = _density(ordered, low, high, bandwidth)
    valley = _valley(density)
    if valley is None:
        return None
    split = low + (high - low) * (valley + 0.5) / len(density)
    fast = bisect_right(ordered, split)
    if not MIN_PART * len(times) <= fast <= (1 - MIN_PART) * len(times):
        return None
    sides = [time <= split for time in times]
    changes = [at for at, (one, other) in enumerate(pairwise(sides), 1) if one != other]
    step = _step(sides, changes)
    return TwoModes(
        fast_ms=median(ordered[:fast]),
        slow_ms=median(ordered[fast:]),
        slow_percent=100 * (len(times) - fast) / len(times),
        changes=1 if step else len(changes),
        step_after=step,
        gets_slower=step is not None and sides[0],
    )


def _step(sides: Sequence[bool], changes: Sequence[int]) -> int | None:
    """Return after how many queries the times change for good; None if they change to and fro.

    Between two clocks there may be a ramp, on which queries cross the limit between the groups several times.
    Single outliers elsewhere change nothing: few queries before the place are of the later group.

    Args:
        sides: Of each query whether it is in the fast group.
        changes: Where a query is in another group than the one before it.
    """
    if not changes:
        return None
    count, fast = len(sides), sum(sides)
    starts_fast = sum(sides[:fast]) > fast * fast / count
    # If there is one step, it is where the first group has as many queries as there are of it.
    place = fast if starts_fast else count - fast
    wrong = sum(side != starts_fast for side in sides[:place])
    if wrong > _MAX_MISPLACED * min(place, count - place):
        return None
    return place


def _bandwidth(ordered: Sequence[float], spread: float) -> float:
    """Return Silverman's bandwidth, but no less than the clock or the grid can distinguish."""
    count = len(ordered)
    _, deviation = mean_and_deviation(ordered)
    quartiles = percentile(ordered, 75) - percentile(ordered, 25)
    scale = min(deviation, quartiles / 1.34) if quartiles > 0 else deviation
    return max(0.9 * scale * math.pow(count, -0.2), _CLOCK_STEP_MS, 4 * spread / _CELLS)


def _density(ordered: Sequence[float], low: float, high: float, bandwidth: float) -> list[float]:
    """Return the density, not normalized, in equal cells from `low` to `high`."""
    width = (high - low) / _CELLS
    counts = Counter(min(_CELLS - 1, int((time - low) / width)) for time in ordered if low <= time <= high)
    reach = math.ceil(_REACH * bandwidth / width)
    kernel = [math.exp(-0.5 * (step * width / bandwidth) ** 2) for step in range(reach + 1)]
    density = [0.0] * _CELLS
    for cell, count in counts.items():
        for other in range(max(0, cell - reach), min(_CELLS, cell + reach + 1)):
            density[other] += count * kernel[abs(other - cell)]
    return density


def _valley(density: Sequence[float]) -> int | None:
    """Return the lowest cell between two peaks if it is deep enough, of all such the deepest.

    The depth is measured against the lower one of the highest peaks to its left and right.
    """
    above_left = accumulate(density, max)
    above_right = list(accumulate(reversed(density), max))[::-1]
    best, best_depth = None, MAX_VALLEY
    for cell, (height, left, right) in enumerate(zip(density, above_left, above_right, strict=True)):
        depth = height / min(left, right)
        if depth < best_depth:
            best, best_depth = cell, depth
    return best

"""Find where the level of a run's times changes: clock steps, two clock states, drift, throttling.

The median of a run whose level changes depends on how long the GPU stayed at each level, which differs from
run to run. Its level is therefore only known to lie between the lowest and the highest one.

A run is divided into equal blocks, whose medians are split where the difference between both sides is
largest (binary segmentation: A. J. Scott and M. Knott, A cluster analysis method for grouping means in the
analysis of variance, Biometrics 30, 1974). The noise of a block's median is estimated from the differences
of neighboring blocks, which a change of level affects at one place only (J. von Neumann, Distribution of the
ratio of the mean square successive difference to the variance, Annals of Mathematical Statistics 12, 1941;
here with their median, which a few changes do not move).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from statistics import median
from typing import Literal

from trexreport.analyzer.modes import find_two_modes
from trexreport.lazy_dataclass import dataclass

#: How the level of a run changes.
Pattern = Literal["steady", "clock-step", "slow-drift", "changing-level", "long-warm-up", "two-modes"]

#: In how many blocks a run is divided, and how many iterations a block has at least.
BLOCKS, MIN_BLOCK = 20, 10
#: A split counts from this many standard errors on: twenty noisy blocks alone reach 4 in one run of a
#: hundred.
_MIN_ERRORS = 5.0
#: Smaller changes of the level are far below the spread between runs (in logarithms).
_MIN_CHANGE = 0.005
#: The noise of a block's median is at least this much, so that a coarse timer does not look like levels.
_MIN_NOISE = 0.0005
#: A slower beginning of up to this part of the run is a usual warm-up: the median does not depend on it.
_USUAL_WARM_UP = 0.1
#: Median of the absolute difference of two normal values of standard deviation 1: 0.6745 times the root of 2.
_MEDIAN_DIFFERENCE = 0.954
#: A share of one mode that differs from a half by this many standard errors fixes which one has the median.
_SURE_ERRORS = 3.0


@dataclass(frozen=True)
class Levels:
    """Between which levels the time of a run lies, besides its noise; in natural logarithms.

    Attributes:
        below, above: How far the lowest and the highest level are from the median; 0 for a steady run.
        first, last: Level at the beginning and at the end, or of the fast and the slow mode.
        place: Part of the run after which the level changes first; 0 where it has no place.
    """

    pattern: Pattern = "steady"
    below: float = 0.0
    above: float = 0.0
    first: float = 0.0
    last: float = 0.0
    place: float = 0.0


def find_levels(times: Sequence[float], middle: float) -> Levels:
    """Return the levels of a run.

    Args:
        times: In the order in which they were measured, all above zero.
        middle: Logarithm of their median.
    """
    count = min(BLOCKS, len(times) // MIN_BLOCK)
    bounds = [block * len(times) // count for block in range(count + 1)] if count else [0]
    blocks = [math.log(median(times[low:high])) for low, high in pairwise(bounds)]
    starts = _split(blocks)
    if len(starts) > 1:
        found = _of_segments(blocks, starts, middle)
        if found.pattern != "steady":
            return found
    return _of_modes(times, middle)


def _split(blocks: Sequence[float]) -> list[int]:
    """Return where segments of one level begin, 0 first."""
    if len(blocks) < 4:
        return [0]
    differences = [abs(after - before) for before, after in pairwise(blocks)]
    noise = max(median(differences) / _MEDIAN_DIFFERENCE, _MIN_NOISE)
    starts, open_ranges = [0], [(0, len(blocks))]
    while open_ranges:
        low, high = open_ranges.pop()
        place = _best_split(blocks[low:high], noise)
        if place:
            starts.append(low + place)
            open_ranges += [(low, low + place), (low + place, high)]
    return sorted(starts)


def _best_split(blocks: Sequence[float], noise: float) -> int:
    """Return after how many blocks the level changes most clearly; 0 if it does not."""
    total, count, left = math.fsum(blocks), len(blocks), 0.0
    best, most = 0, _MIN_ERRORS * noise
    for place in range(1, count):
        left += blocks[place - 1]
        change = abs(left / place - (total - left) / (count - place))
        weighted = change * math.sqrt(place * (count - place) / count)
        if weighted > most and change >= _MIN_CHANGE:
            best, most = place, weighted
    return best


def _of_segments(blocks: Sequence[float], starts: Sequence[int], middle: float) -> Levels:
    ends = [*starts[1:], len(blocks)]
    levels = [median(blocks[low:high]) for low, high in zip(starts, ends, strict=True)]
    warm = 0
    while (
        len(levels) - warm > 1
        and levels[warm] > levels[warm + 1]
        and ends[warm] <= _USUAL_WARM_UP * len(blocks)
    ):
        warm += 1
    counted = levels[warm:]
    if len(counted) == 1:
        return Levels()
    low, high = min(*counted, middle), max(*counted, middle)
    return Levels(
        _pattern(counted), middle - low, high - middle, counted[0], counted[-1], ends[warm] / len(blocks)
    )


def _pattern(levels: Sequence[float]) -> Pattern:
    if len(levels) == 2:
        return "clock-step"
    rises = [after > before for before, after in pairwise(levels)]
    if all(rises):
        return "slow-drift"
    if not any(rises):
        return "long-warm-up"
    return "changing-level"


def _of_modes(times: Sequence[float], middle: float) -> Levels:
    """Return two modes as levels, unless it is certain which of them has the median."""
    modes = find_two_modes(times)
    if modes is None:
        return Levels()
    slow = modes.slow_percent / 100
    stays = (modes.changes + 1) / 2
    if abs(slow - 0.5) > _SURE_ERRORS * math.sqrt(slow * (1 - slow) / stays):
        return Levels()
    fast, late = math.log(modes.fast_ms), math.log(modes.slow_ms)
    return Levels("two-modes", max(0.0, middle - fast), max(0.0, late - middle), fast, late)

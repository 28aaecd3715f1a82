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
from itertools import accumulate, pairwise
from statistics import median
from typing import Literal

from trexreport.analyzer.comparison.verdict_cycles import cycle_range
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
#: It fades if the first half of it is above the second by at least this part of what it is above the rest.
_LEAST_FADING = 0.2
#: Which part of a step all times before it are apart from all after it.
_LEAST_GAP = 0.5
#: How many times are before a step that a warm-up may look like, at least.
_LEAST_OF_FALL = 3
#: A level falls gradually if at least three of five parts of the run are below the one before by at least
#: this part of the whole fall. A step is in at most two of these differences.
_PARTS, _MIN_FALLS, _LEAST_FALL = 5, 3, 0.05
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
        is_early: The only change is a slower beginning that does not fade. In each of several runs it is a
            warm-up; in a single run it may be a clock step.
        still_falls: The run ends in a warm-up; `below` holds how far it may go on.
    """

    pattern: Pattern = "steady"
    below: float = 0.0
    above: float = 0.0
    first: float = 0.0
    last: float = 0.0
    place: float = 0.0
    is_early: bool = False
    still_falls: bool = False


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
        found = _of_segments(times, blocks, starts, middle)
        if found.pattern != "steady":
            return found
    early = _of_beginning(times, middle)
    if early.pattern != "steady":
        return early
    modes = _of_modes(times, middle)
    return modes if modes.pattern != "steady" else _of_cycles(times, middle)


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


def _of_segments(
    times: Sequence[float], blocks: Sequence[float], starts: Sequence[int], middle: float
) -> Levels:
    ends = [*starts[1:], len(blocks)]
    levels = [median(blocks[low:high]) for low, high in zip(starts, ends, strict=True)]
    warm = 0
    while (
        len(levels) - warm > 1
        and levels[warm] > levels[warm + 1]
        and ends[warm] <= _USUAL_WARM_UP * len(blocks)
    ):
        warm += 1
    is_early = warm == len(levels) - 1
    if is_early:
        if _fades(times[: 2 * ends[warm - 1] * len(times) // len(blocks)], levels[-1]):
            return Levels()
        warm = 0
    counted = levels[warm:]
    further = _further_fall(blocks) if counted[-2] > counted[-1] and len(blocks) >= _PARTS else 0.0
    return Levels(
        _pattern(counted),
        middle - min(*counted, middle, counted[-1] - further),
        max(*counted, middle) - middle,
        counted[0],
        counted[-1],
        ends[warm] / len(blocks),
        is_early,
        still_falls=further > _MIN_CHANGE,
    )


def _of_beginning(times: Sequence[float], middle: float) -> Levels:
    """Return the levels of a step so soon that the queries before it fill no block; of a steady run if none.

    All times before it are apart from all after it by at least half of the step. Of the first times of an
    exponential, as in a warm-up, three or more are never apart by more than a quarter of it.
    """
    half = len(times) // 2
    best, levels = 0.0, Levels()
    after_low, after_high = [*accumulate(reversed(times), min)], [*accumulate(reversed(times), max)]
    low, high = [*accumulate(times[:half], min)], [*accumulate(times[:half], max)]
    for count in range(2, half + 1):
        rest = len(times) - count - 1
        is_fall = low[count - 1] > after_high[rest]
        if count < _LEAST_OF_FALL if is_fall else high[count - 1] >= after_low[rest]:
            continue
        ends = (low[count - 1], after_high[rest]) if is_fall else (after_low[rest], high[count - 1])
        gap = math.log(ends[0]) - math.log(ends[1])
        if gap <= max(best, _MIN_CHANGE):
            continue
        first, last = (math.log(median(part)) for part in (times[:count], times[count:]))
        if gap >= _LEAST_GAP * abs(first - last):
            place = count / len(times)
            levels = Levels(
                "clock-step",
                middle - min(first, last, middle),
                max(first, last, middle) - middle,
                first,
                last,
                place,
                is_early=is_fall and place <= _USUAL_WARM_UP,
            )
            best = gap
    return levels


def _fades(beginning: Sequence[float], after: float) -> bool:
    """Return whether times that begin above a level fall to it gradually, as in a warm-up; a clock steps."""
    logs = [math.log(time) - after for time in beginning]
    total, left, best, most = math.fsum(logs), 0.0, len(logs), 0.0
    for place in range(1, len(logs)):
        left += logs[place - 1]
        fall = left / place - (total - left) / (len(logs) - place)
        weighted = fall * math.sqrt(place * (len(logs) - place))
        if place > 1 and weighted > most:
            best, most = place, weighted
    slow = logs[:best]
    half = len(slow) // 2
    return median(slow[:half]) - median(slow[half:]) >= _LEAST_FADING * median(slow)


def _further_fall(blocks: Sequence[float]) -> float:
    """Return how far a fall may go on after the run, by its two halves; 0 for a step, which ends at once.

    An exponential falls in equal times by equal parts of what is left (A. C. Aitken, On Bernoulli's numerical
    solution of algebraic equations, Proceedings of the Royal Society of Edinburgh 46, 1926). A fall that does
    not slow down is taken to go as far again.
    """
    bounds = [part * len(blocks) // _PARTS for part in range(_PARTS + 1)]
    parts = [median(blocks[low:high]) for low, high in pairwise(bounds)]
    earlier, later = parts[0] - parts[_PARTS // 2], parts[_PARTS // 2] - parts[-1]
    falls = [before - after >= _LEAST_FALL * (earlier + later) for before, after in pairwise(parts)]
    if later <= 0 or sum(falls) < _MIN_FALLS:
        return 0.0
    left = later**2 / (earlier - later) if earlier > later else math.inf
    return min(left, earlier + later)


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


def _of_cycles(times: Sequence[float], middle: float) -> Levels:
    """Return the ends of cycles as levels; of a steady run if there are none."""
    found = cycle_range(times)
    if found is None or found[1] - found[0] < _MIN_CHANGE:
        return Levels()
    low, high = found
    return Levels("changing-level", max(0.0, middle - low), max(0.0, high - middle), low, high)

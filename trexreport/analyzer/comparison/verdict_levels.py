"""Find where the level of a run's times changes: clock steps, two clock states, drift, throttling.

The median of a run whose level changes depends on how long the GPU stayed at each level, which differs from
run to run. Its level is therefore only known to lie between the lowest and the highest one.

A run is divided into equal blocks, whose medians are divided into segments of one level
(`analyzer/states.py`).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import accumulate, pairwise
from statistics import fmean, median
from typing import Literal

from trexreport.analyzer.comparison.verdict_cycles import cycle_range
from trexreport.analyzer.modes import MIN_QUERIES_FOR_MODES, find_two_modes
from trexreport.analyzer.percentiles import percentile
from trexreport.analyzer.states import MIN_CHANGE, joined, level_of, split
from trexreport.analyzer.thresholds import MIN_QUERIES
from trexreport.lazy_dataclass import dataclass

#: How the level of a run changes.
Pattern = Literal[
    "steady", "clock-step", "slow-drift", "changing-level", "long-warm-up", "within-warm-up", "two-modes"
]

#: In how many blocks a run is divided, and how many iterations a block has at least.
BLOCKS, MIN_BLOCK = 20, 3
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
#: A share of the slow mode below a half by this many standard errors shows that the fast one has the median.
_SURE_ERRORS = 3.0


#: In these patterns a run changes between its levels several times. Ranges are alike if the smallest is at
#: least this part of the largest.
_TO_AND_FRO: frozenset[Pattern] = frozenset(("changing-level", "two-modes"))
_ALIKE = 0.8


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
    segments = joined((each for each in split(blocks) if not _is_of_outliers(each, times, bounds)), blocks)
    if len(segments) > 1:
        found = _of_segments(times, blocks, segments, middle)
        if found.pattern != "steady":
            # Blocks of a few queries each, of two modes, are segments between these by chance.
            modes = _of_modes(times, middle, with_step=False)
            return max(found, modes, key=lambda each: each.below + each.above)
    early = _of_beginning(times, middle)
    if early.pattern != "steady":
        return early
    modes = _of_modes(times, middle)
    return modes if modes.pattern != "steady" else _of_cycles(times, middle)


def _is_of_outliers(segment: range, times: Sequence[float], bounds: Sequence[int]) -> bool:
    """Return whether a block is a segment by few slow times: a quarter of it is as fast as the others."""
    if len(segment) > 1 or len(segment) == len(bounds) - 1:
        return False
    low, high = bounds[segment.start], bounds[segment.stop]
    within = sorted(times[low:high])
    around = sorted([*times[max(0, 2 * low - high) : low], *times[high : 2 * high - low]])
    above, below = median(within), median(around)
    return above > below and percentile(within, 25) < math.sqrt(above * below)


def distances(baseline: Sequence[Levels], candidate: Sequence[Levels]) -> tuple[float, float]:
    """Return how far the levels of the runs of two sides may be below and above the ratio of their medians.

    If all runs go to and fro between levels that are equally far apart, as under one load, the lowest levels
    of both sides are compared with each other, and the highest with each other. Else the lowest of one side
    may be the level of the highest of the other.
    """
    below, above = (
        [fmean(getattr(each, end) for each in side) for side in (baseline, candidate)]
        for end in ("below", "above")
    )
    if _go_to_and_fro_alike([*baseline, *candidate]):
        by_lowest, by_highest = below[1] - below[0], above[1] - above[0]
        return max(0.0, by_lowest, -by_highest), max(0.0, -by_lowest, by_highest)
    return below[1] + above[0], above[1] + below[0]


def _go_to_and_fro_alike(runs: Sequence[Levels]) -> bool:
    ranges = [each.below + each.above for each in runs]
    return all(each.pattern in _TO_AND_FRO for each in runs) and min(ranges) >= _ALIKE * max(ranges)


def _of_segments(
    times: Sequence[float], blocks: Sequence[float], segments: Sequence[range], middle: float
) -> Levels:
    ends = [each.stop for each in segments]
    levels = [level_of(each, blocks) for each in segments]
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
    pattern, further, highest = _pattern(counted), 0.0, max(*counted, middle)
    if max(counted[1:]) <= counted[0] and len(blocks) >= _PARTS:
        further = _further_fall(blocks)
        if further > MIN_CHANGE or _fades(times[: 2 * ends[-2] * len(times) // len(blocks)], levels[-1]):
            # What a warm-up falls from is not the time of an engine.
            pattern, highest = "long-warm-up", middle
    return Levels(
        pattern,
        middle - min(*counted, middle, counted[-1] - further),
        highest - middle,
        counted[0],
        counted[-1],
        ends[warm] / len(blocks),
        is_early,
        still_falls=further > MIN_CHANGE,
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
    for count in range(1 if len(times) < MIN_QUERIES_FOR_MODES else 2, half + 1):
        rest = len(times) - count - 1
        is_fall = low[count - 1] > after_high[rest]
        if count < _LEAST_OF_FALL if is_fall else high[count - 1] >= after_low[rest]:
            continue
        ends = (low[count - 1], after_high[rest]) if is_fall else (after_low[rest], high[count - 1])
        gap = math.log(ends[0]) - math.log(ends[1])
        if gap <= max(best, MIN_CHANGE):
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


def _of_modes(times: Sequence[float], middle: float, *, with_step: bool = True) -> Levels:
    """Return two modes as levels, unless it is certain that the fast one has the median.

    Other work and low clocks only lengthen times. Where most of a run is slow, another run of the same engine
    may be mostly fast, which no time of this one excludes. The slower part of a short run may be outliers.
    """
    modes = find_two_modes(times, MIN_QUERIES)
    if modes is None or (modes.step_after is not None and not with_step):
        return Levels()
    slow = modes.slow_percent / 100
    stays = (modes.changes + 1) / 2
    is_outliers = len(times) < MIN_QUERIES_FOR_MODES and slow < 0.5
    if is_outliers or 0.5 - slow > _SURE_ERRORS * math.sqrt(slow * (1 - slow) / stays):
        return Levels()
    fast, late = math.log(modes.fast_ms), math.log(modes.slow_ms)
    return Levels("two-modes", max(0.0, middle - fast), max(0.0, late - middle), fast, late)


def _of_cycles(times: Sequence[float], middle: float) -> Levels:
    """Return the ends of cycles as levels; of a steady run if there are none."""
    found = cycle_range(times)
    if found is None or found[1] - found[0] < MIN_CHANGE:
        return Levels()
    low, high = found
    return Levels("changing-level", max(0.0, middle - low), max(0.0, high - middle), low, high)

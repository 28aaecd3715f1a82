"""Find the states of a run: levels that its times keep for a while before they change to the next.

Times one after the other, of queries or averages of some, are divided where the difference between both
sides is largest (binary segmentation: A. J. Scott and M. Knott, A cluster analysis method for grouping means
in the analysis of variance, Biometrics 30, 1974). Their noise is estimated from the differences of neighbors,
which a change of level affects at one place only (J. von Neumann, Distribution of the ratio of the mean
square successive difference to the variance, Annals of Mathematical Statistics 12, 1941; here with their
median, which a few changes do not move).
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from trexreport.analyzer.analysis.timing import LastingChange, TwoModes
from trexreport.analyzer.percentiles import percentile

#: Fewer values are not divided.
_MIN_VALUES = 4
#: A split counts from this many standard errors on: twenty noisy values alone reach 4 in one run of a
#: hundred.
_MIN_ERRORS = 5.0
#: Smaller changes of the level are far below the spread between runs (in logarithms).
MIN_CHANGE = 0.005
#: The noise is at least this much, so that a coarse timer does not look like levels.
_MIN_NOISE = 0.0005
#: Median of the absolute difference of two normal values of standard deviation 1: 0.6745 times the root of 2.
_MEDIAN_DIFFERENCE = 0.954
#: Parts of the run whose medians show states; a state has at least this many of them, and this part of all.
_PARTS, _LEAST_PARTS, _LEAST_OF_ALL = 100, 3, 0.05
#: Part of the run that may be in no state, and part of it that may be nearer to another one's level.
_MAX_BETWEEN, _MAX_OFF = 0.1, 0.05
#: The halves of each state differ by less than a fraction of each step: a gradual change has no states.
_FLATTER = 4.0
#: In a ramp each of these parts of the run differs from the one before by at least this part of the whole.
#: The whole is most of what lies between both ends: ends of cycles differ by more than their parts do.
_RAMP_PARTS, _LEAST_CHANGE, _MOST = 5, 0.05, 0.5
#: A ramp between two levels begins and ends where parts are within this part of the step of them, or their
#: noise, and is one from this part of the run on.
_AT_LEVEL, _MIN_RAMP = 0.05, 0.05
#: Normal values are within this many median deviations of their level in 96% of cases.
_NEARLY_ALL = 3.0


class State(NamedTuple):
    """Times one after the other that are about the same.

    Attributes:
        begins: The number of times before it.
        ms: Their median.
    """

    begins: int
    ms: float


def split(logs: Sequence[float]) -> list[range]:
    """Return which values, logarithms of times, are segments of one level: all in one where none changes."""
    if len(logs) < _MIN_VALUES:
        return [range(len(logs))] if logs else []
    differences = [abs(after - before) for before, after in pairwise(logs)]
    noise = max(median(differences) / _MEDIAN_DIFFERENCE, _MIN_NOISE)
    starts, open_ranges = [0], [(0, len(logs))]
    while open_ranges:
        low, high = open_ranges.pop()
        place = _best_split(logs[low:high], noise)
        if place:
            starts.append(low + place)
            open_ranges += [(low, low + place), (low + place, high)]
    return [range(*ends) for ends in pairwise([*sorted(starts), len(logs)])]


def _best_split(logs: Sequence[float], noise: float) -> int:
    """Return after how many values the level changes most clearly; 0 if it does not."""
    total, count, left = math.fsum(logs), len(logs), 0.0
    best, most = 0, _MIN_ERRORS * noise
    for place in range(1, count):
        left += logs[place - 1]
        change = abs(left / place - (total - left) / (count - place))
        weighted = change * math.sqrt(place * (count - place) / count)
        if weighted > most and change >= MIN_CHANGE:
            best, most = place, weighted
    return best


def find_states(times_ms: Sequence[float]) -> list[State]:
    """Return the states of a run, one after the other; none where times change gradually or to and fro.

    Args:
        times_ms: In order.
    """
    if not times_ms or min(times_ms) <= 0:
        return []
    size = max(1, len(times_ms) // _PARTS)
    logs = [math.log(median(times_ms[at : at + size])) for at in range(0, len(times_ms), size)]
    least = max(_LEAST_PARTS, round(_LEAST_OF_ALL * len(logs)))
    segments = joined([each for each in split(logs) if len(each) >= least], logs)
    if len(logs) - sum(map(len, segments)) > _MAX_BETWEEN * len(logs) or not _are_flat(segments, logs):
        return []
    begins = [0]
    for before, after in pairwise(segments):
        middle_ms = math.exp((level_of(before, logs) + level_of(after, logs)) / 2)
        is_slower = level_of(before, logs) > level_of(after, logs)
        window = times_ms[size * before[-1] : size * (after[0] + 1)]
        begins.append(size * before[-1] + sum((ms > middle_ms) == is_slower for ms in window))
    ends = [*begins[1:], len(times_ms)]
    return [State(low, median(times_ms[low:high])) for low, high in zip(begins, ends, strict=True)]


def ramp_ends(times_ms: Sequence[float]) -> tuple[float, float] | None:
    """Return the levels of the first and the last tenth of times that rise or fall through the whole run."""
    count = len(times_ms)
    if count < _RAMP_PARTS:
        return None
    bounds = [part * count // _RAMP_PARTS for part in range(_RAMP_PARTS + 1)]
    medians = [median(times_ms[low:high]) for low, high in pairwise(bounds)]
    changes, whole = [after - before for before, after in pairwise(medians)], medians[-1] - medians[0]
    if not whole or min(change / whole for change in changes) < _LEAST_CHANGE:
        return None
    tenth = max(1, count // 10)
    first, last = median(times_ms[:tenth]), median(times_ms[-tenth:])
    return (first, last) if whole / (last - first or math.inf) >= _MOST else None


def find_change(
    times_ms: Sequence[float], modes: TwoModes | None, start_ms: Sequence[float] = ()
) -> LastingChange | None:
    """Return the change of times in two groups from one to the other for good; None if they do not change so.

    Args:
        times_ms: In order.
        modes: The groups.
        start_ms: When each query began; empty if not known.
    """
    if modes is None or modes.step_after is None:
        return None
    levels = (modes.fast_ms, modes.slow_ms) if modes.gets_slower else (modes.slow_ms, modes.fast_ms)
    begins, ends = _ramp(times_ms, *levels, modes.step_after) or (modes.step_after, modes.step_after)
    before, after = sorted(times_ms[:begins]), sorted(times_ms[ends:])
    shown = (median(before), median(after), percentile(after, 5), percentile(after, 95))
    if len(start_ms) != len(times_ms):
        return LastingChange(begins, ends, *shown)
    seconds = (start_ms[begins] - start_ms[0]) / 1000, (start_ms[ends] - start_ms[0]) / 1000
    return LastingChange(
        begins, ends, *shown, *seconds, rate_qps(start_ms[: begins + 1]), rate_qps(start_ms[ends:])
    )


def rate_qps(start_ms: Sequence[float]) -> float | None:
    """Return the throughput in qps, of the queries before the last one."""
    spent_ms = start_ms[-1] - start_ms[0]
    return 1000 * (len(start_ms) - 1) / spent_ms if spent_ms > 0 else None


def _ramp(times_ms: Sequence[float], first_ms: float, last_ms: float, after: int) -> tuple[int, int] | None:
    """Return between which queries times change gradually; None where they do within few queries.

    Args:
        times_ms: In order.
        first_ms: The level before.
        last_ms: The level after.
        after: After how many queries the times are nearer to the second one.
    """
    size = max(1, len(times_ms) // _PARTS)
    parts = [(at, median(times_ms[at : at + size])) for at in range(0, len(times_ms), size)]
    least_ms = _AT_LEVEL * abs(last_ms - first_ms)
    early = [ms for at, ms in parts if at + size <= after]
    margin_ms = max(least_ms, _noise(early[: _quarter(early)], first_ms))
    before = [at for at, ms in parts if 0 < at <= after and abs(ms - first_ms) <= margin_ms]
    # The slow end of a ramp is part of a group: the level is that of the last quarter of what follows.
    rest = [ms for at, ms in parts if at > after]
    late = rest[-_quarter(rest) :]
    last_ms = median(late) if late else last_ms
    margin_ms = max(least_ms, _noise(late, last_ms))
    behind = [at for at, ms in parts if at > after and abs(ms - last_ms) <= margin_ms]
    if not before or not behind or behind[0] - before[-1] < _MIN_RAMP * len(times_ms):
        return None
    return before[-1], behind[0]


def _quarter(values: Sequence[float]) -> int:
    return max(1, len(values) // 4)


def _noise(values: Sequence[float], level: float) -> float:
    """Return within which distance from a level nearly all values are that differ from it by chance."""
    return _NEARLY_ALL * median([abs(each - level) for each in values]) if values else 0.0


def joined(segments: Iterable[range], logs: Sequence[float]) -> list[range]:
    """Return segments, those next to each other of one level as one: outliers between them are not a step."""
    found: list[range] = []
    for each in segments:
        if found and abs(level_of(found[-1], logs) - level_of(each, logs)) < MIN_CHANGE:
            found[-1] = range(found[-1].start, each.stop)
        else:
            found.append(each)
    return found


def level_of(segment: range, logs: Sequence[float]) -> float:
    """Return the level of a segment, the median of its values."""
    return median(logs[segment.start : segment.stop])


def _are_flat(segments: Sequence[range], logs: Sequence[float]) -> bool:
    """Return whether segments differ by more than each changes, and nearly all parts are at their level."""
    levels = [level_of(each, logs) for each in segments]
    halves = [(each[: len(each) // 2], each[len(each) // 2 :]) for each in segments]
    drift = max((abs(level_of(one, logs) - level_of(two, logs)) for one, two in halves), default=0.0)
    for (before, level), (after, next_level) in pairwise(zip(segments, levels, strict=True)):
        step = abs(next_level - level)
        off = sum(2 * abs(logs[at] - level) > step for at in before)
        off += sum(2 * abs(logs[at] - next_level) > step for at in after)
        if step < _FLATTER * drift or off > _MAX_OFF * (len(before) + len(after)):
            return False
    return True

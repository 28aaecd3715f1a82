"""What one run contributes to a comparison: its percentiles, and how well they are known."""

from __future__ import annotations

import hashlib
import math
import random
from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import replace
from functools import lru_cache
from itertools import pairwise
from typing import TYPE_CHECKING

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.bootstrap_blocks import measure_dependence
from trexreport.analyzer.comparison.verdict_levels import Levels, find_levels
from trexreport.analyzer.percentiles import median, percentile
from trexreport.lazy_dataclass import dataclass

if TYPE_CHECKING:
    from numpy import float64, int64
    from numpy.typing import NDArray


#: Of a longer run this many iterations are drawn from; more would narrow the interval by next to nothing.
MAX_ITERATIONS = 20_000
#: A run's course is looked at after each of this many equal parts.
PARTS = 50
#: CUDA's events count in steps of about a microsecond at most.
_LONGEST_CLOCK_STEP_MS = 0.001
#: Medians of levels that are one step apart differ by at most this many steps, in logarithms.
_ONE_STEP = 1.05
#: trtexec writes six digits, so that equal times may differ by so much.
_WRITTEN_DIGITS = 1e-5
#: How many drawn iterations are in memory at a time.
_CHUNK = 2_000_000


@dataclass(frozen=True)
class Level:
    """A percentile of one run, in natural logarithms of milliseconds.

    Attributes:
        log: Of all iterations.
        deviations: Of each drawing: how much more its percentile is than that of what was drawn from.
        course: Of the first fiftieth, the first two, and so on to all.
    """

    log: float
    deviations: list[float]
    course: list[float]


@dataclass(frozen=True)
class RunFacts:
    """One run, measured up.

    Attributes:
        times: Those in the resampling and the rank test, in order.
        iterations: All of them.
        levels: Between which levels its time lies.
        clock_step: Distance between neighboring values that the clock can distinguish, over the median.
    """

    times: list[float]
    iterations: int
    median_ms: float
    p99_ms: float
    independent_iterations: float
    block_length: int
    levels: Levels
    clock_step: float
    medians: Level
    p99s: Level


@lru_cache(maxsize=16)  # a baseline is compared with many
def describe_run(times: tuple[float, ...], settings: VerdictSettings) -> RunFacts:
    """Return the facts of a run: at least one time, all above zero, in the order of measuring."""
    seed = seed_of(times, settings.seed)
    ordered = sorted(times)
    kept = _thinned(times, seed)
    dependence = measure_dependence(kept)
    count = len(kept)
    lower, upper, rank_99 = (count - 1) // 2, count // 2, position_99(count)
    drawn = draw_percentiles(
        kept, dependence.block_length, (lower, upper, rank_99), settings.resamples, seed
    ).tolist()
    middles, tails = _course(kept)
    median_ms, p99_ms = median(ordered), percentile(ordered, 99)
    return RunFacts(
        times=kept,
        iterations=len(times),
        median_ms=median_ms,
        p99_ms=p99_ms,
        independent_iterations=dependence.independent_iterations,
        block_length=dependence.block_length,
        levels=find_levels(kept, math.log(median_ms)),
        clock_step=_clock_step(ordered, median_ms),
        medians=_level(median_ms, [(low + high) / 2 for low, high, _ in drawn], middles),
        p99s=_level(p99_ms, [tail for *_, tail in drawn], tails),
    )


def with_timer(run: RunFacts, step_ms: float | None) -> RunFacts:
    """Return a run's facts by a timer of coarse steps, in milliseconds; the same run if None.

    Levels that are one step apart are one level, which lies between the two.
    """
    if step_ms is None:
        return run
    step = max(run.clock_step, step_ms / run.median_ms)
    is_one_step = run.levels.below + run.levels.above <= _ONE_STEP * math.log1p(step)
    return replace(run, clock_step=step, levels=Levels() if is_one_step else run.levels)


def without_warm_up(runs: Sequence[RunFacts]) -> Sequence[RunFacts]:
    """Return the runs of a side, of which a slower beginning is a warm-up if there are several."""
    if len(runs) == 1:
        return runs
    return [replace(run, levels=Levels()) if run.levels.is_early else run for run in runs]


def position_99(count: int) -> int:
    """Return the position of the 99th percentile among this many sorted times, as trtexec defines it."""
    return int(percentile(range(count), 99))


def _level(value: float, drawn: Sequence[float], course: Sequence[float]) -> Level:
    logs = [math.log(each) for each in course]
    return Level(math.log(value), [math.log(each) - logs[-1] for each in drawn], logs)


def _thinned(times: Sequence[float], seed: int) -> list[float]:
    """Return one iteration of each of `MAX_ITERATIONS` equal stretches.

    It is drawn, since every n-th would show one stream of n only.
    """
    count = len(times)
    if count <= MAX_ITERATIONS:
        return list(times)
    dice = random.Random(seed)
    bounds = [stretch * count // MAX_ITERATIONS for stretch in range(MAX_ITERATIONS + 1)]
    return [times[low + int(dice.random() * (high - low))] for low, high in pairwise(bounds)]


def _course(times: Sequence[float]) -> tuple[list[float], list[float]]:
    """Return median and 99th percentile of the first part, of the first two parts, and so on."""
    import numpy as np

    series = np.asarray(times, dtype=np.float64)
    middles, tails = [], []
    for part in range(1, PARTS + 1):
        count = max(1, part * len(times) // PARTS)
        lower, upper, rank_99 = (count - 1) // 2, count // 2, position_99(count)
        found = np.partition(series[:count], [lower, upper, rank_99])
        middles.append((float(found[lower]) + float(found[upper])) / 2)
        tails.append(float(found[rank_99]))
    return middles, tails


def _clock_step(ordered: Sequence[float], middle: float) -> float:
    """Return how far the values next to the median are from it, over it; the clock's longest step at most."""
    below = bisect_left(ordered, middle * (1 - _WRITTEN_DIGITS))
    above = bisect_right(ordered, middle * (1 + _WRITTEN_DIGITS))
    gaps = [_LONGEST_CLOCK_STEP_MS]
    if below > 0:
        gaps.append(middle - ordered[below - 1])
    if above < len(ordered):
        gaps.append(ordered[above] - middle)
    return min(gaps) / middle


# A run is resampled in blocks of consecutive iterations, to see how much its percentiles could have differed:
# the circular block bootstrap of D. N. Politis and J. P. Romano (1992), with blocks of one length that start
# anywhere and go on from the end at the beginning. What hangs together in the run stays together in a block.
def seed_of(times: Sequence[float], seed: int) -> int:
    """Return a seed that depends on the times too.

    Two runs are then drawn independently of each other, whichever of them is called the baseline.
    """
    digest = hashlib.sha256(b"%d:" % seed + array("d", times).tobytes())
    return int.from_bytes(digest.digest(), "little")


def draw_percentiles(
    times: Sequence[float], block_length: int, positions: Sequence[int], resamples: int, seed: int
) -> NDArray[float64]:
    """Return the values at some positions of the sorted times, for each time that the run is resampled.

    Args:
        times: In the order in which they were measured.
        block_length: In iterations.
        positions: From 0, in ascending order.
        resamples: How often to draw.
        seed: Any whole number.

    Returns:
        One row for each resample, one column for each position.
    """
    import numpy as np

    values, codes = np.unique(np.asarray(times, dtype=np.float64), return_inverse=True)
    # Small whole numbers in place of times: the sorting below is most of the work.
    codes = codes.astype(np.uint16 if len(values) <= 1 << 16 else np.uint32)
    around = np.concatenate([codes, codes[: block_length - 1]])
    blocks = np.lib.stride_tricks.sliding_window_view(around, block_length)
    starts = _draw_starts(len(times), resamples, -(-len(times) // block_length), seed)
    rows = max(1, _CHUNK // len(times))
    drawn = []
    for first in range(0, resamples, rows):
        chosen = starts[first : first + rows]
        sample = blocks[chosen].reshape(len(chosen), -1)[:, : len(times)]
        drawn.append(np.partition(sample, list(positions), axis=1)[:, list(positions)])
    found: NDArray[float64] = values[np.concatenate(drawn)]
    return found


def _draw_starts(count: int, resamples: int, blocks: int, seed: int) -> NDArray[int64]:
    """Return where blocks start.

    Python's generator and not NumPy's: its bits are the same in every version.
    """
    import numpy as np

    size = resamples * blocks
    bits = np.frombuffer(random.Random(seed).randbytes(4 * size), dtype="<u4").astype(np.uint64)
    starts: NDArray[int64] = ((bits * np.uint64(count)) >> np.uint64(32)).astype(np.int64)
    return starts.reshape(resamples, blocks)

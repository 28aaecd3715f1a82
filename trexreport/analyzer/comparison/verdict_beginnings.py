"""Find out by longer runs whether a short run ends before its times have reached their level.

The times of a run that ends within a warm-up look steady. If the other runs are as short, they are alike in
this, and their ratio holds. A longer run shows it: as many queries at its beginning are slower than the run
as a whole, or faster, where the GPU heats up.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

from trexreport.analyzer.comparison.verdict_levels import Levels
from trexreport.analyzer.comparison.verdict_run import RunFacts
from trexreport.analyzer.percentiles import median
from trexreport.analyzer.states import MIN_CHANGE

#: A run is longer than another from this multiple of its queries on.
LONGER = 4
#: Its beginning is at another level if it is further from the median by this factor than all parts of the
#: second half are, of which there are at least this many.
_BEYOND_NOISE, _PARTS = 2.0, 8


def beside_longer(
    one: Sequence[RunFacts], other: Sequence[RunFacts]
) -> tuple[list[RunFacts], list[RunFacts]]:
    """Return the runs of two sides; short ones may be as far from their level as longer ones begin."""
    runs = [*one, *other]
    return [_beside(run, runs) for run in one], [_beside(run, runs) for run in other]


def _beside(run: RunFacts, runs: Sequence[RunFacts]) -> RunFacts:
    begins = [
        _begins_above(each, run.iterations) for each in runs if each.iterations >= LONGER * run.iterations
    ]
    if not begins:
        return run
    middle, begin = math.log(run.median_ms), median(sorted(begins))
    below, above = max(begin, run.levels.below), max(-begin, run.levels.above)
    if (below, above) == (run.levels.below, run.levels.above):
        return run
    return replace(run, levels=Levels("within-warm-up", below, above, middle, middle - begin))


def _begins_above(run: RunFacts, iterations: int) -> float:
    """Return how far the median of a run's first iterations is above that of all; 0 within noise."""
    times, middle = run.times, math.log(run.median_ms)
    count = max(1, iterations * len(times) // run.iterations)
    half = len(times) // 2
    part = max(1, min(count, half // _PARTS))
    first, *rest = (
        math.log(median(sorted(times[low:high]))) - middle
        for low, high in ((0, count), *((at, at + part) for at in range(half, len(times) - part + 1, part)))
    )
    noise = max(abs(each) for each in rest)
    return first if abs(first) > max(MIN_CHANGE, _BEYOND_NOISE * noise) else 0.0

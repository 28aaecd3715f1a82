"""Find out whether the level of a run's times goes up and down in cycles, as under a power limit.

Segments of one level do not describe a run whose level changes in every block, and its median holds for the
average of a cycle only. Cycles show in the autocorrelation: it falls below zero half a cycle later and comes
back after a whole one. Times that merely depend on those before them do not come back.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise

from trexreport.analyzer.comparison.bootstrap_blocks import doubled_ranks
from trexreport.analyzer.percentiles import median, percentile

#: A run is divided into at most this many blocks, of which two make a cycle at least.
_MAX_BLOCKS = 400
#: Fewer show no cycle beyond chance.
_MIN_BLOCKS = 40
#: A run has at least this many cycles. After one of them the ranks' autocorrelation is at least so large, and
#: so much more over the number of cycles, as it comes back by chance in few: 0.7 with two cycles.
_MIN_CYCLES, _MIN_CORRELATION, _FEW_CYCLES = 2, 0.5, 0.4
#: What lies outside of these percentiles is noise on top of the cycle.
_RANGE = (5.0, 95.0)


def cycle_range(times: Sequence[float]) -> tuple[float, float] | None:
    """Return the logarithms between which the level goes up and down; None if it has no cycles.

    Args:
        times: In the order in which they were measured, all above zero.
    """
    count = min(_MAX_BLOCKS, len(times))
    if count < _MIN_BLOCKS:
        return None
    bounds = [block * len(times) // count for block in range(count + 1)]
    blocks = (
        times if count == len(times) else [median(sorted(times[low:high])) for low, high in pairwise(bounds)]
    )
    if not _comes_back(blocks):
        return None
    ordered = sorted(blocks)
    low, high = (math.log(percentile(ordered, rank)) for rank in _RANGE)
    return low, high


def _comes_back(blocks: Sequence[float]) -> bool:
    """Return whether the autocorrelation of the ranks is large again after it was below zero."""
    import numpy as np

    count = len(blocks)
    ranks = doubled_ranks(blocks) - (count + 1)  # around their mean
    # Of whole numbers, and so the same on every machine.
    sums = np.correlate(ranks, ranks, "full")[count - 1 : count + count // _MIN_CYCLES]
    below = np.flatnonzero(sums < 0)
    if not len(below):
        return False
    lags = np.arange(below[0], len(sums))
    correlations = sums[lags] / (count - lags) * count / sums[0]
    return bool((correlations >= _MIN_CORRELATION + _FEW_CYCLES * lags / count).any())

"""Test whether two sides' times are distributed alike, by their ranks, allowing for autocorrelation.

The test of H. B. Mann and D. R. Whitney (Annals of Mathematical Statistics 18, 1947) with its normal
approximation, corrected for ties. The numbers of iterations in its variance are the effective ones: this many
independent iterations would say as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.comparison.bootstrap_blocks import doubled_ranks
from trexreport.analyzer.comparison.verdict_run import RunFacts


def rank_test(baseline: Sequence[RunFacts], candidate: Sequence[RunFacts]) -> float:
    """Return the two-sided probability of ranks at least as far apart if there were no difference."""
    import numpy as np

    one, other = ([time for run in side for time in run.times] for side in (baseline, candidate))
    ranks = doubled_ranks([*one, *other])
    count = len(ranks)
    # In how many more pairs the candidate is longer than shorter, times `count`; exact.
    lead = len(one) * int(ranks[len(one) :].sum()) - len(other) * int(ranks[: len(one)].sum())
    lead_share = lead / (count * len(one) * len(other))
    _, ties = np.unique(ranks, return_counts=True)
    tied = sum(int(tie) ** 3 - int(tie) for tie in ties)
    untied = 1 - tied / (count**3 - count)
    if untied <= 0:
        return 1.0
    sizes = [math.fsum(run.independent_iterations for run in side) for side in (baseline, candidate)]
    variance = untied * (sizes[0] + sizes[1] + 1) / (12 * (sizes[0] * sizes[1]))  # alike both ways round
    return math.erfc(abs(lead_share) / 2 / math.sqrt(2 * variance))

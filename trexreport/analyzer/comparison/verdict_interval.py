"""The ratio of two sides' times and an interval for it that allows for all that is known to move it.

Everything is computed in logarithms, where exchanging the sides changes signs and nothing else.

Three intervals are put over one another, and the outermost ends count:

* what the block bootstrap leaves open, of the iterations;
* what a self-normalized interval leaves open (X. Shao, A self-normalized approach to confidence interval
  construction in time series, Journal of the Royal Statistical Society B 72, 2010). It compares the whole
  with the course: where the difference between the sides moves slowly, as it does when one of them warms up,
  it widens, though blocks, which are shorter than such a movement, show nothing of it. What both sides do
  alike at the same part of their runs does not widen it;
* with several runs, Student's interval of the runs' values.

The allowance for the spread between runs (`verdict_spread.py`) is combined with the widest of them by the
root of the sum of squares, as independent errors are. What runs of one sitting may share is the least of the
whole: Student's interval is wider than several runs need, and both together find no difference of 5%.

Two distances are added as they are, because nothing makes them cancel out: that to the lowest and highest
level of runs whose level changes (`verdict_levels.py`), and half a step of each side's timer, as no number
of iterations shows what is between two steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Literal

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.verdict_levels import distances
from trexreport.analyzer.comparison.verdict_run import PARTS, Level, RunFacts
from trexreport.analyzer.comparison.verdict_spread import RunSpread, spread_between
from trexreport.lazy_dataclass import dataclass

#: By confidence, the quantile of B(1)² over the integral of (B(r) - r B(1))², B being a Brownian motion.
#: From 800,000 simulated paths; the distribution is that of I. N. Lobato, Testing that a dependent process is
#: uncorrelated, Journal of the American Statistical Association 96 (2001).
_SELF_NORMALIZED = {0.9: 28.3, 0.95: 45.7, 0.99: 101.0}
#: What `VerdictSettings.confidence` may be.
CONFIDENCES = tuple(_SELF_NORMALIZED)

#: What makes a ratio uncertain besides the noise of the iterations.
Source = Literal["drift", "runs", "sittings", "levels", "timer"]


@dataclass(frozen=True)
class Interval:
    """The logarithm of a ratio between two bounds."""

    log: float
    low: float
    high: float

    def widened(self, by: float) -> Interval:
        """Return it with both ends moved outwards."""
        return Interval(self.log, self.low - by, self.high + by)

    def at_least(self, distance: float) -> Interval:
        """Return it with both ends at least so far from the middle."""
        low, high = min(self.low, self.log - distance), max(self.high, self.log + distance)
        return Interval(self.log, low, high)

    def combined(self, distance: float) -> Interval:
        """Return it with an independent error of so much either way."""
        low, high = (math.hypot(self.log - self.low, distance), math.hypot(self.high - self.log, distance))
        return Interval(self.log, self.log - low, self.log + high)

    def lies_within(self, distance: float) -> bool:
        """Return whether no value in it is further from zero, either way."""
        return -distance <= self.low and self.high <= distance

    def excludes_zero(self) -> bool:
        """Return whether all values in it have one sign."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Evidence:
    """What one ratio's interval is made of; distances are of logarithms.

    Attributes:
        by_iterations: By the bootstrap alone.
        course: Half the width of the self-normalized interval.
        spread: How much runs differ.
        below, above: How far the levels of runs that change it are below and above the ratio.
        timer: Half a step of each side's timer.
    """

    by_iterations: Interval
    course: float
    spread: RunSpread
    below: float
    above: float
    timer: float

    @property
    def whole(self) -> Interval:
        """The interval that counts."""
        return self.without()

    def without(self, *left_out: Source) -> Interval:
        """Return the interval that would count if some sources of uncertainty were absent."""
        found = self.by_iterations
        if "drift" not in left_out:
            found = found.at_least(self.course)
        if "runs" not in left_out:
            found = found.combined(self.spread.allowance).at_least(self.spread.student)
            if "sittings" not in left_out:
                found = found.at_least(self.spread.sittings)
        if "levels" not in left_out:
            found = Interval(found.log, found.low - self.below, found.high + self.above)
        return found if "timer" in left_out else found.widened(self.timer)


def weigh(
    baseline: Sequence[RunFacts],
    candidate: Sequence[RunFacts],
    level: Callable[[RunFacts], Level],
    settings: VerdictSettings,
    sittings: tuple[int, int] = (1, 1),
) -> Evidence:
    """Return the logarithm of the candidate's over the baseline's percentile, with its uncertainty.

    Args:
        baseline: At least one run.
        candidate: At least one run.
        level: Picks the percentile.
        settings: The thresholds.
        sittings: In how many sittings the runs of each side were measured.
    """
    sides = ([level(run) for run in baseline], [level(run) for run in candidate])
    logs = [[each.log for each in side] for side in sides]
    log = fmean(logs[1]) - fmean(logs[0])
    assumed = math.log1p(settings.assumed_run_spread_percent / 100)
    below, above = distances([run.levels for run in baseline], [run.levels for run in candidate])
    return Evidence(
        _by_bootstrap(*sides, log, settings.confidence),
        _self_normalized(*sides, settings.confidence),
        spread_between(logs[0], logs[1], assumed, settings.confidence, sittings),
        below=below,
        above=above,
        timer=_half_a_step(baseline) + _half_a_step(candidate),
    )


def _half_a_step(runs: Sequence[RunFacts]) -> float:
    return fmean([math.log1p(run.clock_step / 2) for run in runs])


def _by_bootstrap(
    baseline: Sequence[Level], candidate: Sequence[Level], log: float, confidence: float
) -> Interval:
    """Return the interval between the percentiles of what was drawn, which holds the value itself."""
    drawn = sorted(
        fmean([level.deviations[which] for level in candidate])
        - fmean([level.deviations[which] for level in baseline])
        for which in range(len(baseline[0].deviations))
    )
    out = int((1 - confidence) / 2 * len(drawn))
    return Interval(log, log + min(drawn[out], 0.0), log + max(drawn[-1 - out], 0.0))


def _self_normalized(baseline: Sequence[Level], candidate: Sequence[Level], confidence: float) -> float:
    """Return half the width of the self-normalized interval."""
    differences = [
        fmean([level.course[part] for level in candidate]) - fmean([level.course[part] for level in baseline])
        for part in range(PARTS)
    ]
    squares = math.fsum(
        (((part + 1) / PARTS) * (difference - differences[-1])) ** 2
        for part, difference in enumerate(differences)
    )
    return math.sqrt(_SELF_NORMALIZED[confidence] * squares / PARTS)

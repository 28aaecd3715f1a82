"""The ratio of two sides' times and an interval for it that allows for all that is known to move it.

Everything is computed in logarithms, where exchanging the sides changes signs and nothing else.

Three intervals are put over one another, and the outermost ends count:

* what the block bootstrap leaves open, of the iterations;
* what a self-normalized interval leaves open (X. Shao, A self-normalized approach to confidence interval
  construction in time series, Journal of the Royal Statistical Society B 72, 2010). It compares the whole
  with the course: where the difference between the sides moves slowly, as it does when one of them warms up,
  it widens, though blocks, which are shorter than such a movement, show nothing of it. What both sides do
  alike at the same part of their runs does not widen it;
* with several runs, Student's interval of the runs' values, whose spread is assumed equal on both sides.

Half a step of each side's clock is added, as no number of iterations shows what is between two steps.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from statistics import fmean

from trexreport.analyzer.comparison.verdict_run import PARTS, Level, RunFacts

#: By confidence, the quantile of B(1)² over the integral of (B(r) - r B(1))², B being a Brownian motion.
#: From 800,000 simulated paths; the distribution is that of I. N. Lobato, Testing that a dependent process is
#: uncorrelated, Journal of the American Statistical Association 96 (2001).
_SELF_NORMALIZED = {0.9: 28.3, 0.95: 45.7, 0.99: 101.0}
#: What `VerdictSettings.confidence` may be.
CONFIDENCES = tuple(_SELF_NORMALIZED)


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

    def lies_within(self, distance: float) -> bool:
        """Return whether no value in it is further from zero, either way."""
        return -distance <= self.low and self.high <= distance

    def excludes_zero(self) -> bool:
        """Return whether all values in it have one sign."""
        return self.low > 0 or self.high < 0


@dataclass(frozen=True)
class Evidence:
    """One ratio with the intervals that it was made of.

    Attributes:
        by_iterations: By the bootstrap alone.
        by_course: The same, or self-normalized if that is wider.
        by_runs: The same, or Student's if that is wider.
        whole: The same and the clock's steps.
        run_spread: Standard deviation between runs; None with one run on each side.
    """

    by_iterations: Interval
    by_course: Interval
    by_runs: Interval
    whole: Interval
    run_spread: float | None


def weigh(
    baseline: Sequence[RunFacts],
    candidate: Sequence[RunFacts],
    level: Callable[[RunFacts], Level],
    confidence: float,
) -> Evidence:
    """Return the logarithm of the candidate's over the baseline's percentile, with intervals.

    Args:
        baseline: At least one run.
        candidate: At least one run.
        level: Picks the percentile.
        confidence: One of `CONFIDENCES`.
    """
    sides = ([level(run) for run in baseline], [level(run) for run in candidate])
    log = fmean([each.log for each in sides[1]]) - fmean([each.log for each in sides[0]])
    by_iterations = _by_bootstrap(*sides, log, confidence)
    by_course = by_iterations.at_least(_self_normalized(*sides, confidence))
    spread = _run_spread(*sides)
    by_runs = by_course.at_least(_between_runs(spread, len(baseline), len(candidate), confidence))
    steps = _half_a_step(baseline) + _half_a_step(candidate)
    return Evidence(by_iterations, by_course, by_runs, by_runs.widened(steps), spread)


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


def _run_spread(baseline: Sequence[Level], candidate: Sequence[Level]) -> float | None:
    """Return the standard deviation between runs of one side, pooled over both; None with one run each."""
    freedom = len(baseline) + len(candidate) - 2
    if freedom == 0:
        return None
    squares = 0.0
    for side in (baseline, candidate):
        middle = fmean([level.log for level in side])
        squares += math.fsum((level.log - middle) ** 2 for level in side)
    return math.sqrt(squares / freedom)


def _between_runs(spread: float | None, baseline: int, candidate: int, confidence: float) -> float:
    """Return half the width of Student's interval for two groups of equal spread; 0 with one run each."""
    if spread is None:
        return 0.0
    quantile = student_quantile((1 + confidence) / 2, baseline + candidate - 2)
    return quantile * spread * math.sqrt(1 / baseline + 1 / candidate)


def student_quantile(probability: float, freedom: int) -> float:
    """Return below which value Student's t lies with a probability above a half.

    Source: Abramowitz and Stegun, Handbook of Mathematical Functions, 26.7.3 and 26.7.4; inverted by
    bisection.
    """
    low, high = 0.0, math.pi / 2
    for _ in range(60):
        angle = (low + high) / 2
        if _student_within(angle, freedom) < 2 * probability - 1:
            low = angle
        else:
            high = angle
    return math.sqrt(freedom) * math.tan(low)


def _student_within(angle: float, freedom: int) -> float:
    """Return the probability that |t| is less than sqrt(freedom) tan(angle)."""
    odd = freedom % 2
    power = term = math.cos(angle) if odd else 1.0
    total = term if freedom > 1 else 0.0
    for step in range(2 if odd else 1, freedom - 2, 2):
        power = power * math.cos(angle) ** 2 * step / (step + 1)
        total += power
    if odd:
        return 2 / math.pi * (angle + math.sin(angle) * total)
    return math.sin(angle) * total

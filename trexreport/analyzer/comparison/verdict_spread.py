"""How much runs of one engine differ, and how far that widens the interval of a ratio.

One run of each side shows nothing of it. An allowance takes its place: the assumed spread of the settings
counts as much as one more run of each side. It is pooled with what the runs show (the scale of a variance
under a scaled inverse chi-square prior: A. Gelman et al., Bayesian Data Analysis, 2013, section 3.3),
separately for each side, since one may be less steady than the other (B. L. Welch, The generalization of
"Student's" problem, Biometrika 34, 1947). With one run of each and 95% confidence it is 4.30 times the root
of 2 times the logarithm of the assumed spread: for a spread of 1% the ratio may differ by 6.24%.

What all runs of one sitting share, such as the temperature or the places in memory, no run of it shows. It is
assumed to differ from sitting to sitting as much as runs do, and counts by the number of sittings, however
many runs agree. Where each run of a side is from a sitting of its own, the spread between them holds it, and
where there is one run of a side, its allowance does.

Where a side has five runs or more, the other side's are assumed to differ as much as those.

Several runs on both sides add Student's interval of their medians, which needs no assumption about the
spread. Two runs that agree may both be at one of two levels, between which runs of an engine alternate (such
as two states of the clocks, or two places of its memory): with two runs of a side the interval is at least as
wide as the two levels of the assumed spread are apart. Where two runs of each side show two such levels, it
is that wide and no wider: all four runs lie at two levels only by chance if they differ in any other way.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import lru_cache
from statistics import fmean

from trexreport.lazy_dataclass import dataclass

#: From this many degrees of freedom on, the runs of one side show what the other side's would.
_LEARNED_FREEDOM = 4
#: Student's interval is so much wider, for spreads that differ between the sides or are not normal.
_STUDENT_MARGIN = 1.15
#: Two runs of a side and at most this number of the other are at different levels in more than 5% of the
#: pairs, unless one level is rare: then the levels are at least this number of standard deviations apart.
_FEW_RUNS, _TWO_LEVELS = 3, 2.5
#: Runs are at one level if they differ by at most this part of what the levels are apart. Where runs differ
#: by 2%, evenly or normally, two runs each look like two levels by chance in 3% of the pairs.
_SAME_LEVEL = 0.04
#: The spread between sittings is assumed, as well as if ten degrees of freedom had shown it.
_SITTING_FREEDOM = 10
#: The assumed spread of the two sides is one assumption: together it counts as two degrees of freedom.
_MIN_FREEDOM = 2


@dataclass(frozen=True)
class RunSpread:
    """How much runs differ, in logarithms.

    Attributes:
        measured: Standard deviation between runs of one side, pooled over both; None with one run of each.
        allowance: Half the width of the interval by the assumed and the measured spread together.
        student: Likewise by the measured spread alone; 0 with one run of a side.
        sittings: Likewise by what runs of one sitting may share.
    """

    measured: float | None
    allowance: float
    student: float
    sittings: float = 0.0


def spread_between(
    baseline: Sequence[float],
    candidate: Sequence[float],
    assumed: float,
    confidence: float,
    sittings: tuple[int, int] = (1, 1),
) -> RunSpread:
    """Return how far the spread between runs moves the difference of two means.

    Args:
        baseline: A logarithm of each run, at least one.
        candidate: Likewise.
        assumed: The spread, a standard deviation of logarithms, to assume without knowing more.
        confidence: Of the intervals.
        sittings: In how many sittings the runs of each side were measured.
    """
    counts = len(baseline), len(candidate)
    squares = _squares(baseline), _squares(candidate)
    freedom = sum(counts) - 2
    measured = math.sqrt(math.fsum(squares) / freedom) if freedom else None
    allowance = 0.0
    if assumed:
        allowance = _allowance(counts, squares, assumed, confidence)
        if min(counts) == 2 and max(counts) <= _FEW_RUNS:
            allowance = max(allowance, _TWO_LEVELS * assumed)
    student = 0.0
    if measured is not None and (min(counts) > 1 or not assumed):
        error = measured * math.sqrt(1 / counts[0] + 1 / counts[1])
        student = _STUDENT_MARGIN * student_quantile((1 + confidence) / 2, freedom) * error
    if assumed and counts == (2, 2) and _are_at_two_levels(baseline, candidate, _TWO_LEVELS * assumed):
        allowance = _TWO_LEVELS * assumed
        student = min(student, allowance)
    shared = math.fsum(
        1 / sitting for sitting, count in zip(sittings, counts, strict=True) if sitting < count
    )
    quantile = student_quantile((1 + confidence) / 2, _SITTING_FREEDOM)
    return RunSpread(measured, allowance, student, quantile * assumed * math.sqrt(shared))


def _are_at_two_levels(baseline: Sequence[float], candidate: Sequence[float], most: float) -> bool:
    """Return whether two runs of each side are at two levels that are at most so far apart.

    Either both sides show both levels, so that their runs are equally far apart, or one side shows one level.
    """
    gaps = sorted(abs(one - other) for one, other in (baseline, candidate))
    return gaps[1] <= most and min(gaps[0], gaps[1] - gaps[0]) <= _SAME_LEVEL * gaps[1]


def _squares(values: Sequence[float]) -> float:
    middle = fmean(values)
    return math.fsum((value - middle) ** 2 for value in values)


def _allowance(
    counts: tuple[int, int], squares: tuple[float, float], assumed: float, confidence: float
) -> float:
    variances, freedoms = [], []
    for side in (0, 1):
        seen, learned = squares[side], squares[1 - side]
        more = counts[1 - side] - 1 if counts[1 - side] > _LEARNED_FREEDOM else 0
        freedoms.append(counts[side] + more)
        variances.append((assumed**2 + seen + (learned if more else 0.0)) / freedoms[side])
    if counts[0] == 1 or counts[1] == 1:
        # A single run may differ as much as the other side's do, and as much as is assumed.
        for side in (0, 1):
            if counts[side] == 1:
                variances[side] = max(variances[side], variances[1 - side])
    errors = [variance / count for variance, count in zip(variances, counts, strict=True)]
    whole = math.fsum(errors)
    welch = whole**2 / math.fsum(error**2 / each for error, each in zip(errors, freedoms, strict=True))
    freedom = min(max(_MIN_FREEDOM, math.floor(round(welch, 6))), sum(counts))
    return student_quantile((1 + confidence) / 2, freedom) * math.sqrt(whole)


@lru_cache(maxsize=256)
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

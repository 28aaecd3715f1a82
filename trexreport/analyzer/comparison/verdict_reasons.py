"""The reasons of a verdict on iterations, and what makes the times of a side uncertain.

Whether two sides' times are distributed alike is tested by their ranks, allowing for autocorrelation, with
the test of H. B. Mann and D. R. Whitney (Annals of Mathematical Statistics 18, 1947) with its normal
approximation, corrected for ties. The numbers of iterations in its variance are the effective ones: this many
independent iterations would say as much.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.verdict import Outcome, Reason, ReasonCode, Role, VerdictSettings
from trexreport.analyzer.comparison.bootstrap_blocks import doubled_ranks
from trexreport.analyzer.comparison.verdict_interval import Interval
from trexreport.analyzer.comparison.verdict_run import RunFacts
from trexreport.analyzer.comparison.verdict_sides import Side

#: With fewer it is worth stating how much the iterations depend on each other.
_MIN_INDEPENDENT = 30
#: Steps of a timer are worth stating if they are at least this part of the median.
_COARSE_STEP = 0.005


def interval_reasons(verdict: Outcome, interval: Interval, settings: VerdictSettings) -> list[Reason]:
    """Return by how much the times differ, and which condition of a verdict does not hold."""
    if verdict == "no-change":
        return [Reason("within-minimum-effect")]
    reasons = [Reason("interval")]
    if verdict == "inconclusive":
        reasons.append(Reason(_missing_condition(interval, settings)))
    return reasons


def _missing_condition(interval: Interval, settings: VerdictSettings) -> ReasonCode:
    if abs(interval.log) < math.log1p(settings.minimum_effect_percent / 100):
        return "minimum-effect-not-excluded"
    return "ranks-not-different" if interval.excludes_zero() else "zero-not-excluded"


def dependence_reasons(role: Role, runs: Sequence[RunFacts]) -> list[Reason]:
    """Return whether a side's iterations depend on each other so much that they carry little information."""
    iterations = sum(run.iterations for run in runs)
    independent = math.fsum(run.independent_iterations for run in runs)
    is_little = independent < min(_MIN_INDEPENDENT, iterations / 2)
    return [Reason("dependent-iterations", role)] if is_little else []


def timer_reasons(
    sides: Sequence[tuple[Role, Sequence[RunFacts]]], steps: Sequence[float | None]
) -> list[Reason]:
    """Return which sides' timers have steps, in milliseconds, that are coarse for their times."""
    coarse = [
        (role, step)
        for (role, runs), step in zip(sides, steps, strict=True)
        if step is not None and step >= _COARSE_STEP * min(run.median_ms for run in runs)
    ]
    if len(coarse) == len(sides) and len({step for _, step in coarse}) == 1:
        return [Reason("coarse-timer", figures={"step_ms": coarse[0][1]})]
    return [Reason("coarse-timer", role, figures={"step_ms": step}) for role, step in coarse]


def level_reasons(role: Role, runs: Sequence[RunFacts]) -> list[Reason]:
    """Return how the level of a side's times changes, by the run in which it changes most."""
    levels = max((run.levels for run in runs), key=lambda each: (each.below + each.above, each.pattern))
    if levels.pattern == "steady":
        return []
    figures = {
        "first_ms": math.exp(levels.first),
        "last_ms": math.exp(levels.last),
        "range_percent": 100 * math.expm1(levels.below + levels.above),
        "after_percent": 100 * levels.place,
        "still_falls": float(levels.still_falls),
        "runs": float(sum(run.levels.pattern != "steady" for run in runs)),
    }
    return [Reason(levels.pattern, role, figures=figures)]


def single_run_reasons(baseline: Side, candidate: Side) -> list[Reason]:
    """Return which sides have a single run, so that the spread between their runs is not known."""
    single = [side.role for side in (baseline, candidate) if len(side.runs) == 1]
    return [Reason("one-run-each")] if len(single) > 1 else [Reason("one-run", role) for role in single]


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

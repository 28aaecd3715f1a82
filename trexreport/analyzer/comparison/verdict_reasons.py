"""The reasons of a verdict on iterations, and what makes the times of a side uncertain."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.verdict import Outcome, Reason, ReasonCode, Role, VerdictSettings
from trexreport.analyzer.comparison.verdict_interval import Interval
from trexreport.analyzer.comparison.verdict_run import RunFacts
from trexreport.analyzer.modes import find_two_modes

#: With fewer it is worth stating how much the iterations depend on each other.
_MIN_INDEPENDENT = 30


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


def uncertainty_reasons(role: Role, runs: Sequence[RunFacts]) -> list[Reason]:
    """Return what makes a side's times uncertain: they depend on each other, or fall into two groups."""
    reasons = []
    iterations = sum(run.iterations for run in runs)
    independent = math.fsum(run.independent_iterations for run in runs)
    if independent < min(_MIN_INDEPENDENT, iterations / 2):
        reasons.append(Reason("dependent-iterations", role))
    modes = next((found for found in (find_two_modes(run.times) for run in runs) if found), None)
    if modes is not None:
        reasons.append(
            Reason("two-modes", role, figures={"fast_ms": modes.fast_ms, "slow_ms": modes.slow_ms})
        )
    return reasons

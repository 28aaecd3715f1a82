"""Find the builds of trtexec's autotuner that no other one is better than."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.accuracy import TrialFacts
from trexreport.model.accuracy import TuningTrial


def describe_trials(trials: Sequence[TuningTrial]) -> list[TrialFacts]:
    """Return the builds in the order of the file; the best are those of the Pareto front of time and loss."""
    points = [
        (trial.gpu_time_ms, max(trial.losses.values()), at)
        for at, trial in enumerate(trials)
        if trial.gpu_time_ms is not None and trial.losses and not trial.failure
    ]
    best, least = set(), math.inf
    for _, loss, at in sorted(points):
        if loss < least:
            best.add(at)
            least = loss
    return [
        TrialFacts(
            trial.number,
            trial.gpu_time_ms,
            max(trial.losses.values(), default=None),
            trial.route,
            trial.failure,
            at in best,
        )
        for at, trial in enumerate(trials)
    ]

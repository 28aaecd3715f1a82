"""Whether one engine is faster than another, with what speaks for it and how it was judged."""

from __future__ import annotations

from dataclasses import dataclass, field

#: What a candidate may be against the baseline.
VERDICTS = ("faster", "slower", "same", "cant-tell")


@dataclass(frozen=True)
class VerdictSettings:
    """What has to hold for a verdict.

    Attributes:
        minimum_effect_percent: By how much the longer time must exceed the shorter one to count at all.
        confidence: Of the intervals, one of 0.9, 0.95 and 0.99; one minus it is the level of the rank test.
        noise_percent: Like `minimum_effect_percent`, where there are only averages or too few iterations to
            see how much they vary.
        resamples: How often each run is drawn anew.
        seed: Of the drawing; the same seed gives the same figures.
    """

    minimum_effect_percent: float = 2.0
    confidence: float = 0.95
    noise_percent: float = 10.0
    resamples: int = 1000
    seed: int = 1


@dataclass(frozen=True)
class Ratio:
    """Time of the candidate over time of the baseline, with its confidence interval; below 1 is faster."""

    value: float
    low: float
    high: float


@dataclass(frozen=True)
class TimesUsed:
    """What is known of the times of one side.

    Attributes:
        runs: How many separate measurements.
        iterations: Of all runs together; 0 if there are only averages.
        independent_iterations: As many independent iterations would say as much as these correlated ones do.
        median_ms: Geometric mean of the runs' medians, of one run its median; or the average that was given.
        p99_ms: Likewise of the 99th percentiles.
    """

    runs: int = 0
    iterations: int = 0
    independent_iterations: float | None = None
    median_ms: float | None = None
    p99_ms: float | None = None


@dataclass(frozen=True)
class Verdict:
    """What the times say about a candidate against a baseline.

    Attributes:
        verdict: One of `VERDICTS`.
        basis: What it rests on: "iterations", "averages" or "nothing".
        reasons: Why, and what to bear in mind; the first sentence gives the verdict's own reason.
        baseline, candidate: What is known of either side's times.
        median_ratio: Of the medians; None without enough iterations.
        p99_ratio: Of the 99th percentiles; informs and does not decide.
        p_value: Of the rank test that both are distributed alike, allowing for autocorrelation.
        run_spread_percent: Standard deviation between medians of runs of one engine; None of one run each.
        settings: What was asked for.
    """

    verdict: str
    basis: str
    reasons: list[str]
    baseline: TimesUsed
    candidate: TimesUsed
    median_ratio: Ratio | None = None
    p99_ratio: Ratio | None = None
    p_value: float | None = None
    run_spread_percent: float | None = None
    settings: VerdictSettings = field(default_factory=VerdictSettings)

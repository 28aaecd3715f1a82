"""Whether one engine is faster than another, with the evidence and how it was judged."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import dataclass

#: What a candidate may be against the baseline.
Outcome = Literal["faster", "slower", "no-change", "inconclusive"]
#: What a verdict rests on.
Basis = Literal["iterations", "averages", "none"]
#: Which time a verdict compares; empty where no time of both is known.
Metric = Literal["GPU compute time", "latency", "total layer time", ""]
Role = Literal["baseline", "candidate"]

#: Runs that differ by more than this, as a standard deviation, allow no verdict worth the name.
MAX_RUN_SPREAD_PERCENT = 100.0

#: Why a verdict is what it is, and what to bear in mind; `trexreport/wording/verdict.py` has the sentences.
ReasonCode = Literal[
    # The verdict's own reason, by the interval and the rank test.
    "interval",
    "within-minimum-effect",
    "minimum-effect-not-excluded",
    "zero-not-excluded",
    "ranks-not-different",
    # By single figures.
    "beyond-noise",
    "within-noise",
    "times-overlap",
    "few-times-of-one-clock",
    "equal-averages",
    "no-times",
    # Both sides are one measurement.
    "same-measurement",
    "same-files",
    # The files of a side contradict each other.
    "contradictory-files",
    # The times of a side are sums over an unknown number of runs.
    "times-are-sums",
    # The engines do not do the same work.
    "different-model-by-layers",
    "different-model-by-multiply-adds",
    "different-model-by-weights",
    "different-work",
    "different-transfers",
    "unknown-work",
    # Queries shared the GPU on one side with more others.
    "different-streams",
    # What alone prevents a verdict.
    "only-timer-resolution-prevents",
    "only-level-changes-prevent",
    "only-drift-prevents",
    "only-sittings-prevent",
    "only-run-spread-prevents",
    "only-assumed-run-spread-prevents",
    # What to bear in mind.
    "p99-differs",
    "dependent-iterations",
    "coarse-timer",
    "clock-step",
    "slow-drift",
    "changing-level",
    "long-warm-up",
    "within-warm-up",
    "two-modes",
    "one-run-each",
    "one-run",
    "one-sitting",
    "few-iterations",
    "unusable-times",
    "repeated-runs",
    "averages-only",
    "layer-times-only",
    "engine-compute-time-only",
    "engine-layer-times-only",
]


@dataclass(frozen=True)
class Reason:
    """One reason of a verdict; what the verdict itself states, such as its interval, is not repeated.

    Attributes:
        role: The side that it is about; empty for both.
        would_be: The verdict that would be given otherwise; empty for none.
        figures: By name, such as `fast_ms`.
        values: Of the baseline and of the candidate by what they are, such as "batch".
        details: Sentences of the reader on the files.
    """

    code: ReasonCode
    role: Role | Literal[""] = ""
    would_be: Outcome | Literal[""] = ""
    figures: Mapping[str, float] = field(default_factory=dict)
    values: Mapping[str, tuple[str, str]] = field(default_factory=dict)
    details: tuple[str, ...] = ()


@dataclass(frozen=True)
class VerdictSettings:
    """The thresholds of a verdict.

    Attributes:
        minimum_effect_percent: By how much the longer time must exceed the shorter one to count at all.
        confidence: Of the intervals, one of 0.9, 0.95 and 0.99; one minus it is the level of the rank test.
        noise_percent: Like `minimum_effect_percent`, where only averages are known, or too few iterations to
            see how much they vary.
        assumed_run_spread_percent: By how much runs of one engine are assumed to differ, as a standard
            deviation, where too few runs show it; 0 assumes that they do not differ.
        resamples: How often each run is resampled.
        seed: Of the resampling; the same seed gives the same figures.
    """

    minimum_effect_percent: float = 2.0
    confidence: float = 0.95
    noise_percent: float = 10.0
    assumed_run_spread_percent: float = 1.0
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
        iterations: Of all runs together; 0 if only averages are known.
        independent_iterations: How many independent iterations carry as much information as these correlated
            ones.
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
        verdict: Faster, slower, no change detected, or inconclusive.
        provisional: The verdict rests on one run of a side, and so on an assumption about how much runs
            differ; never of an inconclusive one.
        basis: What it rests on.
        reasons: The first is the verdict's own reason.
        baseline, candidate: What is known of either side's times.
        median_ratio: Of the medians; None without enough iterations.
        p99_ratio: Of the 99th percentiles; it does not decide the verdict.
        p_value: Of the rank test that both are distributed alike, adjusted for autocorrelation.
        run_spread_percent: Standard deviation between medians of runs of one engine; None of one run each.
        run_allowance_percent: By how much the interval is wider either way for the spread between runs; None
            without an interval.
        settings: The thresholds that were used.
    """

    verdict: Outcome
    basis: Basis
    reasons: tuple[Reason, ...]
    baseline: TimesUsed
    candidate: TimesUsed
    median_ratio: Ratio | None = None
    p99_ratio: Ratio | None = None
    p_value: float | None = None
    run_spread_percent: float | None = None
    run_allowance_percent: float | None = None
    provisional: bool = False
    settings: VerdictSettings = field(default_factory=VerdictSettings)

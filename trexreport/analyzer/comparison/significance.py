"""Judge from two engines' times whether one is faster, and with what confidence.

"faster" and "slower" need all of three: the ratio of the medians is at least the minimum effect, its
confidence interval leaves out "no difference", and the rank test rejects that both are distributed alike.
"no-change" needs that the whole interval is within the minimum effect. All else is "inconclusive".

With one run of a side, "faster" and "slower" are provisional: how much runs differ is assumed.

Swapping the sides mirrors the verdict: every figure is computed from one side at a time, and the two are
combined by differences of logarithms.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.verdict import (
    Outcome,
    Ratio,
    Reason,
    ReasonCode,
    TimesUsed,
    Verdict,
    VerdictSettings,
)
from trexreport.analyzer.comparison.verdict_beginnings import beside_longer
from trexreport.analyzer.comparison.verdict_interval import CONFIDENCES, Evidence, Interval, Source, weigh
from trexreport.analyzer.comparison.verdict_reasons import (
    dependence_reasons,
    interval_reasons,
    level_reasons,
    rank_test,
    single_run_reasons,
    timer_reasons,
)
from trexreport.analyzer.comparison.verdict_run import RunFacts, describe_run, with_timer, without_warm_up
from trexreport.analyzer.comparison.verdict_sides import (
    LONGEST_MS,
    SHORTEST_MS,
    Side,
    few_obstacle,
    geometric_mean,
    is_usable,
    make_side,
)
from trexreport.analyzer.comparison.verdict_timer import timer_steps
from trexreport.analyzer.thresholds import MIN_QUERIES
from trexreport.errors import UsageError
from trexreport.numbers import is_measured

#: The times of one measurement in the order of measuring, in milliseconds.
Run = Sequence[float]

#: A run of fewer iterations has no 99th percentile worth comparing.
MIN_FOR_P99 = 500
#: No two times have a larger ratio than this logarithm's.
_WIDEST_LOG = math.log(LONGEST_MS / SHORTEST_MS)
_DEFAULT = VerdictSettings()


def compare_times(
    baseline: Sequence[Run],
    candidate: Sequence[Run],
    settings: VerdictSettings = _DEFAULT,
    sittings: tuple[int, int] = (1, 1),
) -> Verdict:
    """Return what iterations say about a candidate against a baseline.

    Args:
        baseline: Its runs; several show how much repeated runs differ. Unusable times are left out.
        candidate: Likewise.
        settings: The thresholds.
        sittings: In how many sittings the runs of each side were measured: runs of one sitting may share what
            no run of it shows.

    Raises:
        UsageError: The settings make no sense.
    """
    check_settings(settings)
    sides = make_side("baseline", baseline), make_side("candidate", candidate)
    remarks = [reason for side in sides for reason in side.reasons()]
    few = [
        Reason("few-iterations", side.role, figures={"required": MIN_QUERIES})
        for side in sides
        if side.iterations < MIN_QUERIES
    ]
    if sides[0].runs and sides[0].runs == sides[1].runs and not _shows_nothing(sides[0]):
        return _identical(sides[0].summary(), settings, remarks)
    if few:
        figures = sides[0].summary(), sides[1].summary()
        return _judge_figures(*figures, settings, [*few, *remarks], few_obstacle(*sides))
    return _judge_iterations(*sides, settings, sittings, remarks)


def compare_averages(
    baseline_ms: float | None,
    candidate_ms: float | None,
    settings: VerdictSettings = _DEFAULT,
    ranges: Sequence[tuple[float, float]] = (),
) -> Verdict:
    """Return what two averages of unknown noise say: only a ratio beyond `noise_percent` counts.

    Equal averages are "inconclusive"; None is a time that is not known.

    Args:
        baseline_ms: The time of the baseline.
        candidate_ms: Likewise.
        settings: The thresholds.
        ranges: Between which times each side's lie, if known. A change of clock explains those that overlap.

    Raises:
        UsageError: The settings make no sense.
    """
    check_settings(settings)
    one, other = (
        TimesUsed(runs=1, median_ms=value) if value is not None and is_usable(value) else TimesUsed()
        for value in (baseline_ms, candidate_ms)
    )
    obstacle: ReasonCode | None = None
    if ranges and max(ranges[0][0], ranges[1][0]) <= min(ranges[0][1], ranges[1][1]):
        obstacle = "times-overlap"
    return _judge_figures(one, other, settings, [Reason("averages-only")], obstacle)


def check_settings(settings: VerdictSettings) -> None:
    """Raise `UsageError` if the settings make no sense."""
    if settings.confidence not in CONFIDENCES:
        choices = ", ".join(f"{each:g}" for each in CONFIDENCES)
        raise UsageError(f"The confidence is {settings.confidence}.", f"Choose one of {choices}.")
    for title, value in (
        ("minimum effect", settings.minimum_effect_percent),
        ("noise of averages", settings.noise_percent),
        ("assumed run spread", settings.assumed_run_spread_percent),
    ):
        if not is_measured(value) or value < 0:
            raise UsageError(f"The {title} is {value}%.", "Give a percentage of 0 or more.")
    if not 100 <= settings.resamples <= 100_000:
        raise UsageError(f"The number of resamples is {settings.resamples}.", "Choose from 100 to 100,000.")


def _shows_nothing(side: Side) -> bool:
    """Return whether all of many times are equal: another engine's may be, too, by a coarse timer."""
    return side.iterations >= MIN_QUERIES and len({time for run in side.runs for time in run}) == 1


def _identical(side: TimesUsed, settings: VerdictSettings, remarks: list[Reason]) -> Verdict:
    """Return the verdict on a measurement that is compared with itself."""
    reasons = (Reason("same-measurement"), *remarks)
    ratio = Ratio(1.0, 1.0, 1.0)
    return Verdict("no-change", "iterations", reasons, side, side, ratio, p_value=1.0, settings=settings)


def _judge_figures(
    one: TimesUsed,
    other: TimesUsed,
    settings: VerdictSettings,
    remarks: list[Reason],
    obstacle: ReasonCode | None = None,
) -> Verdict:
    """Return the verdict on single figures, whose noise is assumed; none if there is an obstacle."""
    if one.median_ms is None or other.median_ms is None:
        return Verdict("inconclusive", "none", (Reason("no-times"),), one, other, settings=settings)
    if one.median_ms == other.median_ms:
        # One figure that equals another proves as little as one that nearly does.
        equal = (Reason("equal-averages"), *remarks)
        return Verdict("inconclusive", "averages", equal, one, other, settings=settings)
    log = math.log(other.median_ms) - math.log(one.median_ms)
    least = max(settings.noise_percent, settings.minimum_effect_percent)
    is_beyond = abs(log) >= math.log1p(least / 100)
    is_decided = is_beyond and obstacle is None
    verdict = _direction(log) if is_decided else "inconclusive"
    reasons = (Reason((obstacle or "beyond-noise") if is_beyond else "within-noise"), *remarks)
    return Verdict(verdict, "averages", reasons, one, other, provisional=is_decided, settings=settings)


def _judge_iterations(
    baseline: Side,
    candidate: Side,
    settings: VerdictSettings,
    sittings: tuple[int, int],
    remarks: list[Reason],
) -> Verdict:
    """Return the verdict on two sides with iterations enough."""
    steps = timer_steps(baseline.runs, candidate.runs)
    one, other = beside_longer(
        *(
            without_warm_up([with_timer(describe_run(run, settings), step) for run in side.runs])
            for side, step in zip((baseline, candidate), steps, strict=True)
        )
    )
    evidence = weigh(one, other, lambda run: run.medians, settings, sittings)
    p_value = rank_test(one, other)
    verdict = _judge(evidence, p_value, settings)
    interval = evidence.without("sittings") if verdict == "no-change" else evidence.whole
    tail = None
    if all(run.iterations >= MIN_FOR_P99 for run in (*one, *other)):
        tail = weigh(one, other, lambda run: run.p99s, settings, sittings)
    reasons = interval_reasons(verdict, interval, settings)
    if verdict == "inconclusive":
        is_assumed = _is_provisional(baseline, candidate) and bool(settings.assumed_run_spread_percent)
        reasons += _sole_obstacle(evidence, p_value, settings, is_assumed=is_assumed)
    elif tail is not None and _judge(tail, 0.0, settings) not in {verdict, "inconclusive"}:
        reasons.append(Reason("p99-differs"))
    reasons += timer_reasons(((baseline.role, one), (candidate.role, other)), steps)
    for side, runs in ((baseline, one), (candidate, other)):
        reasons += level_reasons(side.role, runs)
        reasons += dependence_reasons(side.role, runs) if verdict == "inconclusive" else []
    reasons += single_run_reasons(baseline, candidate)
    if verdict == "no-change" and evidence.spread.sittings:
        reasons.append(Reason("one-sitting", figures=_sitting_figures(evidence)))
    spread = evidence.spread
    return Verdict(
        verdict,
        "iterations",
        (*reasons, *remarks),
        _times_used(one, has_p99=tail is not None),
        _times_used(other, has_p99=tail is not None),
        _ratio(interval),
        _ratio(tail.whole) if tail else None,
        p_value,
        run_spread_percent=None if spread.measured is None else 100 * math.expm1(spread.measured),
        run_allowance_percent=100 * (_exponential(max(spread.allowance, spread.student)) - 1),
        provisional=verdict != "inconclusive" and _is_provisional(baseline, candidate),
        settings=settings,
    )


def _is_provisional(baseline: Side, candidate: Side) -> bool:
    return min(len(baseline.runs), len(candidate.runs)) == 1


def _judge(evidence: Evidence, p_value: float, settings: VerdictSettings, *left_out: Source) -> Outcome:
    """Return the verdict on an interval, perhaps without some sources, and the rank test's probability.

    "no-change" speaks of what these runs show: a difference needs more than what sittings may differ by.
    """
    effect = math.log1p(settings.minimum_effect_percent / 100)
    if evidence.without("sittings", *left_out).lies_within(effect):
        return "no-change"
    interval = evidence.without(*left_out)
    is_real = interval.excludes_zero() and p_value < 1 - settings.confidence
    return _direction(interval.log) if is_real and abs(interval.log) >= effect else "inconclusive"


def _direction(log: float) -> Outcome:
    return "slower" if log > 0 else "faster"


def _sole_obstacle(
    evidence: Evidence, p_value: float, settings: VerdictSettings, *, is_assumed: bool
) -> list[Reason]:
    """Return which part of the uncertainty alone prevents a verdict.

    Args:
        evidence: What the interval is made of.
        p_value: Of the rank test.
        settings: The thresholds.
        is_assumed: Whether the spread between runs of a side is an assumption.
    """
    sources: tuple[tuple[Source, ReasonCode], ...] = (
        ("timer", "only-timer-resolution-prevents"),
        ("levels", "only-level-changes-prevent"),
        ("sittings", "only-sittings-prevent"),
        ("runs", "only-assumed-run-spread-prevents" if is_assumed else "only-run-spread-prevents"),
        ("drift", "only-drift-prevents"),
    )
    for source, code in sources:
        would_be = _judge(evidence, p_value, settings, source)
        if would_be != "inconclusive":
            figures = _sitting_figures(evidence) if source == "sittings" else {}
            return [Reason(code, would_be=would_be, figures=figures)]
    return []


def _sitting_figures(evidence: Evidence) -> dict[str, float]:
    return {"allowance_percent": 100 * math.expm1(evidence.spread.sittings)}


def _times_used(runs: Sequence[RunFacts], *, has_p99: bool) -> TimesUsed:
    return TimesUsed(
        runs=len(runs),
        iterations=sum(run.iterations for run in runs),
        independent_iterations=math.fsum(run.independent_iterations for run in runs),
        median_ms=geometric_mean([run.median_ms for run in runs]),
        p99_ms=geometric_mean([run.p99_ms for run in runs]) if has_p99 else None,
    )


def _ratio(interval: Interval) -> Ratio:
    return Ratio(*(_exponential(log) for log in (interval.log, interval.low, interval.high)))


def _exponential(log: float) -> float:
    """Return e to the power of a logarithm, of which the larger of two turned round is exactly the inverse.

    Spreads of a few runs that have nothing in common can reach further than numbers do.
    """
    smaller = math.exp(max(-abs(log), -_WIDEST_LOG))
    return smaller if log <= 0 else 1 / smaller

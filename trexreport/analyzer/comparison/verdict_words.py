"""Say in plain sentences why a verdict is what it is."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis.verdict import VerdictSettings
from trexreport.analyzer.comparison.verdict_interval import Interval
from trexreport.analyzer.comparison.verdict_run import RunFacts
from trexreport.analyzer.modes import find_two_modes
from trexreport.analyzer.thresholds import MIN_QUERIES
from trexreport.numbers import format_count, format_ms, format_number, format_percent, with_unit

SAME_MEASUREMENT = "Both sides are the same measurement."
SAME_FIGURES = "Both times are the same."
ONLY_AVERAGES = "Only averages are known, not how much the iterations vary."
ONE_RUN_EACH = "There is one run of each: how much repeated runs differ is not known."
#: What may stand in the way of a verdict.
CHANGE = "the difference changing in the course of the runs"
CLOCK_STEPS = "the steps in which the GPU's clock counts"

#: With fewer it is worth saying how much the iterations depend on each other.
_FEW_INDEPENDENT = 30
#: From this logarithm of a ratio on, "2.31 times" reads better than "131% more".
_IN_TIMES = math.log(2)
#: Ends of intervals beyond this one are as good as it.
_MOST_SAID = math.log(1e6)
_AS_ADJECTIVE = {"faster": "faster", "slower": "slower", "same": "the same"}


def say_verdict(verdict: str, interval: Interval, p_value: float, settings: VerdictSettings) -> list[str]:
    """Say by how much the times differ and which condition holds or does not."""
    if verdict == "same":
        return [_say_same(interval, settings)]
    sentences = [_say_interval(interval, settings)]
    if verdict != "cant-tell":
        return sentences
    least = settings.minimum_effect_percent
    if abs(interval.log) < math.log1p(least / 100):
        sentences.append(f"Only {_percent(least)} or more counts, and the interval reaches that.")
    elif not interval.excludes_zero():
        sentences.append("No difference at all would fit too.")
    else:
        sentences.append(f"By their ranks the times may be alike (p = {format_number(p_value, 2)}).")
    return sentences


def say_figures(log: float, least_percent: float, *, is_decided: bool) -> str:
    """Say by how much single figures differ and what noise is assumed of them."""
    least = _percent(least_percent)
    end = f"more than the {least} that noise may make" if is_decided else f"only {least} or more would count"
    return f"{_say_difference(log)}; {end}."


def say_missing(sides: Sequence[str]) -> str:
    """Say whose times are missing."""
    return f"There is no time of the {' and the '.join(sides)}."


def say_few(side: str, iterations: int) -> str:
    """Say that there are too few iterations."""
    if iterations == 1:
        return f"The {side}'s only iteration does not show how much iterations vary; {MIN_QUERIES} would."
    return (
        f"The {side}'s {format_count(iterations)} iterations do not show how much they vary;"
        f" {MIN_QUERIES} would."
    )


def say_obstacle(verdict: str, obstacle: str) -> str:
    """Say which verdict it would be but for one thing."""
    return f"It would be “{_AS_ADJECTIVE[verdict]}” but for {obstacle}."


def name_run_spread(spread: float) -> str:
    """Name the standard deviation, of logarithms, between runs of one engine."""
    return f"the differences between runs of one engine, {format_percent(math.expm1(spread))}"


def say_tail(interval: Interval) -> str:
    """Say that the 99th percentile does not go with the median."""
    return f"The 99th percentile does not follow: it is {_more_or_less(interval.log)} than the baseline's."


def say_nature(side: str, runs: Sequence[RunFacts]) -> list[str]:
    """Say what makes a side's times uncertain: that they depend on each other, or fall into two groups."""
    sentences = []
    iterations = sum(run.iterations for run in runs)
    independent = math.fsum(run.independent_iterations for run in runs)
    if independent < min(_FEW_INDEPENDENT, iterations / 2):
        sentences.append(
            f"The {side}'s {format_count(iterations)} iterations depend on each other; they tell as much as"
            f" {format_number(independent, 2)} independent ones."
        )
    modes = next((found for found in (find_two_modes(run.times) for run in runs) if found), None)
    if modes is not None:
        sentences.append(
            f"The {side}'s times fall into two groups around {format_ms(modes.fast_ms)} and"
            f" {format_ms(modes.slow_ms)}, as they do when the GPU changes between two clocks."
        )
    return sentences


def _say_interval(interval: Interval, settings: VerdictSettings) -> str:
    confidence = _percent(100 * settings.confidence)
    return f"{_say_difference(interval.log)}; with {confidence} confidence {_say_range(interval)}."


def _say_same(interval: Interval, settings: VerdictSettings) -> str:
    most = format_percent(math.expm1(max(-interval.low, interval.high)))
    return (
        f"With {_percent(100 * settings.confidence)} confidence the times differ by at most {most};"
        f" only {_percent(settings.minimum_effect_percent)} or more counts."
    )


def _say_difference(log: float) -> str:
    """Say by how much the candidate's time exceeds the baseline's, given the ratio's logarithm."""
    if log >= _IN_TIMES:
        return f"The candidate takes {_times(log)} times as long as the baseline"
    if log <= -_IN_TIMES:
        return f"The candidate is {_times(-log)} times as fast as the baseline"
    return f"The candidate takes {_more_or_less(log)} time than the baseline"


def _say_range(interval: Interval) -> str:
    """Say the interval in the unit in which the difference was said."""
    if interval.log >= _IN_TIMES:
        return f"{_times(interval.low)} to {_times(interval.high)} times"
    if interval.log <= -_IN_TIMES:
        return f"{_times(-interval.high)} to {_times(-interval.low)} times"
    near, far = sorted((interval.low, interval.high), key=abs)
    if near * far > 0:
        return f"{format_percent(abs(math.expm1(near)))} to {_more_or_less(far)}"
    return f"between {_more_or_less(interval.low)} and {_more_or_less(interval.high)}"


def _times(log: float) -> str:
    return format_number(math.exp(min(log, _MOST_SAID)))


def _more_or_less(log: float) -> str:
    """Return by how much a time exceeds another, given the ratio's logarithm: "4.9% less"."""
    return f"{format_percent(abs(math.expm1(min(log, _MOST_SAID))))} {'less' if log < 0 else 'more'}"


def _percent(value: float) -> str:
    """Write a percentage that somebody chose, as it was chosen."""
    return with_unit(f"{value:.10g}", "%")

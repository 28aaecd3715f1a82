"""Sentences that state a verdict's reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

from trexreport.analyzer.analysis.verdict import Outcome, Ratio, Reason, ReasonCode, Verdict
from trexreport.numbers import counted, format_count, format_ms, format_number, format_percent

#: An outcome as people read it, where that is not its name.
_OUTCOME_TEXTS: Mapping[str, str] = {"no-change": "no change detected"}
_OUTCOME_ROLES: Mapping[str, str] = {"faster": "change:faster", "slower": "change:slower"}
#: From this ratio on, "2.31 times" reads better than "131% more".
_IN_TIMES = 2.0
#: The ends of an interval beyond this ratio are written as this one.
_MAX_RATIO = 1e6


def outcome_text(outcome: Outcome) -> str:
    """Return a verdict's outcome as people read it: "no change detected"."""
    return _OUTCOME_TEXTS.get(outcome, outcome)


def outcome_role(outcome: Outcome) -> str:
    """Return the role of an outcome's color in the palette."""
    return _OUTCOME_ROLES.get(outcome, "neutral")


def reason_sentences(verdict: Verdict) -> list[str]:
    """Return the reasons of a verdict as sentences, the verdict's own reason first."""
    return [_SENTENCES[reason.code](verdict, reason) for reason in verdict.reasons]


def _interval(verdict: Verdict, _: Reason) -> str:
    ratio = _median_ratio(verdict)
    return f"{_difference(ratio.value)} ({_confidence(verdict)} CI: {_range(ratio)})."


def _within_minimum_effect(verdict: Verdict, _: Reason) -> str:
    ratio = _median_ratio(verdict)
    largest = format_percent(max(1 / ratio.low, ratio.high) - 1)
    return (
        f"The times differ by up to {largest} ({_confidence(verdict)} CI), within {_minimum_effect(verdict)}."
    )


def _minimum_effect_not_excluded(verdict: Verdict, _: Reason) -> str:
    return f"This is within {_minimum_effect(verdict)}, but the interval is not."


def _ranks_not_different(verdict: Verdict, _: Reason) -> str:
    return f"The rank test finds no significant difference (p = {format_number(verdict.p_value, 2)})."


def _beyond_noise(verdict: Verdict, _: Reason) -> str:
    return f"{_difference(_ratio_of_figures(verdict))}, more than the assumed noise of {_noise(verdict)}."


def _within_noise(verdict: Verdict, _: Reason) -> str:
    return f"{_difference(_ratio_of_figures(verdict))}, within the assumed noise of {_noise(verdict)}."


def _no_times(verdict: Verdict, _: Reason) -> str:
    sides = (("baseline", verdict.baseline), ("candidate", verdict.candidate))
    return (
        f"No time of the {' and the '.join(name for name, side in sides if side.median_ms is None)} is known."
    )


def _different_model_by_layers(_: Verdict, reason: Reason) -> str:
    baseline, candidate = (
        format_percent(reason.figures[name]) for name in ("baseline_matched", "candidate_matched")
    )
    return (
        f"Different models: {baseline} of the baseline's layers and {candidate} of the candidate's have a"
        f" counterpart.{_outputs(reason)}"
    )


def _different_model_by_work(what: str) -> Callable[[Verdict, Reason], str]:
    def sentence(_: Verdict, reason: Reason) -> str:
        baseline, candidate = (value or "unknown" for value in reason.values["multiply-adds"])
        return (
            f"Different models: {format_percent(reason.figures['common'])} of the {what} are in layers that"
            f" both have. Multiply-adds of an inference: {baseline} in the baseline, {candidate} in the"
            f" candidate.{_outputs(reason)}"
        )

    return sentence


def _outputs(reason: Reason) -> str:
    if "outputs" not in reason.values:
        return ""
    return " Output shapes without the batch: {} in the baseline, {} in the candidate.".format(
        *reason.values["outputs"]
    )


def _different_work(_: Verdict, reason: Reason) -> str:
    differing = " and ".join(
        f"{name} {candidate} vs. {baseline}" for name, (baseline, candidate) in reason.values.items()
    )
    return f"Different amounts of work: {differing}."


def _prevented_by(obstacle: str) -> Callable[[Verdict, Reason], str]:
    def sentence(verdict: Verdict, reason: Reason) -> str:
        spread = verdict.run_spread_percent
        text = obstacle.format(spread=format_percent(None if spread is None else spread / 100))
        return f"Without {text}, the verdict would be “{outcome_text(reason.would_be or 'inconclusive')}”."

    return sentence


def _p99_differs(verdict: Verdict, _: Reason) -> str:
    ratio = verdict.p99_ratio
    return f"The p99 does not follow the median: it is {_more_or_less(ratio.value if ratio else 1)}."


def _dependent_iterations(verdict: Verdict, reason: Reason) -> str:
    side = verdict.baseline if reason.role == "baseline" else verdict.candidate
    return (
        f"The {reason.role}'s {format_count(side.iterations)} iterations are autocorrelated: they carry as"
        f" much information as {format_number(side.independent_iterations, 2)} independent ones."
    )


def _two_modes(_: Verdict, reason: Reason) -> str:
    fast, slow = (format_ms(reason.figures[name]) for name in ("fast_ms", "slow_ms"))
    return (
        f"The {reason.role}'s times fall into two groups around {fast} and {slow}, as when the GPU switches"
        " between two clocks."
    )


def _few_iterations(verdict: Verdict, reason: Reason) -> str:
    side = verdict.baseline if reason.role == "baseline" else verdict.candidate
    return (
        f"The {reason.role} has {counted(side.iterations, 'iteration')}, too few to estimate the variation:"
        f" {format_count(reason.figures['required'])} are needed."
    )


def _unusable_times(_: Verdict, reason: Reason) -> str:
    left_out, total = (format_count(reason.figures[name]) for name in ("left_out", "total"))
    return f"{left_out} of {total} times of the {reason.role} are not valid and are left out."


def _fixed(text: str) -> Callable[[Verdict, Reason], str]:
    return lambda _, reason: text.format(role=reason.role)


_SENTENCES: Mapping[ReasonCode, Callable[[Verdict, Reason], str]] = {
    "interval": _interval,
    "within-minimum-effect": _within_minimum_effect,
    "minimum-effect-not-excluded": _minimum_effect_not_excluded,
    "zero-not-excluded": _fixed("The interval includes no difference."),
    "ranks-not-different": _ranks_not_different,
    "beyond-noise": _beyond_noise,
    "within-noise": _within_noise,
    "equal-averages": _fixed("Both times are equal."),
    "no-times": _no_times,
    "same-measurement": _fixed("Both sides are the same measurement."),
    "same-files": _fixed("Both were read from the same files."),
    "different-model-by-layers": _different_model_by_layers,
    "different-model-by-multiply-adds": _different_model_by_work("multiply-adds"),
    "different-model-by-weights": _different_model_by_work("weights"),
    "different-work": _different_work,
    "only-clock-steps-prevent": _prevented_by("the limited resolution of the GPU's timer"),
    "only-drift-prevents": _prevented_by("the drift of the difference during the runs"),
    "only-run-spread-prevents": _prevented_by("the spread between runs of one engine ({spread})"),
    "p99-differs": _p99_differs,
    "dependent-iterations": _dependent_iterations,
    "two-modes": _two_modes,
    "one-run-each": _fixed("There is one run of each: the spread between repeated runs is not known."),
    "few-iterations": _few_iterations,
    "unusable-times": _unusable_times,
    "repeated-runs": _fixed("Identical runs of the {role} count once."),
    "averages-only": _fixed("Only averages are known, not the variation of the iterations."),
    "layer-times-only": _fixed("The times are total layer times, as the query time of both is not known."),
    "engine-compute-time-only": _fixed(
        "Only the engine's GPU compute time is known, without transfers and the host."
    ),
    "engine-layer-times-only": _fixed("Only the engine's total layer time is known, not its query time."),
}


def _median_ratio(verdict: Verdict) -> Ratio:
    return verdict.median_ratio or Ratio(1.0, 1.0, 1.0)


def _ratio_of_figures(verdict: Verdict) -> float:
    return (verdict.candidate.median_ms or 1.0) / (verdict.baseline.median_ms or 1.0)


def _difference(ratio: float) -> str:
    """Return by how much the candidate's time differs from the baseline's, given the ratio."""
    if ratio >= _IN_TIMES:
        return f"The candidate takes {_times(ratio)} times as long as the baseline"
    if ratio <= 1 / _IN_TIMES:
        return f"The candidate is {_times(1 / ratio)} times as fast as the baseline"
    percent, direction = _more_or_less(ratio).split(" ")
    return f"The candidate takes {percent} {direction} time than the baseline"


def _range(ratio: Ratio) -> str:
    """Return the interval in the unit of the difference."""
    if ratio.value >= _IN_TIMES:
        return f"{_times(ratio.low)} to {_times(ratio.high)} times"
    if ratio.value <= 1 / _IN_TIMES:
        return f"{_times(1 / ratio.high)} to {_times(1 / ratio.low)} times"
    near, far = sorted((ratio.low, ratio.high), key=lambda end: abs(math.log(end)))
    if (near - 1) * (far - 1) > 0:
        return f"{_percent_of_ratio(near)} to {_more_or_less(far)}"
    return f"{_more_or_less(ratio.low)} to {_more_or_less(ratio.high)}"


def _times(ratio: float) -> str:
    return format_number(min(ratio, _MAX_RATIO))


def _more_or_less(ratio: float) -> str:
    """Return by how much a time exceeds another, given their ratio: "4.9% less"."""
    return f"{_percent_of_ratio(ratio)} {'less' if ratio < 1 else 'more'}"


def _percent_of_ratio(ratio: float) -> str:
    return format_percent(abs(min(ratio, _MAX_RATIO) - 1))


def _confidence(verdict: Verdict) -> str:
    return _chosen_percent(100 * verdict.settings.confidence)


def _minimum_effect(verdict: Verdict) -> str:
    return f"the minimum effect of {_chosen_percent(verdict.settings.minimum_effect_percent)}"


def _noise(verdict: Verdict) -> str:
    settings = verdict.settings
    return _chosen_percent(max(settings.noise_percent, settings.minimum_effect_percent))


def _chosen_percent(value: float) -> str:
    """Return a percentage that a user chose, as it was chosen."""
    return f"{value:.10g}%"

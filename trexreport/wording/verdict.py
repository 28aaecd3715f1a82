"""Sentences that state a verdict's reasons."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import replace
from string import Formatter

from trexreport.analyzer.analysis.verdict import Outcome, Ratio, Reason, ReasonCode, TimesUsed, Verdict
from trexreport.numbers import counted, format_count, format_ms, format_number, format_percent
from trexreport.wording.shares import distinct_ms, percent
from trexreport.wording.texts import TEXTS

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


def verdict_text(verdict: Verdict) -> str:
    """Return a verdict as people read it: "faster (provisional)"."""
    return f"{outcome_text(verdict.verdict)}{' (provisional)' if verdict.provisional else ''}"


def outcome_role(outcome: Outcome) -> str:
    """Return the role of an outcome's color in the palette."""
    return _OUTCOME_ROLES.get(outcome, "neutral")


def reason_sentences(verdict: Verdict) -> list[str]:
    """Return the reasons of a verdict as sentences, the verdict's own reason first."""
    return [_sentence(verdict, reason) for reason in verdict.reasons]


def reasons_below_contradictions(verdict: Verdict) -> list[str]:
    """Return the reasons for a document that states the contradictions between files above."""
    reasons = tuple(replace(each, details=()) for each in verdict.reasons)
    return reason_sentences(replace(verdict, reasons=reasons))


def _sentence(verdict: Verdict, reason: Reason) -> str:
    text = _SENTENCES[reason.code]
    names = [name for _, name, _, _ in Formatter().parse(text) if name]
    return text.format_map({name: _WORDS[name](verdict, reason) for name in names}).rstrip()


#: The sentence of each reason, with names of `_WORDS` in braces.
_SENTENCES: Mapping[ReasonCode, str] = TEXTS["verdict"]["sentences"]


def _no_time(verdict: Verdict, _: Reason) -> str:
    sides = (("baseline", verdict.baseline), ("candidate", verdict.candidate))
    return " and the ".join(name for name, side in sides if side.median_ms is None)


def _in_layers_of_both(_: Verdict, reason: Reason) -> str:
    baseline, candidate = (value or "unknown" for value in reason.values["multiply-adds"])
    return (
        f"are in layers that both have. Multiply-adds of an inference: {baseline} in the baseline, "
        f"{candidate} in the candidate.{_outputs(_, reason)}"
    )


def _outputs(_: Verdict, reason: Reason) -> str:
    if "outputs" not in reason.values:
        return ""
    baseline, candidate = reason.values["outputs"]
    return f" Output shapes without the batch: {baseline} in the baseline, {candidate} in the candidate."


def _amounts(_: Verdict, reason: Reason) -> str:
    return " and ".join(f"{name} {now} vs. {before}" for name, (before, now) in reason.values.items())


def _figure(name: str, write: Callable[[float], str]) -> Callable[[Verdict, Reason], str]:
    return lambda _, reason: write(reason.figures[name])


def _in_runs(verdict: Verdict, reason: Reason) -> str:
    """Return how many runs of several change their level, of which the sentence describes one."""
    runs = _side(verdict, reason).runs
    return f" {format_count(reason.figures['runs'])} of {format_count(runs)} runs do." if runs > 1 else ""


_WORDS: Mapping[str, Callable[[Verdict, Reason], str]] = {
    "difference": lambda verdict, _: _difference(_median_ratio(verdict).value),
    "range": lambda verdict, _: _range(_median_ratio(verdict)),
    "largest_difference": lambda verdict, _: _largest_difference(_median_ratio(verdict)),
    "confidence": lambda verdict, _: _chosen_percent(100 * verdict.settings.confidence),
    "minimum_effect": lambda verdict, _: (
        f"the minimum effect of {_chosen_percent(verdict.settings.minimum_effect_percent)}"
    ),
    "p_value": lambda verdict, _: format_number(verdict.p_value, 2),
    "difference_of_figures": lambda verdict, _: _difference(
        (verdict.candidate.median_ms or 1.0) / (verdict.baseline.median_ms or 1.0)
    ),
    "noise": lambda verdict, _: _chosen_percent(
        max(verdict.settings.noise_percent, verdict.settings.minimum_effect_percent)
    ),
    "sides_without_time": _no_time,
    "baseline_matched": _figure("baseline_matched", format_percent),
    "candidate_matched": _figure("candidate_matched", format_percent),
    "common": _figure("common", format_percent),
    "in_layers_of_both": _in_layers_of_both,
    "outputs": _outputs,
    "amounts": _amounts,
    "would_be": lambda _, reason: outcome_text(reason.would_be or "inconclusive"),
    "run_spread": lambda verdict, _: percent(verdict.run_spread_percent),
    "p99_difference": lambda verdict, _: _more_or_less(verdict.p99_ratio.value if verdict.p99_ratio else 1),
    "role": lambda _, reason: reason.role,
    "details": lambda _, reason: " ".join(reason.details),
    "iterations": lambda verdict, reason: format_count(_side(verdict, reason).iterations),
    "counted_iterations": lambda verdict, reason: counted(_side(verdict, reason).iterations, "iteration"),
    "independent_iterations": lambda verdict, reason: format_number(
        _side(verdict, reason).independent_iterations, 2
    ),
    "run_allowance": lambda verdict, _: percent(verdict.run_allowance_percent),
    "allowance": _figure("allowance_percent", percent),
    "assumed_run_spread": lambda verdict, _: _chosen_percent(verdict.settings.assumed_run_spread_percent),
    "times_of_role": lambda _, reason: f"The {reason.role}'s times" if reason.role else "All times",
    "step_ms": _figure("step_ms", format_ms),
    "first_ms": lambda _, reason: distinct_ms(reason.figures["first_ms"], reason.figures["last_ms"]),
    "last_ms": lambda _, reason: distinct_ms(reason.figures["last_ms"], reason.figures["first_ms"]),
    "onward": lambda _, reason: (
        ", and still fall at its end, for which the interval allows"
        if reason.figures.get("still_falls")
        else ""
    ),
    "level_range": _figure("range_percent", percent),
    "after": _figure("after_percent", percent),
    "in_runs": _in_runs,
    "required": _figure("required", format_count),
    "left_out": _figure("left_out", format_count),
    "total": _figure("total", format_count),
}


def _side(verdict: Verdict, reason: Reason) -> TimesUsed:
    return verdict.baseline if reason.role == "baseline" else verdict.candidate


def _median_ratio(verdict: Verdict) -> Ratio:
    return verdict.median_ratio or Ratio(1.0, 1.0, 1.0)


def _largest_difference(ratio: Ratio) -> str:
    return format_percent(max(1 / ratio.low, ratio.high) - 1)


def _difference(ratio: float) -> str:
    """Return by how much the candidate's time differs from the baseline's, given the ratio."""
    if ratio == 1:
        return "Both medians are equal"
    if ratio >= _IN_TIMES:
        return f"The candidate takes {_times(ratio)} times as long as the baseline"
    if ratio <= 1 / _IN_TIMES:
        return f"The candidate is {_times(1 / ratio)} times as fast as the baseline"
    return f"The candidate takes {_more_or_less(ratio)} time than the baseline"


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


def _chosen_percent(value: float) -> str:
    """Return a percentage that a user chose, as it was chosen."""
    return f"{value:.10g}%"

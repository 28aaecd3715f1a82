"""Sentences about phases."""

from __future__ import annotations

from trexreport.analyzer.analysis.phases import PhaseMeasure, PhasesFacts
from trexreport.analyzer.analysis.phases_check import PhasesCheck
from trexreport.analyzer.analysis.phases_comparison import PhasesComparison
from trexreport.numbers import counted, format_ms, format_percentage, join_names, list_names, middle_ellipsis

MEASURES: dict[PhaseMeasure, str] = {
    "gpu_compute": "median GPU compute time",
    "latency": "median latency",
    "layers": "total layer time",
}
_MAX_NAME = 60
_MAX_MISSING, _MAX_GPUS = 5, 5


def comparison_title(comparison: PhasesComparison) -> str:
    """Return the candidates and the baseline: "new vs. old"."""
    names = [middle_ellipsis(name, _MAX_NAME) for name in comparison.sets]
    others = [name for at, name in enumerate(names) if at != comparison.baseline]
    return f"{join_names(others)} vs. {names[comparison.baseline]}"


def comparison_sentence(comparison: PhasesComparison) -> str:
    """Return how the sets differ in what all their phases take, or why that is not known."""
    phases = counted(len(comparison.comparisons), "phase")
    baseline = comparison.together[comparison.baseline]
    if baseline.measure is None:
        text = f"{phases}. Some have no time in one of the sets, so they can't be added."
    elif baseline.total_ms is None:
        text = f"{phases}. {_no_total(baseline)}"
    else:
        totals = [
            f"{format_ms(facts.total_ms)} in {middle_ellipsis(name, _MAX_NAME)}"
            for name, facts in zip(comparison.sets, comparison.together, strict=True)
        ]
        text = f"{phases} by {MEASURES[baseline.measure]} and the stated counts: {', '.join(totals)}."
    if comparison.missing:
        names = list_names([middle_ellipsis(each.name, _MAX_NAME) for each in comparison.missing], 5)
        text += f" Not compared, as not every set has them: {names}."
    return text


def check_sentences(check: PhasesCheck) -> list[str]:
    """Return what to bear in mind of a check of phases, one sentence each."""
    if not check.only_in_baseline:
        return []
    names = list_names([middle_ellipsis(each, _MAX_NAME) for each in check.only_in_baseline], _MAX_MISSING)
    return [f"Only the baseline has {names}."]


def measure_title(measure: PhaseMeasure) -> str:
    """Return a measure as a heading: "Median GPU compute time"."""
    text = MEASURES[measure]
    return text[0].upper() + text[1:]


def phases_sentence(facts: PhasesFacts) -> str:
    """Return what the phases take together, or why that is not known, and that their GPUs differ."""
    gpus = list_names([middle_ellipsis(each, _MAX_NAME) for each in facts.gpus], _MAX_GPUS)
    return _together(facts) + (f" The phases ran on different GPUs: {gpus}." if gpus else "")


def _together(facts: PhasesFacts) -> str:
    phases = counted(len(facts.phases), "phase")
    if facts.measure is None:
        return f"{phases}. Some have no time, so they can't be added."
    measure = MEASURES[facts.measure]
    if facts.total_ms is None:
        return f"{phases}, compared by {measure} of one run. {_no_total(facts)}"
    slowest = max(facts.phases, key=lambda phase: phase.total_ms or 0.0)
    take = "takes" if len(facts.phases) == 1 else "take"
    share = "" if slowest.percent is None else f" ({format_percentage(slowest.percent)})"
    return (
        f"{phases} {take} {format_ms(facts.total_ms)} by {measure} and the stated counts; "
        f"{middle_ellipsis(slowest.name, _MAX_NAME)} takes {format_ms(slowest.total_ms)}{share}."
    )


def _no_total(facts: PhasesFacts) -> str:
    """Return why the times are not added, and how to state the counts that are missing."""
    missing = [middle_ellipsis(phase.name, _MAX_NAME) for phase in facts.phases if phase.times is None]
    if not missing:
        return "There is no total."
    if len(missing) == len(facts.phases):
        return "There is no total: how often each phase runs is not stated (--times NAME=N)."
    runs = "runs" if len(missing) == 1 else "run"
    return (
        f"There is no total: how often {list_names(missing, _MAX_MISSING)} {runs} is not stated "
        "(--times NAME=N)."
    )

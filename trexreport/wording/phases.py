"""Sentences about phases."""

from __future__ import annotations

from trexreport.analyzer.analysis.phases import PhaseMeasure, PhasesFacts
from trexreport.numbers import counted, format_ms, format_percentage, join_names, middle_ellipsis

MEASURES: dict[PhaseMeasure, str] = {
    "gpu_compute": "median GPU compute time",
    "latency": "median latency",
    "layers": "total layer time",
}
_MAX_NAME = 60


def measure_title(measure: PhaseMeasure) -> str:
    """Return a measure as a heading: "Median GPU compute time"."""
    text = MEASURES[measure]
    return text[0].upper() + text[1:]


def phases_sentence(facts: PhasesFacts) -> str:
    """Return what the phases take together, or why that is not known."""
    phases = counted(len(facts.phases), "phase")
    if facts.measure is None:
        return f"{phases}. No time is known of all of them, so they can't be added."
    measure = MEASURES[facts.measure]
    if facts.total_ms is None:
        if all(phase.times is None for phase in facts.phases):
            return (
                f"{phases}, compared by {measure} of one run. There is no total: how often each phase runs "
                "is not stated (--times NAME=N)."
            )
        return f"{phases}, compared by {measure} of one run. There is no total."
    slowest = max(facts.phases, key=lambda phase: phase.total_ms or 0.0)
    share = "" if slowest.percent is None else f" ({format_percentage(slowest.percent)})"
    text = (
        f"{phases} take {format_ms(facts.total_ms)} by {measure} and the stated counts; "
        f"{middle_ellipsis(slowest.name, _MAX_NAME)} takes {format_ms(slowest.total_ms)}{share}."
    )
    assumed = [middle_ellipsis(phase.name, _MAX_NAME) for phase in facts.phases if phase.is_assumed]
    if assumed:
        verbs = "has no stated count and counts" if len(assumed) == 1 else "have no stated count and count"
        text += f" {join_names(assumed)} {verbs} once."
    return text

"""What the pages of a site say in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.numbers import MINUS, counted, format_count, format_percent
from trexreport.site.entries import Entry
from trexreport.site.history import History, HistoryRun, Variant, date_order
from trexreport.site.steps import Mark


@dataclass(frozen=True)
class Step:
    """A run that became slower or faster than those before it."""

    history: History
    variant: Variant
    run: HistoryRun


def steps_of(histories: Sequence[History]) -> list[Step]:
    """Return all steps, the latest first; those without a date last."""
    found = [
        Step(history, variant, run)
        for history in histories
        for variant in history.variants
        for run in variant.runs
        if run.mark.kind in ("step", "open")
    ]
    return sorted(found, key=lambda step: date_order(step.run.entry), reverse=True)


def mark_word(mark: Mark) -> str:
    """Return what a run is in its history, as people say it; empty where there is nothing to say."""
    if mark.kind == "once":
        return f"once {mark.direction}"
    if mark.kind == "open":
        return f"{mark.direction}?"
    return mark.direction


def change_word(change: float | None) -> str:
    """Write a change of a time with its sign."""
    if change is None:
        return ""
    told = format_percent(abs(change))
    if change == 0 or told.startswith("<"):
        return told
    return f"{'+' if change > 0 else MINUS}{told}"


def site_sentence(entries: Sequence[Entry]) -> str:
    """Say in one sentence what is in the site."""
    models = {entry.summary.model or entry.summary.name for entry in entries}
    gpus = {entry.summary.gpu for entry in entries if entry.summary.gpu}
    unknown = sum(not entry.summary.gpu for entry in entries)
    parts = [counted(len(models), "model")]
    if gpus:
        parts.append(f"on {counted(len(gpus), 'GPU')}")
    dates = sorted(entry.summary.date[:10] for entry in entries if entry.summary.date)
    if dates:
        parts.append(
            f"measured on {dates[0]}" if dates[0] == dates[-1] else f"from {dates[0]} to {dates[-1]}"
        )
    text = f"{' '.join(parts)}."
    if gpus and unknown:
        text += f" Of {counted(unknown, 'engine')} no file says the GPU."
    return text


def history_sentence(history: History) -> str:
    """Say in one sentence what happened to a model on a GPU."""
    runs = history.runs
    kinds = [(run.mark.kind, run.mark.direction) for run in runs]
    told = []
    for direction in ("slower", "faster"):
        count = kinds.count(("step", direction))
        if count:
            told.append(f"{counted(count, 'run')} made it {direction}")
    for direction in ("slower", "faster"):
        count = kinds.count(("open", direction))
        if count:
            latest = "the latest run" if count == 1 else f"{format_count(count)} latest runs"
            told.append(f"{latest} may have made it {direction}, which the next run will tell")
    if not told:
        has_history = any(len(variant.runs) > 1 for variant in history.variants)
        told.append(
            "no run made it slower or faster"
            if has_history
            else "no earlier run of the same precision and shape yet"
        )
    return f"{counted(len(runs), 'run')}: {', '.join(told)}."

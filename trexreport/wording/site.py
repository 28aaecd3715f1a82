"""Sentences and words about the runs that a site shows."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.numbers import counted, format_percent, format_signed
from trexreport.site.entries import Entry
from trexreport.site.history import History, Step, Variant
from trexreport.site.steps import Mark


def mark_word(mark: Mark) -> str:
    """Return the result of a run in its history; empty if it does not differ from its baseline."""
    if mark.kind == "once":
        return f"outlier ({mark.direction})"
    if mark.kind == "open":
        return f"{mark.direction}?"
    return mark.direction


def change_word(change: float | None) -> str:
    """Write a change of a time with its sign."""
    if change is None:
        return ""
    return format_signed(change, format_percent)


def step_sentence(step: Step) -> str:
    """Return what a run changed in one line: "slower: +12.0% latency, net on NVIDIA L4: nightly/7"."""
    history, run = step.history, step.run
    engine = " on ".join(each for each in (history.model, history.gpu) if each)
    change = f"{change_word(run.change)} {step.variant.basis}".strip()
    return f"{mark_word(run.mark)}: {change}, {engine}: {run.entry.place}"


def site_sentence(entries: Sequence[Entry]) -> str:
    """Return one sentence about the contents of the site."""
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
        text += f" The GPU of {counted(unknown, 'engine')} is unknown."
    return text


def history_sentence(history: History) -> str:
    """Return one sentence about the history of a model on a GPU."""
    runs = history.runs
    kinds = [(run.mark.kind, run.mark.direction) for run in runs]
    parts = []
    for direction, noun in (("slower", "regression"), ("faster", "improvement")):
        if count := kinds.count(("step", direction)):
            parts.append(counted(count, noun))
        if count := kinds.count(("open", direction)):
            parts.append(f"{counted(count, f'possible {noun}')}, not confirmed by a later run yet")
    if not parts:
        series = [variant for variant in history.variants if len(variant.runs) > 1]
        if not series:
            parts.append("no earlier run of the same precision and shape yet")
        elif any(variant.basis for variant in series):
            parts.append("no regressions or improvements")
        else:
            parts.append("their times are not known")
    return f"{counted(len(runs), 'run')}: {', '.join(parts)}."


def order_sentence(variant: Variant) -> str:
    """Say in which order the runs of a variant are."""
    if not variant.by_date:
        return "Sorted by path, as not every run has a date."
    sources = sorted({f"{run.entry.summary.date_from}s" for run in variant.runs})
    return f"Sorted by the dates in their {' and '.join(sources)}."

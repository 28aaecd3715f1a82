"""The times of the runs of one history as a chart: a point for each run, steps in color."""

from __future__ import annotations

from trexreport.analyzer.comparison.verdict_sides import geometric_mean
from trexreport.renderer.charts.chart import Axis, Chart, ReferenceLine, Series
from trexreport.site.history import HistoryRun, Variant
from trexreport.wording.site import change_word, mark_word

#: What the color of a run means, in the order of the legend.
_ROLES = {
    "no change detected": "neutral",
    "improvement": "change:faster",
    "regression": "change:slower",
    "outlier": "outlier",
}
_NAMES = {"slower": "regression", "faster": "improvement", "": "no change detected"}


def history_chart(variant: Variant, number: int) -> Chart | None:
    """Return the chart of a history; None with fewer than two times."""
    runs = [(at, run) for at, run in enumerate(variant.runs, 1) if run.time_ms is not None]
    if len(runs) < 2:
        return None
    series = []
    for name, role in _ROLES.items():
        members = [(at, run) for at, run in runs if _meaning(run) == name]
        if members:
            series.append(
                Series(
                    name,
                    role,
                    x=tuple(at for at, _ in members),
                    y=tuple(run.time_ms for _, run in members),
                    labels=tuple(_label(run) for _, run in members),
                    places=tuple(f"run {at}" for at, _ in members),
                    links=tuple(f"#run-{number}-{at}" for at, _ in members),
                )
            )
    last = runs[-1][1].mark
    level = [run.time_ms for at, run in runs if at - 1 in last.level and run.time_ms is not None]
    lines = (ReferenceLine(geometric_mean(level), "level", begin=last.level[0] + 1),) if level else ()
    return Chart(
        key=f"history-{number}",
        kind="points",
        title=f"Median {variant.basis} of each run",
        summary=f"{len(runs)} runs in order. Runs that differ from the level are highlighted.",
        series=tuple(series),
        x=Axis("Run", scale="count"),
        y=Axis("Median", "ms"),
        height=260,
        reference_lines=lines,
    )


def _meaning(run: HistoryRun) -> str:
    """Return what the color of a run means: an outlier is not a step, as the next run was back."""
    return "outlier" if run.mark.kind == "once" else _NAMES[run.mark.direction]


def _label(run: HistoryRun) -> str:
    summary = run.entry.summary
    parts = [
        summary.name,
        summary.date[:10],
        " ".join((mark_word(run.mark), change_word(run.change))).strip(),
    ]
    return ", ".join(part for part in parts if part)

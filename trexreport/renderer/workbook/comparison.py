"""The workbook of a comparison: figures of each engine, steps of the difference as charts, aligned rows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import fields
from typing import Any

from trexreport.analyzer.analysis import NOT_STATED
from trexreport.analyzer.analysis.comparison import ComparedEngine, Comparison, Figures
from trexreport.analyzer.analysis.waterfall import Waterfall
from trexreport.renderer.comparison.waterfall_chart import added_up
from trexreport.renderer.workbook.book import Book, ChartSeries
from trexreport.wording.verdict import verdict_text

_FIGURES = tuple(each.name for each in fields(Figures))
_STEP_COLUMNS = (
    *("engine", "by", "step", "difference_ms", "baseline_ms", "candidate_ms"),
    *("baseline_layers", "candidate_layers"),
)
_WATERFALL_COLUMNS = ("step", "below_ms", "total_ms", "faster_ms", "slower_ms", "engine")
#: Charts below one another on a sheet; the steps of all engines are on another one.
_MAX_WATERFALLS = 20
_MAX_GROUPS = 10
#: Rows of a chart of 400 pixels.
_CHART_ROWS = 22


def comparison_workbook(comparison: Comparison) -> bytes:
    """Return the workbook; unknown figures are empty cells.

    Raises:
        MissingToolError: XlsxWriter is not installed.
    """
    names = [engine.name for engine in comparison.engines]
    book = Book(" vs. ".join(names))
    _add_engines(book, comparison)
    _add_waterfalls(book, comparison)
    steps = [
        [
            engine.name,
            waterfall.by,
            step.name or NOT_STATED,
            *(step.difference_ms, step.baseline_ms, step.candidate_ms),
            *(step.baseline_layers, step.candidate_layers),
        ]
        for engine in comparison.engines
        for waterfall in engine.waterfalls
        for step in waterfall.steps
    ]
    book.add_sheet("steps", _STEP_COLUMNS, steps)
    _add_groups(book, comparison, "type")
    _add_groups(book, comparison, "precision")
    _add_rows(book, comparison)
    return book.finish()


def _add_engines(book: Book, comparison: Comparison) -> None:
    rows = [
        [
            engine.name,
            "baseline" if index == comparison.baseline else engine.verdict and verdict_text(engine.verdict),
            engine.verdict and engine.verdict.median_ratio and engine.verdict.median_ratio.value,
            *(getattr(engine.figures, name) for name in _FIGURES),
        ]
        for index, engine in enumerate(comparison.engines)
    ]
    columns = ("name", "verdict", "median_ratio", *_FIGURES)
    sheet = book.add_sheet("engines", columns, rows, frozen_columns=1)
    if any(engine.figures.latency_ms for engine in comparison.engines):
        at = (len(rows) + 2, 0)
        book.add_chart(
            sheet, "Median latency", [ChartSeries(columns.index("latency_ms"))], unit="Latency (ms)", at=at
        )


def _add_waterfalls(book: Book, comparison: Comparison) -> None:
    """Add the steps by cause of each candidate as columns that begin where the one before ends."""
    found = [
        (engine, waterfall)
        for engine in comparison.engines
        for waterfall in engine.waterfalls
        if waterfall.by == "cause"
    ][:_MAX_WATERFALLS]
    rows: list[Sequence[Any]] = []
    ranges = []
    for engine, waterfall in found:
        ranges.append((engine, len(rows) + 1))
        rows += _levels(comparison.engines[comparison.baseline], engine, waterfall)
    if not rows:
        return
    sheet = book.add_sheet("waterfalls", _WATERFALL_COLUMNS, rows)
    ends = [*(first - 1 for _, first in ranges[1:]), len(rows)]
    roles = ("", "neutral", "change:faster", "change:slower")
    series = [ChartSeries(column, role) for column, role in enumerate(roles, start=1)]
    for number, ((engine, first), last) in enumerate(zip(ranges, ends, strict=True)):
        title = f"{engine.name}: total layer time by cause"
        at = (1 + number * _CHART_ROWS, len(_WATERFALL_COLUMNS) + 1)
        place: dict[str, Any] = {"first_row": first, "last_row": last, "at": at}
        book.add_chart(sheet, title, series, kind="column", unit="Time (ms)", **place)


def _levels(baseline: ComparedEngine, candidate: ComparedEngine, waterfall: Waterfall) -> list[list[Any]]:
    """Return the rows of one waterfall: what is below a column, and the column as total, faster or slower."""
    level = waterfall.baseline_ms
    rows: list[list[Any]] = [[baseline.name, None, level, None, None, candidate.name]]
    for step in added_up(waterfall.steps):
        after = level + step.difference_ms
        change = abs(step.difference_ms)
        is_faster = step.difference_ms < 0
        sides = (change, None) if is_faster else (None, change)
        rows.append([step.name or NOT_STATED, min(level, after), None, *sides, candidate.name])
        level = after
    rows.append([candidate.name, None, waterfall.candidate_ms, None, None, candidate.name])
    return rows


def _add_groups(book: Book, comparison: Comparison, kind: str) -> None:
    """Add the layer time of each engine by type or precision; the chart has the largest groups."""
    times = [
        {
            group.name: group.time_ms or 0.0
            for group in (engine.by_type if kind == "type" else engine.by_precision)
            if engine.figures.layer_sum_ms is not None
        }
        for engine in comparison.engines
    ]
    names = sorted({name for each in times for name in each}, key=lambda name: _largest(times, name))
    columns = ["name", *(name or NOT_STATED for name in names)]
    timed = [(engine.name, each) for engine, each in zip(comparison.engines, times, strict=True) if each]
    rows = [[name, *map(each.get, names)] for name, each in timed]
    sheet = book.add_sheet(f"by {kind}", columns, rows, ending="_ms")
    shown = [name for name in names[:_MAX_GROUPS] if any(each.get(name) for each in times)]
    if shown:
        series = [ChartSeries(1 + names.index(name), f"{kind}:{name}") for name in shown]
        what = "layer type" if kind == "type" else "input precision"
        at = (sheet.rows + 2, 0)
        book.add_chart(sheet, f"Time by {what}", series, unit="Time (ms)", at=at)


def _largest(times: Sequence[dict[str, float]], name: str) -> tuple[float, str]:
    return -max(each.get(name, 0.0) for each in times), name


def _add_rows(book: Book, comparison: Comparison) -> None:
    """Add the aligned rows: time of each engine, and each candidate's difference, status and changes."""
    candidates = [index for index in range(len(comparison.engines)) if index != comparison.baseline]
    columns = ["name", "more_layers", "module", "block"]
    columns += [f"{engine.name}: time_ms" for engine in comparison.engines]
    for index in candidates:
        name = comparison.engines[index].name
        columns += [f"{name}: {what}" for what in ("difference_ms", "status", "changes")]
    rows = (
        [
            *(row.label, row.more_layers, row.module, row.block),
            *(side.time_ms for side in row.sides),
            *(
                value
                for index in candidates
                for value in (
                    row.sides[index].difference_ms,
                    row.sides[index].status,
                    ", ".join(row.sides[index].changes),
                )
            ),
        ]
        for row in comparison.rows
    )
    book.add_sheet("rows", columns, rows, frozen_columns=1)

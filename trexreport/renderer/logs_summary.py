"""What logs of several measurements state: a table, and which of them is shown."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import MISSING, format_count, format_ms, format_percent, format_rate
from trexreport.renderer.short_document.document import Column, Section, Table

#: The columns, of which those are shown that any log has a value of.
_COLUMNS: tuple[tuple[str, Callable[[MeasuredLog], str]], ...] = (
    ("Precision", lambda log: "+".join(log.types) or MISSING),
    ("Batch", lambda log: format_count(log.batch) if log.batch else MISSING),
    ("Throughput (qps)", lambda log: format_rate(log.throughput_qps)),
    ("Items/s", lambda log: format_rate(log.items_per_s)),
    ("Median latency", lambda log: format_ms(log.latency_ms)),
    ("GPU compute time", lambda log: format_ms(log.compute_ms)),
    ("Transfers", lambda log: format_ms(_transfers_ms(log))),
    ("GPU busy", lambda log: _busy(log.gpu_busy_percent)),
)
#: Columns of what logs may have in common, which are shown where they differ.
_DIFFERING: tuple[tuple[str, Callable[[MeasuredLog], str]], ...] = (
    ("GPU", lambda log: log.gpu or MISSING),
    ("Options", lambda log: ", ".join(log.options) or "default"),
)
_TEXTS = frozenset({"Precision", *(heading for heading, _ in _DIFFERING)})
_MAX_LOGS = 24


def logs_summary(analysis: Analysis) -> list[Section]:
    """Return a table of what each log measured; nothing for one measurement."""
    columns, rows = _table(analysis)
    if not rows:
        return []
    hint = "TRX817 of `trexreport lint -v` lists all"
    return [Section("Logs", (Table(columns, rows, noun="log", hint=hint, max_shown=_MAX_LOGS),), priority=1)]


def logs_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values of the report's table of logs and of its head, by name."""
    logs = analysis.logs
    columns, rows = _table(analysis)
    return {
        "log_columns": columns,
        "log_rows": rows,
        "shown_log": next((log.file for log in logs if log.is_shown), ""),
    }


def _table(analysis: Analysis) -> tuple[tuple[Column, ...], tuple[tuple[str, ...], ...]]:
    logs = analysis.logs
    filled = [(heading, [show(log) for log in logs]) for heading, show in (*_DIFFERING, *_COLUMNS)]
    common = {heading for heading, cells in filled[: len(_DIFFERING)] if len(set(cells)) == 1}
    known = [
        (heading, cells)
        for heading, cells in filled
        if heading not in common and any(cell != MISSING for cell in cells)
    ]
    columns = tuple(Column(heading, is_number=heading not in _TEXTS) for heading, _ in known)
    files = [log.file for log in logs]
    return (Column("Log"), *columns), tuple(zip(files, *(cells for _, cells in known), strict=True))


def _transfers_ms(log: MeasuredLog) -> float | None:
    """Return what both transfers take; None where neither is stated."""
    known = [each for each in (log.h2d_ms, log.d2h_ms) if each is not None]
    return sum(known) if known else None


def _busy(percent: float | None) -> str:
    return MISSING if percent is None else format_percent(percent / 100)

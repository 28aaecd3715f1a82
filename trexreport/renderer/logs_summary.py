"""What logs of several measurements state: a table, and which of them is shown."""

from __future__ import annotations

from typing import Any

from trexreport.analyzer.analysis import Analysis
from trexreport.model.measured_log import fastest
from trexreport.numbers import MISSING, format_count, format_ms, format_rate
from trexreport.renderer.short_document.document import Column, Section, Table

_COLUMNS = (
    Column("Log"),
    Column("Precision"),
    Column("Batch", is_number=True),
    Column("Throughput (qps)", is_number=True),
    Column("Items/s", is_number=True),
    Column("Median latency", is_number=True),
    Column("Median GPU compute time", is_number=True),
)
_MAX_LOGS = 24


def logs_summary(analysis: Analysis) -> list[Section]:
    """Return a table of what each log measured; nothing for one measurement."""
    rows = _rows(analysis)
    if not rows:
        return []
    hint = "TRX817 of `trexreport lint -v` lists all"
    return [Section("Logs", (Table(_COLUMNS, rows, noun="log", hint=hint, max_shown=_MAX_LOGS),), priority=1)]


def logs_values(analysis: Analysis) -> dict[str, Any]:
    """Return the values of the report's table of logs and of its head, by name."""
    logs = analysis.logs
    return {
        "log_columns": _COLUMNS,
        "log_rows": _rows(analysis),
        "shown_log": fastest(logs).file if logs else "",
    }


def _rows(analysis: Analysis) -> tuple[tuple[str, ...], ...]:
    return tuple(
        (
            log.file,
            "+".join(log.types) or MISSING,
            format_count(log.batch) if log.batch else MISSING,
            format_rate(log.throughput_qps),
            format_rate(log.items_per_s),
            format_ms(log.latency_ms),
            format_ms(log.compute_ms),
        )
        for log in analysis.logs
    )

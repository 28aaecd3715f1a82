"""What logs of several measurements state, in a summary."""

from __future__ import annotations

from trexreport.analyzer.analysis import Analysis
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
    rows = tuple(
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
    if not rows:
        return []
    hint = "TRX817 of `trexreport lint -v` lists all"
    return [Section("Logs", (Table(_COLUMNS, rows, noun="log", hint=hint, max_shown=_MAX_LOGS),), priority=1)]

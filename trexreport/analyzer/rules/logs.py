"""What rules ask about the logs of several measurements."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import format_ms, format_rate

#: Figures of at least this many digits are not equal by chance.
_MIN_FIGURES = 2
Pair = tuple[MeasuredLog, MeasuredLog]


def copied(context: Context) -> list[list[MeasuredLog]]:
    """Return logs of different names that state the same figures to the last digit; use `Context.cached`."""
    whole = [log for log in context.analysis.logs if sum(map(bool, log.figures)) >= _MIN_FIGURES]
    return [logs for logs in group_by(whole, lambda log: log.figures).values() if len(logs) > 1]


def measured_once(context: Context) -> list[MeasuredLog]:
    """Return the logs whose figures are their own."""
    again = {log.file for logs in context.cached(copied) for log in logs}
    return [log for log in context.analysis.logs if log.file not in again and log.time_ms]


def pairs(context: Context, first: Sequence[str], second: Sequence[str]) -> list[Pair]:
    """Return the logs of two precisions, of one model at one batch size each; what states none may fit any.

    Args:
        context: The engine.
        first: Precisions that the first build was allowed.
        second: Those of the second.
    """
    logs = measured_once(context)
    found = []
    for one in logs:
        others = [
            log
            for log in logs
            if (one.types, log.types, log.model) == (tuple(first), tuple(second), one.model)
            and (one.batch == log.batch or None in (one.batch, log.batch))
        ]
        if len(others) == 1:
            found.append((one, others[0]))
    return sorted(found, key=lambda pair: pair[0].batch or 0)


def shown_pair(one: MeasuredLog, other: MeasuredLog) -> str:
    """Return the times of two logs."""
    return f"{one.file} {format_ms(one.time_ms)}, {other.file} {format_ms(other.time_ms)}"


def shown(log: MeasuredLog) -> str:
    """Return what a log measured."""
    parts = [types_of(log), f"batch {log.batch}" if log.batch else ""]
    parts += [f"{format_rate(log.throughput_qps)} qps" if log.throughput_qps else ""]
    rate = log.items_per_s
    parts += [f"{format_rate(rate)} items/s" if rate else ""]
    parts += [f"median latency {format_ms(log.latency_ms)}" if log.latency_ms else ""]
    return ", ".join(filter(None, parts))


def types_of(log: MeasuredLog) -> str:
    """Return the precisions of a log as texts show them."""
    return "+".join(log.types)

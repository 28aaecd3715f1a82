"""TRX817 measurement.several-logs."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.logs import shown
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.model.measured_log import fastest
from trexreport.numbers import format_count


@measurement_rule("info", needs=())
def several_logs(context: Context) -> Iterator[Hit]:
    """The files are logs of several measurements, such as other precisions and batch sizes.

    Cost:
        Figures of one log say nothing of the others. What the report shows is of the log with the most items
        per second, or with the most queries where batch sizes are not known; where none states a throughput,
        of the log with the shortest time.

    Recommendation:
        Read the table of all logs, and compare two with `trexreport compare`. Build the precision and the
        batch size that serve best with --profilingVerbosity=detailed, and capture their layers
        (--exportLayerInfo, --exportProfile) in a run of its own.

    False alarm:
        Precision and batch size are read from options, else from the names of files and engines, which may be
        wrong. A query of trtexec is a batch.

    Est. savings:
        Not estimated: it states what the logs are of.
    """
    logs = context.analysis.logs
    if not logs:
        return
    best = fastest(logs)
    most = "Highest items/s" if all(log.items_per_s for log in logs) else "Highest qps"
    if not best.throughput_qps:
        most = "Shortest time"
    yield Hit(
        f"{format_count(len(logs))} logs are of separate measurements. {most}: {best.file}, {shown(best)}.",
        evidence={log.file: shown(log) for log in logs},
    )

"""TRX818 measurement.batch-without-gain."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import measured_once, types_of
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import format_ms, format_rate, join_names

_MIN_SIZES = 3


@measurement_rule(
    "info",
    needs=("logs",),
    thresholds=(percent("gain_percent", 5.0, "Minimum gain in items per second that pays, in percent."),),
)
def batch_without_gain(context: Context, *, gain_percent: float) -> Iterator[Hit]:
    """A larger batch gives no more items per second.

    Cost:
        Once a batch fills the GPU, a larger one takes longer in proportion: each item waits longer, and
        memory grows, for nothing.

    Recommendation:
        Serve with the smallest batch of the full rate, and build for it (--optShapes). What makes the engine
        faster from here on is less work or a lower precision, not more items.

    False alarm:
        Larger batches may pay where transfers or the host limit the engine, which the GPU compute time does
        not show. At least three batch sizes of one model in one precision count.

    Est. savings:
        Not estimated: it is latency that each item saves, at the same rate.
    """
    logs = [log for log in measured_once(context) if log.items_per_s and log.types]
    for of_one in group_by(logs, lambda log: (log.model, log.types)).values():
        by_batch = sorted(of_one, key=lambda log: log.batch or 0)
        enough = _enough(by_batch, gain_percent)
        if len({log.batch for log in by_batch}) < _MIN_SIZES or enough is None:
            continue
        rates = join_names([f"{format_rate(log.items_per_s)} at {log.batch}" for log in by_batch])
        last = by_batch[-1]
        yield Hit(
            f"{types_of(enough)}: from batch {enough.batch} on, more items in a batch give no more items/s: "
            f"{rates}. The latency grows from {format_ms(enough.time_ms)} to {format_ms(last.time_ms)}.",
        )


def _enough(by_batch: Sequence[MeasuredLog], gain_percent: float) -> MeasuredLog | None:
    """Return the log of the smallest batch that no larger one exceeds; None if that is the largest."""
    for number, log in enumerate(by_batch[:-1]):
        later = max(each.items_per_s or 0.0 for each in by_batch[number + 1 :])
        if later <= (1 + gain_percent / 100) * (log.items_per_s or 0.0):
            return log
    return None

"""The items per second of logs of one engine at several batch sizes."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.logs import batches, measured_once
from trexreport.model.measured_log import MeasuredLog

#: Rates at one batch size that differ by more are of two engines.
_SAME_RATE = 1.05
#: A larger batch that has less of the rate of a smaller one was slowed down.
_FALLEN = 0.8
#: Minimum gain in items per second that pays.
GAIN_PERCENT = 5.0


class Batch(NamedTuple):
    """A log of a known number of items in a query."""

    size: int
    items_per_s: float
    log: MeasuredLog
    is_by_transfers: bool


class BatchSeries(NamedTuple):
    """Logs by size, those whose rate falls far, and which logs they are of if of several series."""

    by_size: Sequence[Batch]
    fallen: Sequence[Batch]
    name: str

    @property
    def steady(self) -> list[Batch]:
        """The logs whose rate does not fall far."""
        return [batch for batch in self.by_size if batch not in self.fallen]

    def enough(self, gain_percent: float = GAIN_PERCENT) -> Batch | None:
        """Return the smallest steady batch that no larger one exceeds; None if that is the largest."""
        for each in self.steady:
            larger = [other.items_per_s for other in self.steady if other.size > each.size]
            if larger and max(larger) <= (1 + gain_percent / 100) * each.items_per_s:
                return each
        return None


def batch_series(context: Context) -> tuple[list[BatchSeries], bool]:
    """Return the series of logs, and whether GPU compute times bound their rates; use `Context.cached`."""
    whole = measured_once(context)
    # Where no log states its throughput, the GPU compute time bounds it.
    is_bound = not any(log.throughput_qps for log in whole)
    logs = whole if is_bound else [log for log in whole if log.throughput_qps]
    gpus = {log.gpu for log in logs} - {""}
    # One that states no GPU is of the same as the others, if these are of one.
    only = gpus.pop() if len(gpus) == 1 else ""
    found = []
    for of_one in group_by(logs, lambda log: (log.model, log.types, log.gpu or only, log.options)).values():
        sizes = batches(of_one)
        measured = [
            Batch(sizes[log.file], _rate(log) * sizes[log.file], log, log.batch is None)
            for log in of_one
            if log.file in sizes
        ]
        series = _divided(measured)
        for by_size in series:
            names = [log.file for log in of_one if any(log is each.log for each in by_size)]
            name = f", {names[0]} to {names[-1]}" if len(series) > 1 else ""
            fallen = [each for each in by_size if _is_fallen(each, by_size)]
            found.append(BatchSeries(by_size, fallen, name))
    return found, is_bound


def _is_fallen(batch: Batch, by_size: Sequence[Batch]) -> bool:
    """Return whether a smaller batch has a much higher rate, and its items take much less GPU time."""
    return any(
        each.size < batch.size
        and batch.items_per_s <= _FALLEN * each.items_per_s
        and each.log.time_ms / each.size <= _FALLEN * batch.log.time_ms / batch.size
        for each in by_size
    )


def _rate(log: MeasuredLog) -> float:
    return log.throughput_qps or 1000 / log.time_ms


def _divided(measured: Sequence[Batch]) -> list[list[Batch]]:
    """Return the logs by batch size, of equal sizes the fastest; apart where equal sizes differ too much.

    What differs by more than a gain that counts is of another engine, whose batch sizes begin again.
    """
    of_size = group_by(measured, lambda each: each.size).values()
    rates = [[each.items_per_s for each in equal] for equal in of_size]
    is_mixed = any(max(of_equal) > _SAME_RATE * min(of_equal) for of_equal in rates)
    series: list[list[Batch]] = [[]]
    for each in measured:
        if is_mixed and each.size in {other.size for other in series[-1]}:
            series.append([])
        series[-1].append(each)
    by_rate = (sorted(each, key=lambda batch: (batch.size, -batch.items_per_s)) for each in series)
    return [[next(equal) for _, equal in groupby(each, key=lambda batch: batch.size)] for each in by_rate]

"""TRX818 measurement.batch-without-gain."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby
from typing import NamedTuple

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import SPREAD, batches, measured_once, types_of
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import format_ms, format_rate, join_names


@built_in_rule(
    "info",
    needs=("logs",),
    thresholds=(percent("gain_percent", 5.0, "Minimum gain in items per second that pays, in percent."),),
)
def batch_without_gain(context: Context, *, gain_percent: float) -> Hits:
    """A larger batch gives hardly more items per second.

    Cost:
        Once a batch fills the GPU, a larger one takes longer in proportion: each item waits longer, and
        memory grows, for nothing.

    Recommendation:
        Serve with the smallest batch of the full rate, and build for it (--optShapes). What makes the engine
        faster from here on is less work or a lower precision, not more items.

    False alarm:
        Larger batches may pay where transfers or the host limit the engine, which the GPU compute
        time does not show; it decides where no log states its throughput. A batch size that no log
        states is taken from the time of the input transfers, which is in proportion to it.

    Est. savings:
        Not estimated: it is latency that each item saves, at the same rate.
    """
    whole = measured_once(context)
    # Where no log states its throughput, the GPU compute time bounds it.
    is_bound = not any(log.throughput_qps for log in whole)
    logs = whole if is_bound else [log for log in whole if log.throughput_qps]
    gpus = {log.gpu for log in logs} - {""}
    # One that states no GPU is of the same as the others, if these are of one.
    only = gpus.pop() if len(gpus) == 1 else ""
    for of_one in group_by(logs, lambda log: (log.model, log.types, log.gpu or only, log.options)).values():
        sizes = batches(of_one)
        measured = [
            _Batch(sizes[log.file], _rate(log) * sizes[log.file], log, log.batch is None)
            for log in of_one
            if log.file in sizes
        ]
        series = _series(measured, gain_percent)
        for by_size in series:
            enough = _enough(by_size, gain_percent)
            if enough is not None:
                by = " by GPU compute time" if is_bound else ""
                names = [log.file for log in of_one if any(log is each.log for each in by_size)]
                of = f", {names[0]} to {names[-1]}" if len(series) > 1 else ""
                yield Hit(_message(by_size, enough, by + of), evidence=_by_transfers(by_size))


class _Batch(NamedTuple):
    """A log of a known number of items in a query."""

    size: int
    items_per_s: float
    log: MeasuredLog
    is_by_transfers: bool


def _series(measured: Sequence[_Batch], gain_percent: float) -> list[list[_Batch]]:
    """Return the logs by batch size, of equal sizes the fastest; apart where equal sizes differ too much.

    What differs by more than a gain that counts is of another engine, whose batch sizes begin again.
    """
    most = 1 + gain_percent / 100
    of_size = group_by(measured, lambda each: each.size).values()
    rates = [[each.items_per_s for each in equal] for equal in of_size]
    is_mixed = any(max(of_equal) > most * min(of_equal) for of_equal in rates)
    series: list[list[_Batch]] = [[]]
    for each in measured:
        if is_mixed and each.size in {other.size for other in series[-1]}:
            series.append([])
        series[-1].append(each)
    by_rate = (sorted(each, key=lambda batch: (batch.size, -batch.items_per_s)) for each in series)
    return [[next(equal) for _, equal in groupby(each, key=lambda batch: batch.size)] for each in by_rate]


def _enough(by_size: Sequence[_Batch], gain_percent: float) -> _Batch | None:
    """Return the smallest batch that no larger one exceeds; None if that is the largest."""
    for each in by_size:
        larger = [other.items_per_s for other in by_size if other.size > each.size]
        if larger and max(larger) <= (1 + gain_percent / 100) * each.items_per_s:
            return each
    return None


def _rate(log: MeasuredLog) -> float:
    return log.throughput_qps or 1000 / log.time_ms


def _message(by_size: Sequence[_Batch], enough: _Batch, by: str) -> str:
    rates = join_names([f"{format_rate(each.items_per_s)} at {each.size}" for each in by_size])
    last = by_size[-1]
    types = f"{types_of(enough.log)}: from" if enough.log.types else "From"
    most = max(each.items_per_s for each in by_size if each.size > enough.size)
    gain = "fewer" if most < (1 - SPREAD) * enough.items_per_s else "hardly more"
    text = f"{types} batch {enough.size} on, more items in a batch give {gain} items/s{by}: {rates}."
    return text + _growth(enough.log, last.log)


def _growth(enough: MeasuredLog, last: MeasuredLog) -> str:
    """Return how much longer a query of the largest batch takes; nothing where pauses explain the rate."""
    latencies = enough.latency_ms, last.latency_ms
    name = "latency" if all(latencies) else "GPU compute time"
    before, after = latencies if all(latencies) else (enough.compute_ms, last.compute_ms)
    if not before or not after or after <= before:
        return ""
    return f" The {name} grows from {format_ms(before)} to {format_ms(after)}."


def _by_transfers(by_size: Sequence[_Batch]) -> dict[str, str]:
    """Return the batch sizes that only the time of the input transfers shows, as evidence."""
    found = (f"{each.size} ({each.log.file})" for each in by_size if each.is_by_transfers)
    return {"Batch by input transfers": text} if (text := ", ".join(found)) else {}

"""TRX818 measurement.batch-without-gain."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.batch_series import GAIN_PERCENT, Batch, BatchSeries, batch_series
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.logs import SPREAD, types_of
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import format_ms, format_percent, format_rate, join_names


@built_in_rule(
    "info",
    needs=("logs",),
    thresholds=(
        percent("gain_percent", GAIN_PERCENT, "Minimum gain in items per second that pays, in percent."),
    ),
)
def batch_without_gain(context: Context, *, gain_percent: float) -> Hits:
    """A larger batch gives hardly more items per second.

    Cost:
        Once a batch fills the GPU, a larger one takes longer in proportion: each item waits longer, and
        memory grows, for nothing. A rate that falls far was measured under other conditions.

    Recommendation:
        [if falling: Measure the slow batch again with the clocks of the others: lock them (nvidia-smi
        --lock-gpu-clocks) and look at temperature, power and other processes.] [if falling, if jetson: Set
        the power mode (nvpmodel) and run jetson_clocks; tegrastats shows clocks and load.] [if falling: If it
        stays slow, compare its layers with those of a smaller batch.] [unless falling: Serve with the
        smallest batch of the full rate, and build for it (--optShapes). From here on less work makes the
        engine faster, and not more items.]

    False alarm:
        Larger batches may pay where transfers or the host limit the engine, which the GPU compute time does
        not show; it decides where no log states its throughput. A batch size that no log states is taken from
        the time of the input transfers, which is in proportion to it. A rate falls far by other kernels, too,
        where memory for the fast ones is short.

    Est. savings:
        Not estimated: it is latency that each item saves, at the same rate.
    """
    found, is_bound = context.cached(batch_series)
    for each in found:
        enough = each.enough(gain_percent)
        by = (" by GPU compute time" if is_bound else "") + each.name
        if enough is not None:
            yield Hit(_message(each.steady, enough, by), evidence=_by_transfers(each.steady))
        for batch in each.fallen:
            slow = {"Slow batch": str(batch.size)}
            yield Hit(_fall(each, batch, by), evidence=slow | _by_transfers([batch]), severity="warning")


def _message(by_size: Sequence[Batch], enough: Batch, by: str) -> str:
    rates = join_names([f"{format_rate(each.items_per_s)} at {each.size}" for each in by_size])
    last = by_size[-1]
    types = f"{types_of(enough.log)}: from" if enough.log.types else "From"
    most = max(each.items_per_s for each in by_size if each.size > enough.size)
    gain = "fewer" if most < (1 - SPREAD) * enough.items_per_s else "hardly more"
    text = f"{types} batch {enough.size} on, more items in a batch give {gain} items/s{by}: {rates}."
    return text + _growth(enough.log, last.log)


def _fall(series: BatchSeries, fallen: Batch, by: str) -> str:
    """Return that a batch has far fewer items per second than a smaller one."""
    best = max(
        (each for each in series.by_size if each.size < fallen.size), key=lambda each: each.items_per_s
    )
    types = f"{types_of(fallen.log)}: batch" if fallen.log.types else "Batch"
    part = format_percent(1 - fallen.items_per_s / best.items_per_s)
    rates = f"{format_rate(fallen.items_per_s)} instead of {format_rate(best.items_per_s)}"
    return (
        f"{types} {fallen.size} gives {part} fewer items/s than batch {best.size}{by}: {rates}. "
        "A batch that fills the GPU keeps the rate, so lower clocks, throttling, another load or other "
        "kernels slowed this run down."
    )


def _growth(enough: MeasuredLog, last: MeasuredLog) -> str:
    """Return how much longer a query of the largest batch takes; nothing where pauses explain the rate."""
    latencies = enough.latency_ms, last.latency_ms
    name = "latency" if all(latencies) else "GPU compute time"
    before, after = latencies if all(latencies) else (enough.compute_ms, last.compute_ms)
    if not before or not after or after <= before:
        return ""
    return f" The {name} grows from {format_ms(before)} to {format_ms(after)}."


def _by_transfers(by_size: Sequence[Batch]) -> dict[str, str]:
    """Return the batch sizes that only the time of the input transfers shows, as evidence."""
    found = (f"{each.size} ({each.log.file})" for each in by_size if each.is_by_transfers)
    return {"Batch by input transfers": text} if (text := ", ".join(found)) else {}

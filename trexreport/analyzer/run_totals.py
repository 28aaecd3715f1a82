"""What the totals of a run say that no single query does."""

from __future__ import annotations

from trexreport.model import Engine
from trexreport.model.implicit_batch import samples_per_query


def throughput_qps(engine: Engine) -> float | None:
    """Return the throughput in qps; None where not stated, or where it counts unknown implicit batches."""
    stated, samples = engine.measurement.throughput_qps, samples_per_query(engine)
    return stated / samples if stated is not None and samples is not None else None


def queries_of_run(engine: Engine) -> int | None:
    """Return how many queries a run timed: throughput times total host walltime; None where not stated."""
    rate, seconds = throughput_qps(engine), engine.measurement.walltime_s
    return round(rate * seconds) or None if rate and seconds else None


def gpu_busy_percent(engine: Engine) -> float | None:
    """Return total GPU compute time in percent of the wall time; None where not stated.

    Where the totals are missing, the mean GPU compute time times the throughput is the same.
    """
    measurement = engine.measurement
    if measurement.gpu_time_s is not None and measurement.walltime_s:
        return 100 * measurement.gpu_time_s / measurement.walltime_s
    compute, rate = measurement.summary.get("GPU Compute Time"), throughput_qps(engine)
    return compute.mean_ms * rate / 10 if compute and rate else None

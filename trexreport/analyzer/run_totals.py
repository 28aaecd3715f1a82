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

"""What the totals of a run say that no single query does."""

from __future__ import annotations

import re
from collections.abc import Iterable

from trexreport.model import Engine
from trexreport.model.commands import times_queries

_BATCH = re.compile(r"--batch[= ]+[\"']?(\d{1,9})\b", re.ASCII)


def samples_per_query(commands: Iterable[str], option: str = "") -> int | None:
    """Return how many samples trtexec's throughput counts for each query.

    That is the implicit batch size, and 1 without one. None where command lines differ in it.

    Args:
        commands: Command lines of trtexec in the capture.
        option: What trtexec's inference options state as "Batch": a number or "Explicit".
    """
    if option.isascii() and option.isdecimal():
        return max(int(option[:9]), 1)
    runs = filter(times_queries, commands)
    found = {int(match[1]) if (match := _BATCH.search(run)) else 1 for run in runs} or {1}
    return max(found.pop(), 1) if len(found) == 1 else None


def queries_of_run(engine: Engine) -> int | None:
    """Return how many queries a run timed: throughput times total host walltime; None where not stated."""
    measurement = engine.measurement
    samples = samples_per_query(engine.setup.commands, engine.setup.inference_options.get("Batch", ""))
    if not measurement.throughput_qps or not measurement.walltime_s or samples is None:
        return None
    return round(measurement.throughput_qps * measurement.walltime_s / samples) or None

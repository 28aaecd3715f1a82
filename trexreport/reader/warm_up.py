"""Leave the queries of the warm-up out of query times.

trtexec up to 8.4 exports them, too: they are the first of the file, up to the first that begins on the GPU
after the warm-up.
Source: printPerformanceReport in trtexec's sampleReporting.cpp of 8.4 and 8.5.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import fields

from trexreport.model import InputWarning, Measurement, QueryTimes, Setup
from trexreport.reader.setup_facts import SetupFacts
from trexreport.regex import regex

#: Such as "3s (+ 200ms warm up)".
_DURATION = regex(r"\d+(?:\.\d+)?s \(\+ (\d{1,12}(?:\.\d{1,12})?)ms", re.ASCII)
_MS_IN_S = 1000


def warm_up_ms(setup: Setup) -> float | None:
    """Return for how long trtexec warmed up in ms, as its inference options state it; None if they do not."""
    found = (
        _DURATION.match(text.strip())
        for key, text in setup.inference_options.items()
        if key.startswith("Duration")
    )
    return next((float(match[1]) for match in found if match), None)


def without_warm_up(
    queries: QueryTimes, stated: Iterable[SetupFacts], name: str
) -> tuple[QueryTimes, list[InputWarning]]:
    """Return the times of the queries that were timed, and a note if others were left out.

    Nothing is left out unless the queries of the warm-up and those that were timed are all of the file.

    Args:
        queries: All of a file.
        stated: What logs and metadata files of the capture say.
        name: Of the file.
    """
    counts = (count for facts in stated for count in _counts(queries, facts))
    warm_up = next((before for before, timed in counts if before > 0 and before + timed == len(queries)), 0)
    if not warm_up:
        return queries, []
    kept = {each.name: getattr(queries, each.name)[warm_up:] for each in fields(queries)}
    message = f"{name} begins with {warm_up:,} queries of the warm-up, which were left out."
    return QueryTimes(**kept), [InputWarning("info", "timing-warmup", message, name, ("timing",))]


def _counts(queries: QueryTimes, facts: SetupFacts) -> Iterator[tuple[int, int]]:
    """Yield how many queries warmed up and how many were timed.

    A verbose log counts both. Others state the length of the warm-up and totals of the timed queries.
    """
    measurement, length_ms = facts.measurement, warm_up_ms(facts.setup)
    if measurement.warmup_queries and measurement.timed_queries:
        yield measurement.warmup_queries, measurement.timed_queries
    elif length_ms is not None:
        before = next((at for at, start in enumerate(queries.start_ms) if start >= length_ms), 0)
        yield from ((before, timed) for timed in _timed(measurement))


def _timed(measurement: Measurement) -> Iterator[int]:
    """Yield how many queries were timed, as totals state it; GPU time holds for implicit batches, too."""
    if measurement.throughput_qps and measurement.walltime_s:
        yield round(measurement.throughput_qps * measurement.walltime_s)
    compute = measurement.summary.get("GPU Compute Time")
    if measurement.gpu_time_s and compute and compute.mean_ms > 0:
        yield round(measurement.gpu_time_s * _MS_IN_S / compute.mean_ms)

"""Write what was measured in trtexec's forms.

Source: sampleReporting.cpp of trtexec (exportJSONTrace, exportJSONProfile, printPerformanceReport).
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from pathlib import Path
from statistics import median
from typing import Any

from trexreport.collector.tensorrt_api.console import Console
from trexreport.collector.tensorrt_api.profiling import LayerTimes
from trexreport.collector.tensorrt_api.timing import Query, Timing

_DIGITS = 6
#: Of each layer, and of all together unless that left too few of each.
_MOST_SAMPLES, _MOST_VALUES, _LEAST_SAMPLES = 1000, 500_000, 50
#: Above this share the GPU waits for the host; source: printPerformanceReport.
_BOUND = 0.9


def write_profile(path: str, times: LayerTimes) -> None:
    """Write trtexec's --exportProfile: a record with the count, then one for each layer."""
    whole = math.fsum(math.fsum(samples) for samples in times.samples_ms.values())
    records: list[dict[str, Any]] = [{"count": times.iterations}]
    for (name, _), samples in times.samples_ms.items():
        total = math.fsum(samples)
        records.append(
            {
                "name": name,
                "timeMs": round(total, _DIGITS),
                "averageMs": round(total / len(samples), _DIGITS),
                "medianMs": round(median(samples), _DIGITS),
                "percentage": round(100 * total / whole, _DIGITS) if whole else 0.0,
            }
        )
    _write_lines(path, records)


def write_samples(path: str, times: LayerTimes) -> None:
    """Write the time of each layer in each iteration, as `trexreport.reader.samples_file` reads it.

    Of long runs every n-th iteration is kept, which "stride" states: a report holds this file whole.
    """
    room = max(_LEAST_SAMPLES, _MOST_VALUES // max(1, len(times.samples_ms)))
    stride = max(1, math.ceil(times.iterations / min(_MOST_SAMPLES, room)))
    layers = [
        {"name": name, "samples_ms": [round(each, _DIGITS) for each in samples[::stride]]}
        for (name, _), samples in times.samples_ms.items()
    ]
    document = {
        "schema": "trexreport-layer-samples",
        "schema_version": 1,
        "iterations": times.iterations,
        "stride": stride,
        "layers": layers,
    }
    Path(path).write_text(json.dumps(document, ensure_ascii=False) + "\n", encoding="utf-8")


def write_times(path: str, timing: Timing) -> None:
    """Write trtexec's --exportTimes: a record for each query."""
    _write_lines(path, [_record(query) for query in timing.queries])


def report_performance(console: Console, timing: Timing, percentiles: Sequence[float]) -> None:
    """Print trtexec's performance summary."""
    queries = timing.queries
    console.info("=== Performance summary ===")
    console.info(f"Throughput: {len(queries) / timing.walltime_s:g} qps")
    for name, column in (
        ("Latency", [query.latency_ms for query in queries]),
        ("Enqueue Time", [query.enqueue_ms for query in queries]),
        ("H2D Latency", [query.h2d_ms for query in queries]),
        ("GPU Compute Time", [query.compute_ms for query in queries]),
        ("D2H Latency", [query.d2h_ms for query in queries]),
    ):
        console.info(f"{name}: {_statistic(column, percentiles)}")
    gpu_s = math.fsum(query.compute_ms for query in queries) / 1000
    console.info(f"Total Host Walltime: {timing.walltime_s:g} s")
    console.info(f"Total GPU Compute Time: {gpu_s:g} s")
    if math.fsum(query.enqueue_ms for query in queries) / 1000 > _BOUND * gpu_s:
        console.warning(
            "* Throughput may be bound by Enqueue Time rather than GPU Compute and the GPU may be "
            "under-utilized."
        )
    console.info()


def _record(query: Query) -> dict[str, float]:
    times = {
        "startEnqMs": query.start_enqueue_ms,
        "endEnqMs": query.end_enqueue_ms,
        "startH2dMs": query.start_h2d_ms,
        "endH2dMs": query.start_compute_ms,
        "startComputeMs": query.start_compute_ms,
        "endComputeMs": query.end_compute_ms,
        "startD2hMs": query.end_compute_ms,
        "endD2hMs": query.end_d2h_ms,
        "h2dMs": query.h2d_ms,
        "computeMs": query.compute_ms,
        "d2hMs": query.d2h_ms,
        "latencyMs": query.latency_ms,
    }
    return {key: round(value, _DIGITS) for key, value in times.items()}


def _statistic(values: Sequence[float], percentiles: Sequence[float]) -> str:
    ordered = sorted(values)
    mean = math.fsum(ordered) / len(ordered)
    parts = [
        f"min = {ordered[0]:g} ms",
        f"max = {ordered[-1]:g} ms",
        f"mean = {mean:g} ms",
        f"median = {median(ordered):g} ms",
        *(f"percentile({rank:g}%) = {_percentile(ordered, rank):g} ms" for rank in percentiles),
    ]
    return ", ".join(parts)


def _percentile(ordered: Sequence[float], rank: float) -> float:
    """Return trtexec's percentile: the value at (100 - rank) / 100 of all from the top, no interpolation."""
    exclude = int((1 - rank / 100) * len(ordered))
    return ordered[max(0, len(ordered) - 1 - exclude)]


def _write_lines(path: str, records: Sequence[dict[str, Any]]) -> None:
    """Write a list with one record a line, as trtexec lays it out."""
    lines = (json.dumps(record, ensure_ascii=False, allow_nan=False) for record in records)
    Path(path).write_text("[\n  " + "\n, ".join(lines) + "\n]\n", encoding="utf-8")

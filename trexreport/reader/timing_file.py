"""Read the time of every query: trtexec's --exportTimes.

A list of records in milliseconds with 12 fields (13 in TensorRT 8.2). Absolute times lose digits as they
grow, so durations are taken from the duration fields.
Source: exportJSONTrace in trtexec's sampleReporting.cpp.
"""

from __future__ import annotations

from typing import Any

from trexreport.model import InputWarning, QueryTimes
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import duration, number, records


def is_timing(document: Any) -> bool:
    """Return whether a JSON document has the shape of query times."""
    return isinstance(document, list) and any(
        "latencyMs" in record or "computeMs" in record for record in records(document[:50])
    )


def read_timing(text: str, name: str) -> tuple[QueryTimes, list[InputWarning]]:
    """Read query times; queries without a latency are left out, with a note.

    Raises:
        InputError: The text is no list of query times.
    """
    document, notes = parse_json(text, name, lambda value: value == [] or is_timing(value))
    if not document:
        return QueryTimes(()), [InputWarning("info", "timing-empty", f"{name} holds no queries.", name)]
    rows = [row for row in (_row(record) for record in document) if row is not None]
    lost = len(document) - len(rows)
    if lost:
        message = f"Queries in {name} without a latency, which were left out: {lost} of {len(document)}."
        notes.append(InputWarning("degraded", "timing-records", message, name, ("timing",)))
    columns = tuple(zip(*rows, strict=True)) if rows else ((),) * 5
    return QueryTimes(*columns), notes


def _row(record: Any) -> tuple[float, float, float, float, float] | None:
    if not isinstance(record, dict):
        return None
    compute = duration(record.get("computeMs"))
    latency = duration(record.get("latencyMs"))
    if latency is None:
        latency = compute
    if latency is None:
        return None
    start, end = number(record.get("startEnqMs")), number(record.get("endEnqMs"))
    enqueue = duration(end - start) if start is not None and end is not None else None
    h2d = duration(record.get("h2dMs")) or 0.0
    d2h = duration(record.get("d2hMs")) or 0.0
    return (latency, latency if compute is None else compute, h2d, d2h, enqueue or 0.0)

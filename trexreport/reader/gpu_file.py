"""Read what the collector's watch wrote down of the GPU (`X.engine.gpu.json`).

One object: "samples" is a table in columns, whose "time_s" counts from the beginning of the watch; "phases"
says which of it belongs to which run. Source of the quantities: NVML.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.gpu import GpuPhase, GpuProcess, GpuSamples
from trexreport.reader.json_text import parse_json
from trexreport.reader.values import integer, mapping, number, records, text

SCHEMA = "trexreport-gpu-samples"
SCHEMA_VERSION = 1

_QUANTITIES = (
    "sm_clock_mhz",
    "memory_clock_mhz",
    "power_w",
    "energy_j",
    "temperature_c",
    "gpu_utilization_percent",
    "memory_utilization_percent",
)
#: No quantity of a GPU is larger; beyond, the value is damage.
_LARGEST = 1e12


def is_gpu_samples(document: Any) -> bool:
    """Return whether a JSON document has the shape of samples of a GPU."""
    samples = document.get("samples") if isinstance(document, dict) else None
    return isinstance(samples, dict) and isinstance(samples.get("time_s"), list)


def read_gpu_samples(content: str, name: str) -> tuple[GpuSamples, list[InputWarning]]:
    """Read samples; rows without a time that is later than the one before are left out, with a note.

    Raises:
        InputError: The text holds no samples, or a later version of trexreport wrote it.
    """
    document, notes = parse_json(content, name, is_gpu_samples)
    version = integer(document.get("schema_version")) or SCHEMA_VERSION
    if version > SCHEMA_VERSION:
        raise InputError(
            f"{name} was written by a later trexreport (version {version} of its form).", "Update trexreport."
        )
    table: Mapping[str, Any] = document["samples"]
    rows = _rows(table["time_s"])
    lost = len(table["time_s"]) - len(rows)
    if lost:
        message = f"Samples in {name} without a time in order, which were left out: {lost}."
        notes.append(InputWarning("degraded", "gpu-samples", message, name, ("timing",)))
    columns = {each: _column(table.get(each), rows) for each in _QUANTITIES}
    reasons = _column(table.get("throttle_reasons"), rows)
    samples = GpuSamples(
        time_s=tuple(rows.values()),
        **columns,
        throttle_reasons=tuple(None if each is None else int(each) for each in reasons),
        phases=_phases(document.get("phases")),
        other_processes=_processes(document.get("other_processes")),
        locked_sm_clock=_clock(document.get("locked_sm_clock")),
        set_power_limit_w=_quantity(document.get("set_power_limit_w")),
        facts=_facts(document.get("gpu")),
    )
    return samples, notes


def _rows(times: list[Any]) -> dict[int, float]:
    """Return the rows to keep: position to time."""
    rows: dict[int, float] = {}
    last = -1.0
    for position, value in enumerate(times):
        time_s = _quantity(value)
        if time_s is not None and time_s > last:
            rows[position] = last = time_s
    return rows


def _column(values: Any, rows: Mapping[int, float]) -> tuple[float | None, ...]:
    column = values if isinstance(values, list) else []
    return tuple(_quantity(column[row]) if row < len(column) else None for row in rows)


def _quantity(value: Any) -> float | None:
    result = None if isinstance(value, str) else number(value)
    return result if result is not None and 0 <= result <= _LARGEST else None


def _clock(value: Any) -> float | str | None:
    return value if value == "sustained" else _quantity(value)


def _phases(value: Any) -> tuple[GpuPhase, ...]:
    found = []
    for record in records(value):
        begin, end = _quantity(record.get("begin_s")), _quantity(record.get("end_s"))
        if begin is not None and end is not None and begin <= end:
            found.append(GpuPhase(text(record.get("name")), begin, end))
    return tuple(found)


def _processes(value: Any) -> tuple[GpuProcess, ...]:
    found = []
    for record in records(value):
        pid = integer(record.get("pid"))
        if pid is not None:
            memory = integer(record.get("memory_bytes"))
            found.append(GpuProcess(pid, text(record.get("program")), memory))
    return tuple(found)


def _facts(value: Any) -> dict[str, str | float | None]:
    return {key: each if isinstance(each, str) else _quantity(each) for key, each in mapping(value).items()}

"""Read what the collector wrote of the GPU (`X.engine.gpu.json`), or a log of tegrastats or nvidia-smi.

One object: "samples" is a table in columns, whose "time_s" counts from the beginning of the watch; "phases"
says which of it belongs to which run. Source of the quantities: NVML.
"""

from __future__ import annotations

import math
from bisect import bisect, bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.gpu import GpuPhase, GpuProcess, GpuSamples
from trexreport.reader.impossible import (
    BYTES,
    ENERGY_J,
    EVENT_BITS,
    MEMORY_CLOCK_MHZ,
    PERCENT,
    POWER_W,
    SECONDS,
    SM_CLOCK_MHZ,
    TEMPERATURE_C,
    WHOLE,
    ImpossibleValues,
    Kind,
)
from trexreport.reader.json_text import parse_json
from trexreport.reader.nvidia_smi import is_nvidia_smi, samples_of_nvidia_smi
from trexreport.reader.tegrastats import is_tegrastats, samples_of_tegrastats
from trexreport.reader.values import integer, mapping, number, records, text

SCHEMA = "trexreport-gpu-samples"
SCHEMA_VERSION = 1

_QUANTITIES: Mapping[str, Kind] = {
    "sm_clock_mhz": SM_CLOCK_MHZ,
    "memory_clock_mhz": MEMORY_CLOCK_MHZ,
    "power_w": POWER_W,
    "energy_j": ENERGY_J,
    "temperature_c": TEMPERATURE_C,
    "gpu_utilization_percent": PERCENT,
    "memory_utilization_percent": PERCENT,
    "throttle_reasons": EVENT_BITS,
}
#: What the end of a fact's name says that it is.
_FACT_KINDS = {"memory_clock_mhz": MEMORY_CLOCK_MHZ, "_mhz": SM_CLOCK_MHZ, "_w": POWER_W, "_c": TEMPERATURE_C}
#: By how much a clock may be above what NVML calls the highest: it rounds to steps of up to 15 MHz.
_CLOCK_STEP_MHZ = 15.0
#: Phases that last this long have samples: the watch takes one every tenth of a second or so.
_LASTING_S = 1.0


def is_gpu_samples(document: Any) -> bool:
    """Return whether a JSON document has the shape of samples of a GPU."""
    samples = document.get("samples") if isinstance(document, dict) else None
    return isinstance(samples, dict) and isinstance(samples.get("time_s"), list)


def read_gpu_samples(content: str, name: str) -> tuple[GpuSamples, list[InputWarning]]:
    """Read samples; rows without a time that is later than the one before are left out, with a note.

    Raises:
        InputError: The text holds no samples, or a later version of trexreport wrote it.
    """
    notes: list[InputWarning] = []
    if is_tegrastats(content):
        document = samples_of_tegrastats(content)
    elif is_nvidia_smi(content):
        document = samples_of_nvidia_smi(content)
    else:
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
        message = f"Samples in {name} without a time in order, which were left out: {lost:,}."
        notes.append(InputWarning("degraded", "gpu-samples", message, name, ("timing",)))
    values = ImpossibleValues(name, ("timing",))
    facts = _facts(mapping(document.get("gpu")), values)
    highest = facts.get("max_sm_clock_mhz")
    clock = SM_CLOCK_MHZ
    if isinstance(highest, float):
        noun = f"at most the GPU's highest clock, {highest:g} MHz"
        clock = replace(clock, high=highest + _CLOCK_STEP_MHZ, noun=noun)
    clock = _or_null(clock)
    kinds = {**_QUANTITIES, "sm_clock_mhz": clock}
    columns = {each: _column(each, table, rows, _or_null(kind), values) for each, kind in kinds.items()}
    reasons = columns.pop("throttle_reasons")
    if not _only_grows(columns["energy_j"], values):
        columns["energy_j"] = (None,) * len(rows)
    locked = document.get("locked_sm_clock")
    samples = GpuSamples(
        time_s=tuple(rows.values()),
        **columns,
        throttle_reasons=tuple(None if each is None else int(each) for each in reasons),
        phases=_sampled(_phases(document.get("phases"), values), tuple(rows.values()), values),
        other_processes=_processes(document.get("other_processes"), values),
        locked_sm_clock=locked if locked == "sustained" else values.of(document, "locked_sm_clock", clock),
        set_power_limit_w=values.of(document, "set_power_limit_w", _or_null(POWER_W)),
        facts=facts,
    )
    return samples, [*notes, *values.notes()]


def _or_null(kind: Kind) -> Kind:
    """Return the kind where null means "not reported"."""
    return replace(kind, may_be_null=True)


def _rows(times: list[Any]) -> dict[int, float]:
    """Return the rows to keep: position to time."""
    rows: dict[int, float] = {}
    last = -1.0
    for position, value in enumerate(times):
        time_s = number(value) if type(value) in (int, float) else None
        if time_s is not None and last < time_s <= SECONDS.high:
            rows[position] = last = time_s
    return rows


def _column(
    key: str, table: Mapping[str, Any], rows: Mapping[int, float], kind: Kind, values: ImpossibleValues
) -> tuple[float | None, ...]:
    column = table.get(key, [])
    if not isinstance(column, list):
        values.refuse(key, column, "is not a list of samples")
        column = []
    return tuple(
        values.number(kind, column[row], f"{key}[{row}]") if row < len(column) else None for row in rows
    )


def _only_grows(readings: Sequence[float | None], values: ImpossibleValues) -> bool:
    known = [each for each in readings if each is not None]
    falls = any(later < earlier for earlier, later in pairwise(known))
    if falls:
        values.refuse("energy_j", f"{min(known):g} to {max(known):g}", "does not only grow")
    return not falls


def _phases(value: Any, values: ImpossibleValues) -> tuple[GpuPhase, ...]:
    found = []
    for at, record in enumerate(records(value)):
        place = f"phases[{at}]"
        begin, end = (values.of(record, key, SECONDS, place) for key in ("begin_s", "end_s"))
        if begin is None or end is None:
            values.refused.setdefault(place, f"{place} has no begin_s and end_s")
            continue
        if begin <= end:
            found.append(GpuPhase(text(record.get("name")), begin, end))
        else:
            values.refuse(f"{place}.end_s", end, f"is before its begin {begin:g}")
    return tuple(found)


def _sampled(
    phases: tuple[GpuPhase, ...], times: Sequence[float], values: ImpossibleValues
) -> tuple[GpuPhase, ...]:
    """Return no phases if none has a sample though they last: their times are of another unit or origin.

    The watch of a short phase may miss it.
    """
    whole = math.fsum(each.end_s - each.begin_s for each in phases)
    # Times only grow.
    have_samples = any(bisect_left(times, each.begin_s) < bisect(times, each.end_s) for each in phases)
    if not times or whole < _LASTING_S or have_samples:
        return phases
    ends = f"{min(each.begin_s for each in phases):g} to {max(each.end_s for each in phases):g} s"
    span = f"from {times[0]:g} to {times[-1]:g} s"
    values.refuse("phases", ends, f"has none of the {len(times):,} samples, {span}")
    return ()


def _processes(value: Any, values: ImpossibleValues) -> tuple[GpuProcess, ...]:
    found = []
    for at, record in enumerate(records(value)):
        pid = values.of(record, "pid", WHOLE, f"other_processes[{at}]")
        memory = values.of(record, "memory_bytes", _or_null(BYTES), f"other_processes[{at}]")
        if pid is not None:
            name = text(record.get("program"))
            found.append(GpuProcess(int(pid), name, None if memory is None else int(memory)))
    return tuple(found)


def _facts(gpu: Mapping[str, Any], values: ImpossibleValues) -> dict[str, str | float | None]:
    """Return texts as they are; numbers by what the end of their name says that they are."""
    found: dict[str, str | float | None] = {}
    for key, value in gpu.items():
        kind = next((kind for end, kind in _FACT_KINDS.items() if key.endswith(end)), ENERGY_J)
        is_text = isinstance(value, str) and kind is ENERGY_J
        found[key] = value if is_text else values.number(_or_null(kind), value, f"gpu.{key}")
    return found

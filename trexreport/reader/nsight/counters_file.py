"""The counts of kernels as JSON (`X.counters.json`): what a report keeps of a CSV of Nsight Compute."""

from __future__ import annotations

import json
from typing import Any

from trexreport.model import IMPOSSIBLE, InputWarning
from trexreport.model.kernel_counters import CountedKernel, KernelCounters
from trexreport.reader.nsight.kept_json import read_kept
from trexreport.reader.values import number, records, text

SUFFIX = ".counters.json"
SCHEMA = "trexreport-kernel-counters"
SCHEMA_VERSION = 1
#: Quantities, and what none can exceed; separate passes make a part of slightly more than the whole.
_MOST = {"dram_bytes": 1e30, "tensor_operations": 1e30, "tensor_active_percent": 110.0}


def write_counters(counters: KernelCounters) -> bytes:
    """Return the counts as JSON; the same counts give the same bytes."""
    kernels = [
        {"name": each.name} | {key: getattr(each, key) for key in _MOST if getattr(each, key) is not None}
        for each in counters.kernels
    ]
    document: dict[str, Any] = {SCHEMA: SCHEMA_VERSION, "file": counters.file}
    if counters.compute_capability is not None:
        document["compute_capability"] = counters.compute_capability
    document["kernels"] = kernels
    return (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def read_counters(content: str, name: str) -> tuple[KernelCounters, list[InputWarning]]:
    """Read what `write_counters` wrote; what is impossible counts as unknown.

    Raises:
        InputError: It is something else, or of a later version.
    """
    document = read_kept(content, name, SCHEMA, SCHEMA_VERSION)
    kernels = tuple(
        CountedKernel(
            text(each.get("name")) or "unknown kernel",
            *(_count(each.get(key), _MOST[key]) for key in _MOST),
        )
        for each in records(document.get("kernels"))
    )
    impossible = sum(
        key in each and _count(each[key], _MOST[key]) is None
        for each in records(document.get("kernels"))
        for key in _MOST
    )
    stated = document.get("compute_capability")
    capability = stated if type(stated) is int and 0 < stated < 10_000 else None
    notes = [_impossible_counts(impossible, name)] if impossible else []
    return KernelCounters(text(document.get("file")), kernels, capability), notes


def _impossible_counts(number: int, name: str) -> InputWarning:
    """Return the note that counts were left out that no kernel can have."""
    message = f"Impossible counts of kernels in {name} count as unknown: {number:,}."
    hint = "Write the file again: ncu --import X --csv --page raw."
    return InputWarning("degraded", IMPOSSIBLE, message, name, ("kernels",), hint)


def _count(value: Any, most: float) -> float | None:
    found = number(value) if type(value) in (int, float) else None
    return found if found is not None and 0 <= found <= most else None

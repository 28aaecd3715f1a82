"""The counts of kernels as JSON (`X.counters.json`): what a report keeps of a CSV of Nsight Compute."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from typing import Any

from trexreport.model import IMPOSSIBLE, InputWarning
from trexreport.model.kernel_counters import LARGEST_COUNTS, CountedKernel, KernelCounters
from trexreport.reader.impossible import shown
from trexreport.reader.nsight.kept_json import read_kept
from trexreport.reader.values import integer, items, mapping, number, text

SUFFIX = ".counters.json"
SCHEMA = "trexreport-kernel-counters"
SCHEMA_VERSION = 1
_LONGEST_PLACE = 200


def write_counters(counters: KernelCounters) -> bytes:
    """Return the counts as JSON; the same counts give the same bytes."""
    kernels = [
        {"name": each.name}
        | {key: getattr(each, key) for key in LARGEST_COUNTS if getattr(each, key) is not None}
        for each in counters.kernels
    ]
    document: dict[str, Any] = {SCHEMA: SCHEMA_VERSION, "file": counters.file}
    if counters.compute_capability is not None:
        document["compute_capability"] = counters.compute_capability
    if counters.impossible:
        document |= {"impossible": counters.impossible, "first_impossible": counters.first_impossible}
    if counters.lacking:
        document["lacking"] = counters.lacking
    document["kernels"] = kernels
    return (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def read_counters(content: str, name: str) -> tuple[KernelCounters, list[InputWarning]]:
    """Read what `write_counters` wrote; what is impossible counts as unknown.

    Raises:
        InputError: It is something else, or of a later version.
    """
    document, notes = read_kept(content, name, SCHEMA, SCHEMA_VERSION)
    listed = [*map(mapping, items(document.get("kernels")))]
    kernels = tuple(
        CountedKernel(
            text(each.get("name")) or "unknown kernel",
            *(_count(each.get(key), LARGEST_COUNTS[key]) for key in LARGEST_COUNTS),
        )
        for each in listed
    )
    before = max(integer(document.get("impossible")) or 0, 0)
    places = [place for at, each in enumerate(listed) for place in _impossible(each, at)]
    stated = document.get("compute_capability")
    capability = stated if type(stated) is int and 0 < stated < 10_000 else None
    if stated is not None and capability is None:
        places.append(f"compute_capability = {shown(stated)}")
    impossible = before + len(places)
    written = text(document.get("first_impossible"))[:_LONGEST_PLACE] if before else ""
    first = next(iter(filter(None, (written, *places))), "")
    lacking = max(integer(document.get("lacking")) or 0, 0)
    found = KernelCounters(text(document.get("file")), kernels, capability, impossible, first, lacking)
    notes += [_impossible_counts(found, name)] if impossible else []
    return found, [*notes, _lacking_kernels(found, name)] if lacking else notes


def _impossible(record: Mapping[str, Any], at: int) -> Iterator[str]:
    """Yield what of the kernel at a place of the list no kernel can have."""
    if not text(record.get("name")):
        yield f"kernels[{at}].name = {shown(record.get('name'))}"
    for key, most in LARGEST_COUNTS.items():
        if key in record and _count(record[key], most) is None:
            yield f"kernels[{at}].{key} = {shown(record[key])}"


def _lacking_kernels(counters: KernelCounters, name: str) -> InputWarning:
    """Return the note that rows are missing between those that are there."""
    message = (
        f"Numbers of kernels in {name} that have no row: {counters.lacking:,}. A filter or damage removed"
    )
    message += " them, so counts may be those of another run of a kernel."
    hint = "Write all kernels: ncu --import X --csv --page raw, without a filter."
    return InputWarning("degraded", "counts-missing", message, name, ("kernels",), hint)


def _impossible_counts(counters: KernelCounters, name: str) -> InputWarning:
    """Return the note that counts were left out that no kernel can have."""
    first = f", such as {counters.first_impossible}" if counters.first_impossible else ""
    message = f"Impossible counts of kernels in {name} count as unknown: {counters.impossible:,}{first}."
    hint = "Write the file again: ncu --import X --csv --page raw."
    return InputWarning("degraded", IMPOSSIBLE, message, name, ("kernels",), hint)


def _count(value: Any, most: float) -> float | None:
    found = number(value) if type(value) in (int, float) else None
    return found if found is not None and 0 <= found <= most else None

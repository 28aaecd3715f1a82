"""Read the CSV that `nvidia-smi --query-gpu=timestamp,… --format=csv --loop=1` prints of one GPU.

A heading has the names of the queried properties, with units, and each row a time stamp. Some have two names
("clocks.sm" and "clocks.current.sm"). Source: `nvidia-smi --help-query-gpu`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime, timezone
from itertools import pairwise
from typing import Any

from trexreport.reader.tegrastats import QUANTITIES
from trexreport.reader.values import number

#: Property to quantity.
_PROPERTIES: Mapping[str, str] = {
    **dict.fromkeys(("clocks.sm", "clocks.current.sm"), "sm_clock_mhz"),
    **dict.fromkeys(("clocks.mem", "clocks.current.memory"), "memory_clock_mhz"),
    **dict.fromkeys(("power.draw", "power.draw.instant"), "power_w"),
    "temperature.gpu": "temperature_c",
    "utilization.gpu": "gpu_utilization_percent",
    "utilization.memory": "memory_utilization_percent",
    **dict.fromkeys(("clocks_throttle_reasons.active", "clocks_event_reasons.active"), "throttle_reasons"),
}
_STAMP, _NAME, _HEX = "timestamp", "name", "0x"
#: What distinguishes the GPUs of a machine; several may have one name.
_GPU = frozenset({_NAME, "gpu_name", "index", "uuid", "gpu_uuid", "pci.bus_id", "gpu_bus_id", "serial"})
#: How long a heading is, how much of a table shows what it is, in characters, and by which factor the times
#: between rows may differ.
_HEADING, _HEAD, _EVEN = 2**11, 2**15, 10
_LONGEST_MASK = len("0x0123456789abcdef")
_FORMAT = "%Y/%m/%d %H:%M:%S.%f"


def is_nvidia_smi(content: str) -> bool:
    """Return whether a text is such a table, of one GPU and with its clock or use, by its beginning."""
    if _STAMP not in content[:_HEADING]:
        return False
    rows = list(_rows(content[:_HEAD]))
    if not rows or _STAMP not in rows[0] or _PROPERTIES.keys().isdisjoint(rows[0]):
        return False
    gpus = {tuple(value for key, value in row.items() if key in _GPU) for row in rows}
    times = [_seconds(row[_STAMP]) for row in rows]
    known = [each for each in times if each is not None]
    return len(known) == len(times) and len(gpus) == 1 and _is_even(known)


def _is_even(times: Sequence[float]) -> bool:
    """Return whether rows follow each other about evenly; those of several GPUs come together."""
    gaps = sorted(after - before for before, after in pairwise(times))
    return not gaps or (gaps[0] > 0 and gaps[len(gaps) // 4] * _EVEN >= gaps[3 * len(gaps) // 4])


def samples_of_nvidia_smi(content: str) -> dict[str, Any]:
    """Return what the table states in the form of `X.engine.gpu.json`."""
    rows = list(_rows(content))
    times = [_seconds(row[_STAMP]) or 0.0 for row in rows]
    known = {quantity: key for key, quantity in _PROPERTIES.items() if rows and key in rows[0]}
    columns = {
        each: [_value(row[known[each]]) if each in known else None for row in rows] for each in QUANTITIES
    }
    names = {row[_NAME] for row in rows if _NAME in row}
    gpu = {"name": names.pop()} if len(names) == 1 else {}
    return {"samples": {"time_s": [time - times[0] for time in times], **columns}, "gpu": gpu}


def _rows(content: str) -> Iterator[dict[str, str]]:
    """Yield the whole rows by the names of their columns, which lose their units."""
    titles, *lines = ([cell.strip() for cell in line.split(",")] for line in content.splitlines())
    names = [title.partition(" [")[0] for title in titles]
    for cells in lines:
        if len(cells) == len(names):
            yield dict(zip(names, cells, strict=True))


def _seconds(stamp: str) -> float | None:
    try:
        return datetime.strptime(stamp, _FORMAT).replace(tzinfo=timezone.utc).timestamp()
    except ValueError:
        return None


def _value(cell: str) -> float | None:
    """Return a number without its unit; None for what is not supported."""
    if not cell.startswith(_HEX):
        return number(cell.partition(" ")[0])
    try:
        return float(int(cell[:_LONGEST_MASK], 16))
    except ValueError:
        return None

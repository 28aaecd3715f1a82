"""Read the CSV of Nsight Compute (`ncu --csv --page raw`, and the page of details).

The raw page has a column for each metric, and its second row holds units. The page of details has a row for
each metric: "Metric Name", "Metric Unit", "Metric Value". Lines of ncu and of the program may precede the
header. Numbers have commas; "n/a" is not collected. Source: Nsight Compute CLI,
docs.nvidia.com/nsight-compute.

Nsight Compute runs each kernel alone, and several times: its counts are used, its times are not.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from itertools import islice

from trexreport.errors import InputError
from trexreport.model.kernel_counters import CountedKernel, KernelCounters
from trexreport.reader.nsight.nsys_tables import has_reports
from trexreport.regex import regex

_MOST_ROWS = 2_000_000
_MOST_KERNELS = 200_000
_LONGEST_NAME = 4_000
_HEADER = regex(r'^"?ID"?,(?=.*"?Kernel Name"?)', re.MULTILINE)
_METRIC = regex(r"[a-z]\w*__\w+(?:\.\w+)*")
_HEAD = 100_000
_MOST_VALUES = 10
_CAPABILITY = regex(r"(\d{1,3})\.(\d)", re.ASCII)
#: Prefixes are decimal: a Kbyte is 1,000 bytes.
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "t": 1e12}
_BYTE_UNIT = regex(r"([kmgt]?)(?:bytes?|b)", re.IGNORECASE)
_COUNT_UNIT = regex(r"([kmgt]?)(?:inst|ops?|flops?)?", re.IGNORECASE)
_TENSOR_OPERATIONS = regex(r"(sm__ops_path_tensor_src_\w+)\.sum")
_TENSOR_ACTIVE = "sm__pipe_tensor_cycles_active.avg.pct_of_peak_sustained_active"
#: Quantity to metric and unit.
_Metrics = dict[str, tuple[str, str]]


def is_ncu_csv(head: str) -> bool:
    """Return whether a text has the header of Nsight Compute's CSV."""
    return bool(_HEADER.search(head))


def read_ncu_csv(content: str, name: str) -> KernelCounters:
    """Return the counted kernels of a CSV file.

    Raises:
        InputError: It is none, or has none of the quantities that are read.
    """
    found = _HEADER.search(content)
    if found is None and has_reports(content[:_HEAD]):
        raise InputError(
            f"{name} is a report of Nsight Systems, which counts no bytes.", "Give it with --kernels."
        )
    if found is None:
        hint = "Write one: ncu --import X --csv --page raw."
        raise InputError(f"{name} is not a CSV of Nsight Compute.", hint)
    try:
        # A quoted name may have line breaks of its own.
        rows = islice(csv.reader(io.StringIO(content[found.start() :], newline="")), _MOST_ROWS)
        places = {title: place for place, title in enumerate(next(rows, []))}
        if not places.keys() >= {"ID", "Kernel Name"}:
            raise InputError(f"{name} has no columns ID and Kernel Name.", "Write it again with ncu --csv.")
        capabilities: set[str] = set()
        kernels = tuple(
            islice(_kernels(_noted(rows, places.get("CC", -1), capabilities), places), _MOST_KERNELS)
        )
    except csv.Error as error:
        raise InputError(f"{name} can't be read as CSV: {error}.", "Write it again with ncu --csv.") from None
    if all(each.dram_bytes is None and each.tensor_operations is None for each in kernels):
        raise InputError(
            f"{name} has neither bytes of device memory nor operations of Tensor Cores.",
            "Collect them: ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum.",
        )
    found_capability = _CAPABILITY.fullmatch(capabilities.pop()) if len(capabilities) == 1 else None
    capability = 10 * int(found_capability[1]) + int(found_capability[2]) if found_capability else None
    return KernelCounters(name, kernels, capability)


def _noted(rows: Iterator[list[str]], place: int, values: set[str]) -> Iterator[list[str]]:
    """Yield rows, and note the values of a column; a row of units has none."""
    for row in rows:
        if 0 <= place < len(row) and row[place].strip() and len(values) < _MOST_VALUES:
            values.add(row[place].strip())
        yield row


def _kernels(rows: Iterator[list[str]], places: Mapping[str, int]) -> Iterator[CountedKernel]:
    if "Metric Name" in places:
        yield from _of_rows(rows, places)
        return
    metrics = {title: place for title, place in places.items() if _METRIC.fullmatch(title)}
    units: list[str] = []
    for row in rows:
        cell = _Cells(row)
        if not cell(places["ID"]).isdecimal():
            units = units or row
            continue
        values = {title: (cell(place), _Cells(units)(place)) for title, place in metrics.items()}
        yield _counted(cell(places["Kernel Name"]), values)


class _Cells:
    """A row that may be shorter than its header."""

    def __init__(self, row: list[str]) -> None:
        self._row = row

    def __call__(self, place: int) -> str:
        return self._row[place].strip() if 0 <= place < len(self._row) else ""


def _of_rows(rows: Iterator[list[str]], places: Mapping[str, int]) -> Iterator[CountedKernel]:
    """Yield a kernel for each number: its metrics are in rows that follow each other."""
    titles = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
    number, name, values = "", "", _Metrics()
    for row in rows:
        cell = _Cells(row)
        own, kernel, metric, unit, value = (cell(places.get(title, -1)) for title in titles)
        if not own.isdecimal():
            continue
        if own != number and number:
            yield _counted(name, values)
            values = {}
        number, name = own, kernel
        values[metric] = (value, unit)
    if number:
        yield _counted(name, values)


def _counted(name: str, metrics: _Metrics) -> CountedKernel:
    read, written, both = (
        _value(metrics.get(f"dram__bytes{part}.sum"), _BYTE_UNIT) for part in ("_read", "_write", "")
    )
    operations = {
        found[1]: _value(cell, _COUNT_UNIT)
        for metric, cell in metrics.items()
        if (found := _TENSOR_OPERATIONS.fullmatch(metric))
    }
    known = {metric: value for metric, value in operations.items() if value is not None}
    # A metric whose name goes on is a part of the shorter one: "…_fp16_dst_fp32_sparsity_on".
    whole = [
        value
        for metric, value in known.items()
        if not any(metric.startswith(f"{other}_") for other in known if other != metric)
    ]
    active = _number(metrics.get(_TENSOR_ACTIVE, ("", ""))[0])
    return CountedKernel(
        name=name[:_LONGEST_NAME] or "unknown kernel",
        dram_bytes=read + written if read is not None and written is not None else both,
        tensor_operations=math.fsum(whole) if whole else None,
        tensor_active_percent=active if active is not None and active <= 100.5 else None,
    )


def _value(cell: tuple[str, str] | None, unit: re.Pattern[str]) -> float | None:
    if cell is None:
        return None
    number, scale = _number(cell[0]), unit.fullmatch(cell[1])
    return None if number is None or scale is None else number * _SCALES[scale[1].lower()]


def _number(text: str) -> float | None:
    try:
        value = float(text.replace(",", ""))
    except ValueError:
        return None
    return value if math.isfinite(value) and 0 <= value < 1e30 else None

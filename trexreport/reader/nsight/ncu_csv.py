"""Read the CSV of Nsight Compute (`ncu --csv --page raw`, and the page of details).

The raw page has a column for each metric, and its second row holds units. The page of details has a row for
each metric: "Metric Name", "Metric Unit", "Metric Value". Lines of ncu and of the program may precede the
header. Numbers have commas; "n/a" is not collected, and "nan" what a GPU does not count. In some languages
ncu and spreadsheets write commas for decimal points, and spreadsheets semicolons between columns. Source:
Nsight Compute CLI, docs.nvidia.com/nsight-compute.

Nsight Compute runs each kernel alone, and several times: its counts are used, its times are not.
"""

from __future__ import annotations

import csv
import io
import math
import re
from collections.abc import Iterator, Mapping
from itertools import chain, islice

from trexreport.errors import InputError
from trexreport.model.kernel_counters import LARGEST_COUNTS, CountedKernel, KernelCounters
from trexreport.reader.nsight.nsys_tables import has_decimal_comma, has_reports, parsed_number
from trexreport.regex import regex

_MOST_ROWS = 2_000_000
_MOST_KERNELS = 200_000
_LONGEST_NAME = 4_000
_HEADER = regex(r'^"?ID"?([,;\t])(?=.*"?Kernel Name"?)', re.MULTILINE)
#: Kernels are counted from 0 on.
_ID = regex(r"\d{1,18}", re.ASCII)
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
_PERCENT_UNIT = regex(r"()%?")
#: How a metric is written that was not collected, or that the GPU does not count.
_ABSENT = frozenset({"", "n/a", "N/A", "(!) n/a", "nan", "(!) nan", "no data", "-"})
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
        reading = _Reading(content[found.start() :], found[1], name)
        kernels = tuple(islice(reading.kernels(), _MOST_KERNELS))
    except csv.Error as error:
        raise InputError(f"{name} can't be read as CSV: {error}.", "Write it again with ncu --csv.") from None
    if all(each.dram_bytes is None and each.tensor_operations is None for each in kernels):
        raise InputError(
            f"{name} has neither bytes of device memory nor operations of Tensor Cores.",
            "Collect them: ncu --metrics dram__bytes_read.sum,dram__bytes_write.sum.",
        )
    refused = list(reading.refused)
    first = next(iter(refused), "")
    return KernelCounters(name, kernels, reading.capability(), len(refused), first, reading.lacking)


class _Reading:
    """Reads the rows of a table.

    Attributes:
        refused: What no kernel can have, by its place.
        lacking: How many numbers before the last one have no row.
    """

    def __init__(self, content: str, delimiter: str, name: str) -> None:
        # A quoted name may have line breaks of its own.
        self._rows: Iterator[list[str]] = islice(
            csv.reader(io.StringIO(content, newline=""), delimiter=delimiter), _MOST_ROWS
        )
        titles = next(self._rows, [])
        self._places = {title: place for place, title in enumerate(titles)}
        if not self._places.keys() >= {"ID", "Kernel Name"}:
            raise InputError(f"{name} has no columns ID and Kernel Name.", "Write it again with ncu --csv.")
        if len(self._places) < len(titles):
            raise InputError(f"{name} has a column twice.", "Write it again with ncu --csv.")
        self._metrics = {title: at for title, at in self._places.items() if _METRIC.fullmatch(title)}
        first = list(islice(self._rows, 1_000))
        numbers = [*self._metrics.values(), self._places.get("Metric Value", len(titles))]
        # The last cell of a row that is cut has no end; other programs may write behind the table.
        self._is_cut = content.count('"') % 2 == 1 and content.rstrip().rpartition("\n")[2].startswith('"')
        self._has_decimal_comma = has_decimal_comma(first, numbers, delimiter)
        self._rows = chain(first, self._rows)
        self._capabilities: dict[str, None] = {}
        self.refused: dict[str, None] = {}
        self.lacking = 0

    def capability(self) -> int | None:
        """Return the compute capability, times ten, of all rows that were read."""
        found = [_CAPABILITY.fullmatch(each) for each in self._capabilities]
        return 10 * int(found[0][1]) + int(found[0][2]) if len(found) == 1 and found[0] else None

    def kernels(self) -> Iterator[CountedKernel]:
        """Yield the kernels in the order of their numbers, in which they ran."""
        found = self._of_details() if "Metric Name" in self._places else self._of_rows()
        if self._is_cut and not self.refused:
            self.refused["the last row, which is cut"] = None
        self.lacking = max(map(int, found), default=-1) + 1 - len(found)
        for number in sorted(found, key=int):
            yield self._counted(number, *found[number])

    def _of_rows(self) -> Mapping[str, tuple[str, _Metrics]]:
        """Return name and metrics of each number, which has one row."""
        units: list[str] = []
        rows: dict[str, list[str]] = {}
        for row in self._rows:
            number = _cell(row, self._places["ID"])
            if not number.isdecimal() and not units and not _cell(row, self._places["Kernel Name"]):
                units = row
            elif self._is_kernel(row, number) and rows.setdefault(number, row) is not row:
                self.refused[f"a second row of ID {number}"] = None
        return {
            number: (
                _cell(row, self._places["Kernel Name"]),
                {title: (_cell(row, at), _cell(units, at)) for title, at in self._metrics.items()},
            )
            for number, row in rows.items()
        }

    def _of_details(self) -> Mapping[str, tuple[str, _Metrics]]:
        """Return name and metrics of each number, which has a row for each metric."""
        titles = ("ID", "Kernel Name", "Metric Name", "Metric Unit", "Metric Value")
        found: dict[str, tuple[str, _Metrics]] = {}
        for row in self._rows:
            number, name, metric, unit, value = (_cell(row, self._places.get(title, -1)) for title in titles)
            if not self._is_kernel(row, number):
                continue
            values = found.setdefault(number, (name, {}))[1]
            if values.setdefault(metric, (value, unit)) != (value, unit):
                values[metric] = (f"{values[metric][0]} or {value}", unit)
        return found

    def _is_kernel(self, row: list[str], number: str) -> bool:
        """Return whether a row is that of a kernel, and note it if that is not sure."""
        if not _ID.fullmatch(number) or len(row) < len(self._places):
            # Other lines of ncu and of the program have fewer cells.
            if number.isdecimal() or len(row) >= len(self._places):
                self.refused[f"the row of ID {number[:20]!r}"] = None
            return False
        if not _cell(row, self._places["Kernel Name"]):
            self.refused[f"the name of ID {number}"] = None
        capability = _cell(row, self._places.get("CC", -1))
        if capability and len(self._capabilities) < _MOST_VALUES:
            self._capabilities[capability] = None
            if not _CAPABILITY.fullmatch(capability):
                self.refused[f"CC of ID {number}"] = None
        return True

    def _counted(self, number: str, name: str, metrics: _Metrics) -> CountedKernel:
        def value(metric: str, unit: re.Pattern[str], quantity: str) -> float | None:
            cell = metrics.get(metric, ("", ""))
            if cell[0] in _ABSENT:
                return None
            found = _value(cell, unit, has_decimal_comma=self._has_decimal_comma)
            if found is None or not 0 <= found <= LARGEST_COUNTS[quantity]:
                self.refused[f"{metric} of ID {number}"] = None
                return None
            return found

        read, written, both = (
            value(f"dram__bytes{part}.sum", _BYTE_UNIT, "dram_bytes") for part in ("_read", "_write", "")
        )
        operations = {
            found[1]: value(metric, _COUNT_UNIT, "tensor_operations")
            for metric in metrics
            if (found := _TENSOR_OPERATIONS.fullmatch(metric))
        }
        is_refused = any(f"{metric}.sum of ID {number}" in self.refused for metric in operations)
        known = {metric: value for metric, value in operations.items() if value is not None}
        # A metric whose name goes on is a part of the shorter one: "…_fp16_dst_fp32_sparsity_on".
        whole = [
            value
            for metric, value in known.items()
            if not any(metric.startswith(f"{other}_") for other in known if other != metric)
        ]
        return CountedKernel(
            name=name[:_LONGEST_NAME] or "unknown kernel",
            dram_bytes=read + written if read is not None and written is not None else both,
            tensor_operations=math.fsum(whole) if whole and not is_refused else None,
            tensor_active_percent=value(_TENSOR_ACTIVE, _PERCENT_UNIT, "tensor_active_percent"),
        )


def _cell(row: list[str], place: int) -> str:
    """Return a cell of a row, which may be shorter than its header."""
    return row[place].strip() if 0 <= place < len(row) else ""


def _value(cell: tuple[str, str], unit: re.Pattern[str], *, has_decimal_comma: bool) -> float | None:
    number, scale = parsed_number(cell[0], has_decimal_comma=has_decimal_comma), unit.fullmatch(cell[1])
    return None if number is None or scale is None else number * _SCALES[scale[1].lower()]

"""Read what reports of Nsight Systems sum up: kernels of ranges, kernels, work of ranges."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.model.kernel_trace import KernelConfig, KernelRange, KernelSum, SumPlace
from trexreport.reader.nsight.nsys_tables import ReportKind, ReportTable, parsed_number
from trexreport.reader.nsight.nvtx import NvtxRange
from trexreport.reader.nsight.queries import is_query_range
from trexreport.regex import regex

_BASE_END = regex(r"[<(]")
_EXTENTS = regex(r"\s*(\d{1,10})[\s,]+(\d{1,10})[\s,]+(\d{1,10})\s*", re.ASCII)
#: Domains that TensorRT uses; a name of another one is left as it is.
_DOMAINS = ("TensorRT", "myelin-exec", "myelin", "")
#: The column with the percentage of all rows, and by how much of its last digit it may be wrong.
_SHARE, _ROUNDED = "time", 0.51
#: By which factor a standard deviation may be beyond its bounds.
_DEVIATION = 1.01


@dataclass(frozen=True)
class _Row:
    """A row of a report on ranges; times in ns."""

    range: NvtxRange
    kernel: KernelConfig | None
    runs: int
    range_runs: int | None
    total_ns: int
    min_ns: int | None
    max_ns: int | None


def split_range(text: str) -> tuple[str, str]:
    """Return domain and name of a range as reports write it: "TensorRT:conv1", ":own", or the name alone."""
    domain, colon, name = text.partition(":")
    if not colon or domain not in _DOMAINS:
        return "", text
    return domain, name


def named_config(name: str, grid: str = "", block: str = "") -> KernelConfig:
    """Return a kernel by its name with or without template arguments, and the extents of its launch."""
    base = _BASE_END.split(name, maxsplit=1)[0].rsplit("::", 1)[-1].split()
    full = name or "unknown kernel"
    return KernelConfig(base[-1] if base else full, full, _extents(grid), _extents(block))


def launch_config(table: ReportTable, row: Sequence[str], column: str) -> KernelConfig:
    """Return the kernel of a row, whose name is in a column, and count what it can't be."""
    name, grid, block = (table.text(row, each) for each in (column, "gridxyz", "blockxyz"))
    if not name or has_other_extents(grid) or has_other_extents(block):
        table.refuse(row)
    return named_config(name, grid, block)


def has_other_extents(text: str) -> bool:
    """Return whether a text states something else than the extents of a launch."""
    return bool(text.strip()) and 0 in (_extents(text) or (0,))


def _extents(text: str) -> tuple[int, ...]:
    found = _EXTENTS.fullmatch(text)
    return tuple(map(int, found.groups())) if found else ()


def read_sums(
    tables: Mapping[ReportKind, ReportTable],
    configs: dict[KernelConfig, int],
    ranges: dict[KernelRange, int],
) -> tuple[list[KernelSum], int]:
    """Return the sums of the thread that has most queries, and how many other threads have queries.

    Args:
        tables: The reports.
        configs: Kernels with their places, which new ones are added to.
        ranges: Likewise.
    """
    if table := tables.get("range-kernels"):
        rows = _range_kernels(table)
    elif table := tables.get("range-sums"):
        rows = _range_sums(table)
    elif (table := tables.get("range-trace")) and not tables.keys() & {"launch-trace", "gpu-trace"}:
        rows = _range_trace(table)
    else:
        rows = []
    rows, other_threads = _of_one_thread(rows)
    is_named = any(row.range.domain == "TensorRT" for row in rows)
    found = [_sum(row, configs, ranges, is_named=is_named) for row in rows]
    if (table := tables.get("kernels")) and not found:
        found = _kernel_sums(table, configs)
    return found, other_threads


def _sum(
    row: _Row, configs: dict[KernelConfig, int], ranges: dict[KernelRange, int], *, is_named: bool
) -> KernelSum:
    place: SumPlace = "layer"
    if is_query_range(row.range):
        place = "query"
    elif not row.range.name:
        place = "outside"
    elif row.range.domain.startswith("myelin") or row.range.name.startswith(("myelin-exec", "myelinGraph")):
        place = "region"
    elif is_named and row.range.domain != "TensorRT":
        place = "outside"
    range_ = ranges.setdefault(KernelRange(row.range.name), len(ranges)) if place == "layer" else None
    config = None if row.kernel is None else configs.setdefault(row.kernel, len(configs))
    return KernelSum(config, place, row.runs, row.total_ns, row.min_ns, row.max_ns, range_, row.range_runs)


def _of_one_thread(rows: list[_Row]) -> tuple[list[_Row], int]:
    """Return the rows of the thread that has most queries, and how many others have some."""
    queries: dict[int, int] = defaultdict(int)
    for row in rows:
        if is_query_range(row.range) and row.runs:
            queries[row.range.thread] = max(queries[row.range.thread], row.range_runs or 0)
    if not queries:
        return rows, 0
    thread = max(queries, key=lambda each: (queries[each], -each))
    return [row for row in rows if row.range.thread == thread], len(queries) - 1


def _range_kernels(table: ReportTable) -> list[_Row]:
    found: list[_Row] = []
    read: list[Sequence[str]] = []
    for row in table.rows:
        runs, name = table.whole(row, "kern inst"), table.text(row, "kernel name")
        total = _total(table, row, runs) if runs else None
        if not runs or total is None or not name:
            table.refuse(row)
            continue
        found.append(
            _Row(
                _range(table, row, "nvtx range"),
                named_config(name),
                runs,
                table.whole(row, "nvtx inst"),
                total,
                *_limits(table, row),
            )
        )
        read.append(row)
    # What was left out of the queries would be missing there.
    for place in () if table.refused else tuple(_more_than_queries(found)):
        table.refuse(read[place])
    return found


def _more_than_queries(rows: Sequence[_Row]) -> Iterator[int]:
    """Yield the places of layers that ran a kernel more often than the queries around them."""
    queries: dict[int, int] = defaultdict(int)
    runs: dict[tuple[int, KernelConfig | None], int] = defaultdict(int)
    for row in rows:
        if is_query_range(row.range):
            queries[row.range.thread] = max(queries[row.range.thread], row.range_runs or 0)
            runs[row.range.thread, row.kernel] += row.runs
    for place, row in enumerate(rows):
        # Loading and building, which are in no query, are not repeated as often.
        is_repeated = row.range_runs is not None and row.range_runs == queries.get(row.range.thread, 0) > 1
        if is_repeated and row.range.domain == "TensorRT" and row.runs > runs[row.range.thread, row.kernel]:
            yield place


def _range_sums(table: ReportTable) -> list[_Row]:
    found = []
    for row in table.rows:
        count, total = table.whole(row, "range instances"), table.time_ns(row, "total proj time")
        if count is None or total is None or total < 0:
            table.refuse(row)
            continue
        runs = table.whole(row, "total gpu ops") or 0
        found.append(_Row(_range(table, row, "range"), None, runs, count, total, None, None))
    return found


def _range_trace(table: ReportTable) -> list[_Row]:
    sums: dict[NvtxRange, list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in table.rows:
        took = table.time_ns(row, "projected duration")
        if took is None or took < 0:
            table.refuse(row)
            continue
        total = sums[_range(table, row, "name")]
        total[0] += 1
        total[1] += took
        total[2] += table.whole(row, "numgpuops") or 0
    return [_Row(key, None, runs, count, took, None, None) for key, (count, took, runs) in sums.items()]


def _kernel_sums(table: ReportTable, configs: dict[KernelConfig, int]) -> list[KernelSum]:
    found = []
    _refuse_other_shares(table)
    for row in table.rows:
        runs, name = table.whole(row, "instances"), table.text(row, "name")
        total = _total(table, row, runs) if runs else None
        if not runs or total is None or not name:
            table.refuse(row)
        elif not name.startswith("[CUDA mem"):
            kernel = launch_config(table, row, "name")
            place = configs.setdefault(kernel, len(configs))
            found.append(KernelSum(place, "all", runs, total, *_limits(table, row)))
    return found


def _refuse_other_shares(table: ReportTable) -> None:
    """Count rows whose share is not that of their time, as where another row was lost."""
    if table.units.get(_SHARE) != "%":
        return
    times = [table.length_ns(row, "total time") or 0 for row in table.rows]
    whole = math.fsum(times)
    for row, took in zip(table.rows, times, strict=True):
        text = table.text(row, _SHARE)
        share = parsed_number(text, has_decimal_comma=table.has_decimal_comma)
        digits = len(re.split(r"[.,]", text)[1]) if re.search(r"[.,]", text) else 0
        if share is not None and whole and abs(share - 100 * took / whole) > _ROUNDED * 10.0**-digits:
            table.refuse(row)


def _limits(table: ReportTable, row: Sequence[str]) -> tuple[int | None, int | None]:
    """Return the time of the shortest and of the longest run."""
    return table.length_ns(row, "min", "minimum"), table.length_ns(row, "max", "maximum")


def _total(table: ReportTable, row: Sequence[str], runs: int) -> int | None:
    """Return the time of all runs; None where it is not between the shortest and the longest ones."""
    total, (shortest, longest) = table.time_ns(row, "total time"), _limits(table, row)
    if total is None or total < 0:
        return None
    low, high = shortest or 0, total if longest is None else longest
    # Times in larger units are rounded by more than is known.
    rounded = runs if table.units["total time"] in ("", "ns", "nsec") else math.inf
    is_possible = low <= high and low * runs - rounded <= total <= high * runs + rounded
    if is_possible and rounded < math.inf and shortest is not None and longest is not None:
        is_possible = _can_deviate(table, row, longest - shortest, runs)
    return total if is_possible else None


def _can_deviate(table: ReportTable, row: Sequence[str], spread: int, runs: int) -> bool:
    """Return whether runs whose shortest and longest are that far apart can have the standard deviation."""
    deviation = table.length_ns(row, "stddev")
    if deviation is None or runs == 1:
        return True
    # Least: one run at each end; most: half of them. Both hold of a sample and of a whole population.
    least, most = spread / math.sqrt(2 * runs), spread / 2 * math.sqrt(runs / (runs - 1))
    return least / _DEVIATION - 1 <= deviation <= most * _DEVIATION + 1


def _range(table: ReportTable, row: Sequence[str], column: str) -> NvtxRange:
    """Return the range of a row, with its thread; without times, which a sum does not have."""
    domain, name = split_range(table.text(row, column))
    process, thread = table.whole(row, "pid") or 0, table.whole(row, "tid") or 0
    return NvtxRange(0, 0, (process << 24) + thread, name, domain)

"""Read the traces among reports of Nsight Systems: runs of kernels, copies, calls and ranges."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache

from trexreport.model.kernel_trace import DeviceCopy, KernelConfig, KernelTrace
from trexreport.reader.nsight.export import WAITING
from trexreport.reader.nsight.kernel_ranges import find_ranges
from trexreport.reader.nsight.last_queries import read_last_queries
from trexreport.reader.nsight.nsys_sums import has_other_extents, launch_config, named_config, split_range
from trexreport.reader.nsight.nsys_tables import ReportKind, ReportTable
from trexreport.reader.nsight.nvtx import NvtxRange
from trexreport.reader.nsight.queries import GRAPH_LAUNCH, Queries, queries_of
from trexreport.reader.nsight.recorded import RecordedCall, RecordedKernel, as_trace
from trexreport.regex import regex

#: What the name of a copy holds, and the kind that CUDA numbers it with.
_COPY_KINDS = (
    (regex(r"memset", re.IGNORECASE), -1),
    (regex(r"HtoD|Host-to-Device"), 1),
    (regex(r"DtoH|Device-to-Host"), 2),
    (regex(r"DtoD|Device-to-Device"), 8),
)
_OTHER_COPY = 0
_COPY = "[CUDA mem"
_DEVICE = regex(r"(.*?)\s*\((\d{1,4})\)", re.ASCII)


#: Where a table is in order, at most one row in this many is not.
_FEW = 100


@dataclass
class _Found:
    """The rows of all reports; times in ns as they have them."""

    kernels: list[RecordedKernel] = field(default_factory=list)
    copies: list[tuple[DeviceCopy, int | None]] = field(default_factory=list)
    calls: list[tuple[RecordedCall, str]] = field(default_factory=list)
    ranges: list[NvtxRange] = field(default_factory=list)
    devices: dict[int | None, str] = field(default_factory=dict)


def read_runs(tables: Mapping[ReportKind, ReportTable]) -> KernelTrace:
    """Return the runs of the last queries; all runs where the reports mark no query, none without a trace."""
    found = _Found()
    if table := tables.get("range-trace"):
        found.ranges = _ranges(table, "orig start", "orig duration", "")
    elif table := tables.get("ranges"):
        found.ranges = _ranges(table, "start", "duration", "end")
    launched = _launches(tables["launch-trace"], found) if "launch-trace" in tables else []
    correlated = _calls(tables["api-trace"], found) if "api-trace" in tables else {}
    if table := tables.get("gpu-trace"):
        by_time = {(each.begin_ns, each.end_ns): each.call for each in launched}
        _operations(table, found, correlated, by_time)
    else:
        found.kernels = launched
    found.kernels.sort(key=lambda each: (each.begin_ns, each.end_ns))
    return _trace(found) if found.kernels else KernelTrace()


def _trace(found: _Found) -> KernelTrace:
    found.ranges.sort(key=lambda each: (each.begin_ns, -each.end_ns))
    calls = [call for call, _ in found.calls]
    launches = [
        (call.thread, (call.begin_ns, call.end_ns)) for call, name in found.calls if GRAPH_LAUNCH.match(name)
    ]
    queries = queries_of(found.ranges, sorted(set(launches), key=lambda each: each[1]))
    last = read_last_queries(queries, lambda spans: _of_queries(found.kernels, calls, queries, spans))
    kernels, spans = last.kernels, last.spans
    find_ranges(kernels, calls, found.ranges, ({}, {}))
    device = kernels[0].device if kernels else None
    since, until = _limits(kernels, spans)
    copies = [copy for copy, at in found.copies if at in (None, device) and since <= copy.begin_ns <= until]
    waits = [
        (call.begin_ns, call.end_ns)
        for call, name in found.calls
        if queries and spans and call.thread == queries.thread and WAITING.match(name)
        if spans[0][0] <= call.begin_ns <= spans[-1][1]
    ]
    facts = replace(last.facts, device=found.devices.get(device, ""))
    return as_trace(facts, kernels, copies, waits, spans)


def _limits(kernels: Sequence[RecordedKernel], spans: Sequence[tuple[int, int]]) -> tuple[int, int]:
    since = min([kernels[0].begin_ns, *(begin for begin, _ in spans[:1])]) if kernels else 0
    return since, max((each.end_ns for each in kernels), default=0)


def _of_queries(
    kernels: list[RecordedKernel],
    calls: Iterable[RecordedCall],
    queries: Queries | None,
    spans: Sequence[tuple[int, int]],
) -> list[RecordedKernel]:
    """Give calls their query, and return the kernels from the first query on until the last one ended."""
    for call in calls:
        call.query = None
    if not queries or not spans:
        return kernels
    place = 0
    for call in sorted(calls, key=lambda each: (each.begin_ns, each.end_ns)):
        if call.thread != queries.thread:
            continue
        while place < len(spans) and spans[place][1] < call.begin_ns:
            place += 1
        if place < len(spans) and spans[place][0] <= call.begin_ns:
            call.query = place
    ends = [each.end_ns for each in kernels if each.call and each.call.query is not None]
    last = max([spans[-1][1], *ends])
    return [each for each in kernels if spans[0][0] <= each.begin_ns <= last]


def _ranges(table: ReportTable, begin: str, took: str, end: str) -> list[NvtxRange]:
    found = []
    for row in table.rows:
        since, length = table.time_ns(row, begin), table.time_ns(row, took)
        until = table.time_ns(row, end) if end else None
        if since is None or (length is None and until is None):
            continue
        until = until if until is not None else since + (length or 0)
        if until < since:
            table.refuse(row)
            continue
        domain, name = split_range(table.text(row, "name"))
        found.append(NvtxRange(since, until, _thread(table, row), name, domain))
    return found


def _launches(table: ReportTable, found: _Found) -> list[RecordedKernel]:
    """Return runs with the calls that launched them: one call launches all kernels of a CUDA graph."""
    kernels = []
    calls: dict[tuple[int, int, int], RecordedCall] = {}
    for row in table.rows:
        begin, took = table.time_ns(row, "kernel start"), table.time_ns(row, "kernel dur")
        if begin is None or took is None or took < 0:
            table.refuse(row)
            continue
        called, call_took = table.time_ns(row, "api start"), table.length_ns(row, "api dur")
        call = None
        if called is not None and call_took is not None:
            key = (_thread(table, row), called, called + call_took)
            if key not in calls:
                calls[key] = RecordedCall(key[1], key[2], key[0])
                found.calls.append((calls[key], table.text(row, "api function")))
            call = calls[key]
        config = launch_config(table, row, "kernel name")
        device = table.whole(row, "devid")
        kernels.append(RecordedKernel(begin, begin + took, device, None, call, None, config))
    return kernels


def _calls(table: ReportTable, found: _Found) -> Mapping[int, RecordedCall]:
    """Return correlation to call; a correlation that several processes have is left out."""
    correlated: dict[int, RecordedCall] = {}
    several: set[int] = set()
    known = {(call.thread, call.begin_ns): call for call, _ in found.calls}
    for row in table.rows:
        begin, took = table.time_ns(row, "start"), table.time_ns(row, "duration")
        if begin is None or took is None or took < 0:
            table.refuse(row)
            continue
        thread = _thread(table, row)
        call = known.get((thread, begin))
        if call is None:
            call = RecordedCall(begin, begin + took, thread)
            found.calls.append((call, table.text(row, "name")))
        number = table.whole(row, "corrid")
        if number is not None and correlated.setdefault(number, call).thread >> 24 != thread >> 24:
            several.add(number)
    return {number: call for number, call in correlated.items() if number not in several}


def _operations(
    table: ReportTable,
    found: _Found,
    correlated: Mapping[int, RecordedCall],
    by_time: Mapping[tuple[int, int], RecordedCall | None],
) -> None:
    for row in _in_order(table):
        begin, took = table.time_ns(row, "start"), table.time_ns(row, "duration")
        if begin is None or took is None or took < 0:
            table.refuse(row)
            continue
        name, stream = table.text(row, "name"), table.whole(row, "strm")
        device, shown = _device(table.text(row, "device"))
        if name.startswith(_COPY):
            kind = next((number for pattern, number in _COPY_KINDS if pattern.search(name)), _OTHER_COPY)
            # Sizes are rounded to kilobytes: that is not a size.
            found.copies.append((DeviceCopy(begin, begin + took, kind, None, stream), device))
            continue
        found.devices.setdefault(device, shown)
        grid, block = (
            " ".join(table.text(row, f"{part}{axis}") for axis in "xyz") for part in ("grd", "blk")
        )
        if not name or has_other_extents(grid) or has_other_extents(block):
            table.refuse(row)
        number = table.whole(row, "corrid")
        call = by_time.get((begin, begin + took)) or (correlated.get(number) if number is not None else None)
        config = _config(name, grid, block, table.whole(row, "reg/trd"))
        found.kernels.append(RecordedKernel(begin, begin + took, device, stream, call, None, config))


def _in_order(table: ReportTable) -> Iterator[Sequence[str]]:
    """Yield the rows but the few that begin before those above or after those below, which are refused."""
    timed = [(row, begin) for row in table.rows if (begin := table.time_ns(row, "start")) is not None]
    starts = [begin for _, begin in timed]
    odd = {
        # Without it the rows beside it are in order.
        id(timed[at if at == 0 or starts[at - 1] <= starts[at + 1] else at + 1][0])
        for at in range(len(starts) - 1)
        if starts[at] > starts[at + 1]
    }
    # A table that was sorted by something else has no such order.
    is_sorted = len(odd) <= max(1, len(starts) // _FEW)
    for row in table.rows:
        if is_sorted and id(row) in odd:
            table.refuse(row)
        else:
            yield row


@lru_cache(maxsize=10_000)
def _config(name: str, grid: str, block: str, registers: int | None) -> KernelConfig:
    return replace(named_config(name, grid, block), registers=registers)


def _device(text: str) -> tuple[int | None, str]:
    found = _DEVICE.fullmatch(text)
    return (int(found[2]), found[1]) if found else (None, text)


def _thread(table: ReportTable, row: Sequence[str]) -> int:
    process, thread = table.whole(row, "pid") or 0, table.whole(row, "tid") or 0
    return (process << 24) + thread

"""Read the SQLite export of Nsight Systems (`nsys export --type sqlite`): the kernels of some queries.

Columns and tables differ between versions, and tables exist only where something was recorded. A kernel
(`CUPTI_ACTIVITY_KIND_KERNEL`) has the "correlationId" of the API call that launched it
(`CUPTI_ACTIVITY_KIND_RUNTIME`) in its process; the call lies in NVTX ranges of its thread. A kernel of a CUDA
graph has the call that launched the whole graph; its "graphNodeId" leads to the moment at which the node was
captured (`CUDA_GRAPH_NODE_EVENTS`), which lies in the ranges of the layers. Source: SQLite Export Schema
Reference and examples, docs.nvidia.com/nsight-systems.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from trexreport.errors import InputError
from trexreport.model.kernel_trace import WHOLE_GRAPH, DeviceCopy, KernelConfig, KernelTrace
from trexreport.reader.nsight import last_queries
from trexreport.reader.nsight.database import MOST_ROWS, TEXTS, Database, opened
from trexreport.reader.nsight.kernel_ranges import find_ranges, read_graph_nodes
from trexreport.reader.nsight.lost_rows import (
    calls_without_kernel,
    divided_calls,
    kernels_without_call,
    launch_names,
)
from trexreport.reader.nsight.nvtx import NVTX_TABLE, PROCESS, NvtxRange, read_ranges
from trexreport.reader.nsight.queries import RUNTIME, Queries, find_queries
from trexreport.reader.nsight.recorded import RecordedCall, RecordedKernel, as_trace
from trexreport.regex import regex

KERNELS = "CUPTI_ACTIVITY_KIND_KERNEL"
#: Launches of CUDA graphs whose kernels were not recorded (`--cuda-graph-trace=graph`, the default).
GRAPHS = "CUPTI_ACTIVITY_KIND_GRAPH_TRACE"
_GRAPH = KernelConfig(WHOLE_GRAPH, WHOLE_GRAPH)
_COPIES = (("CUPTI_ACTIVITY_KIND_MEMCPY", "copyKind"), ("CUPTI_ACTIVITY_KIND_MEMSET", "value"))
_MEMSET = -1
WAITING = regex(
    r"cu(?:da)?(?:Stream|Device|Event|Ctx|Thread)Synchronize|cuda(?:Memcpy|Memset|Free)(?:_|\Z)|cuMemcpy(?:DtoH|HtoD)_"
)
_CONFIG = ("registersPerThread", "gridX", "gridY", "gridZ", "blockX", "blockY", "blockZ")
_NAMES = ("demangledName", "shortName")
_SHARED = ("staticSharedMemory", "dynamicSharedMemory")
_KERNEL_COLUMNS = (
    *("start", "end", "deviceId", "streamId", "correlationId", "globalPid", "graphNodeId"),
    *_NAMES,
    *_CONFIG,
    *_SHARED,
)


_COUNTS = ("deviceId", "streamId")
_TIMES = ("start", "end")
#: Table to its columns of whole numbers, of whole numbers from 0 on, of the numbers of texts, and of what is
#: never empty: marks and domains of NVTX have no end, and perhaps no start.
_CHECKED: Mapping[str, Sequence[tuple[str, ...]]] = {
    KERNELS: ((*_TIMES, *_KERNEL_COLUMNS[4:9]), (*_COUNTS, *_CONFIG, *_SHARED), _NAMES, _TIMES),
    GRAPHS: ((*_TIMES, "correlationId"), _COUNTS, (), _TIMES),
    RUNTIME: ((*_TIMES, "correlationId", "globalTid", "nameId"), (), ("nameId",), _TIMES),
    NVTX_TABLE: (
        (*_TIMES, "eventType", "globalTid", "endGlobalTid", "textId", "domainId"),
        (),
        ("textId",),
    ),
    **{table: (_TIMES, (*_COUNTS, "bytes", kind), (), _TIMES) for table, kind in _COPIES},
}


#: Process and correlation to the call: each process counts correlations for itself.
Calls = Mapping[tuple[int, int], RecordedCall]
#: Tables with the version, the name before 2024 last.
_META = ("META_DATA_EXPORT", "EXPORT_META_DATA")
_NO_CONFIG = (None,) * (len(_KERNEL_COLUMNS) - 6)


def read_export(path: Path) -> KernelTrace:
    """Return the kernels of the last queries in an export; of all kernels where it marks no query.

    Raises:
        InputError: It is damaged, or records no kernels.
        OSError: It can't be opened.
    """
    with opened(path) as database:
        if not database.has(KERNELS) and not database.has(GRAPHS):
            raise InputError(
                f"{path.name} records no CUDA kernels.",
                "Record with nsys profile --trace=cuda,nvtx --cuda-graph-trace=node.",
            )
        trace = _Export(database, path.name).trace()
    if not trace.runs:
        raise InputError(f"{path.name} has no CUDA kernel that can be read.", "Export it again.")
    return trace


class _Export:
    """One export while it is read."""

    def __init__(self, database: Database, file: str) -> None:
        self._database = database
        self._file = file
        texts = database.rows(TEXTS, ("id",), ("value",), most=MOST_ROWS)
        self._names = {key: name for key, name in texts if isinstance(key, int) and isinstance(name, str)}
        self._configs: dict[tuple[object, ...], KernelConfig] = {}
        #: Of tables that don't state the process; None where it may be one of several.
        self._process: int | None = None

    def trace(self) -> KernelTrace:
        ranges = read_ranges(self._database, self._names)
        queries = find_queries(self._database, ranges, self._names)
        calls: Calls = {}

        def kernels_of(spans: Sequence[tuple[int, int]]) -> list[RecordedKernel]:
            nonlocal calls
            calls = self._calls(queries, spans)
            return self._kernels(calls, spans)

        last = last_queries.read_last_queries(queries, kernels_of)
        kernels, spans = last.kernels, last.spans
        waits = self._waits(queries, spans)
        nodes = read_graph_nodes(self._database) if any(each.node for each in kernels) else ({}, {})
        find_ranges(kernels, calls.values(), ranges, nodes)
        are_all = not (last.facts.other_devices or last.facts.is_cut)
        facts = replace(
            last.facts,
            file=self._file,
            tool_version=self._meta("EXPORT_PRODUCT_VERSION"),
            device=self._device_name(kernels),
            rows_left_out=self._left_out(calls, kernels, ranges, are_all=are_all),
        )
        return as_trace(facts, kernels, self._copies(kernels, spans), waits, spans)

    def _calls(self, queries: Queries | None, spans: Sequence[tuple[int, int]]) -> Calls:
        """Return the calls of the process of the queries while they ran; all calls without queries."""
        between = ("start", spans[0][0], spans[-1][1]) if spans else None
        numbers = ("start", "end", "correlationId", "globalTid", "nameId", "returnValue")
        launches = launch_names(self._names)
        calls: dict[tuple[int, int], RecordedCall] = {}
        query = 0
        for row in self._database.rows(RUNTIME, numbers, between=between, most=MOST_ROWS):
            begin, end, correlation, thread, name, error = row
            if not (isinstance(begin, int) and isinstance(end, int) and isinstance(correlation, int)):
                continue
            if not isinstance(thread, int) or end < begin:
                continue
            if queries and (thread ^ queries.thread) & PROCESS:
                continue
            # A call of the runtime calls the driver, which may be recorded with the same correlation.
            made = RecordedCall(begin, end, thread, launches=name in launches and not error)
            call = calls.setdefault((thread & PROCESS, correlation), made)
            if queries and thread == queries.thread:
                while query < len(spans) and spans[query][1] < begin:
                    query += 1
                if query < len(spans) and spans[query][0] <= begin:
                    call.query = query
        processes = {process for process, _ in calls}
        self._process = processes.pop() if len(processes) == 1 else None
        return calls

    def _kernels(self, calls: Calls, spans: Sequence[tuple[int, int]]) -> list[RecordedKernel]:
        """Return the kernels that ran from the first query on until the last kernel of a query ended."""
        between = None
        if spans:
            of_queries = [key[1] for key, call in calls.items() if call.query is not None]
            last = spans[-1][1]
            if of_queries:
                found = [
                    row
                    for table in (KERNELS, GRAPHS)
                    for row in self._database.rows(
                        table,
                        ("end", "correlationId", "start"),
                        between=("correlationId", min(of_queries), max(of_queries)),
                        most=MOST_ROWS,
                    )
                ]
                known = set(of_queries)
                ends = [row[0] for row in found if row[1] in known and _is_later(row[2], spans[0][0])]
                last = max([last, *(end for end in ends if isinstance(end, int))])
            between = ("start", spans[0][0], last)
        most = last_queries.MOST_RUNS + 1
        rows = self._database.rows(KERNELS, _KERNEL_COLUMNS, between=between, most=most)
        kernels = [kernel for row in rows if (kernel := self._kernel(row, calls))]
        rows = self._database.rows(
            GRAPHS, _KERNEL_COLUMNS[:6], between=between, most=last_queries.MOST_RUNS + 1
        )
        graphs = [graph for row in rows if (graph := self._kernel((*row[:6], *_NO_CONFIG), calls))]
        if not graphs:
            return kernels
        for each in graphs:
            each.config = _GRAPH
        return sorted([*kernels, *graphs], key=lambda each: (each.begin_ns, each.end_ns))

    def _kernel(self, row: tuple[int | str | None, ...], calls: Calls) -> RecordedKernel | None:
        numbers = [value if isinstance(value, int) else None for value in row]
        begin, end, device, stream, correlation, process, node = numbers[:7]
        if begin is None or end is None or end < begin:
            return None
        call = None
        if correlation is not None:
            # Tables without the process are of one process, or say nothing of the others.
            at = self._process if process is None else process & PROCESS
            call = calls.get((at, correlation)) if at is not None else None
        config = self._config(numbers[7:])
        return RecordedKernel(begin, end, device, stream, call, node, config, correlation=correlation)

    def _left_out(
        self,
        calls: Calls,
        kernels: Sequence[RecordedKernel],
        ranges: Sequence[NvtxRange],
        *,
        are_all: bool,
    ) -> int:
        """Return how many rows nothing can have; a kernel of a call that is counted is not counted, too.

        `are_all` says that no kernel was left out, such as those of another GPU.
        """
        rows = {table: self._database.impossible_rows(table, *each) for table, each in _CHECKED.items()}
        without_call = kernels_without_call(self._database, kernels) - rows[RUNTIME]
        without_kernel = calls_without_kernel(calls.values(), kernels) - rows[KERNELS] if are_all else 0
        lost = max(without_call, without_kernel, 0)
        return sum(rows.values()) + lost + divided_calls(calls.values(), ranges)

    def _config(self, numbers: Sequence[int | None]) -> KernelConfig:
        key = tuple(numbers)
        if key not in self._configs:
            full, short, registers, *rest = numbers
            full_name = self._names.get(full or 0, "")
            shared = [each for each in rest[6:] if each is not None]
            self._configs[key] = KernelConfig(
                name=self._names.get(short or 0, "") or full_name or "unknown kernel",
                full_name=full_name or self._names.get(short or 0, "") or "unknown kernel",
                grid=_extents(rest[:3]),
                block=_extents(rest[3:6]),
                registers=registers,
                shared_bytes=sum(shared) if shared else None,
            )
        return self._configs[key]

    def _copies(
        self, kernels: Sequence[RecordedKernel], spans: Sequence[tuple[int, int]]
    ) -> list[DeviceCopy]:
        if not kernels:
            return []
        device = kernels[0].device
        since = min([kernels[0].begin_ns, *(begin for begin, _ in spans[:1])])
        between = ("start", since, max(each.end_ns for each in kernels))
        found = []
        for table, kind in _COPIES:
            numbers = ("start", "end", "deviceId", "streamId", "bytes", kind)
            for row in self._database.rows(table, numbers, between=between, most=last_queries.MOST_RUNS):
                begin, end, at, stream, size, code = (v if isinstance(v, int) else None for v in row)
                if begin is not None and end is not None and begin <= end and at in (None, device):
                    sort = code if kind == "copyKind" and code is not None else _MEMSET
                    found.append(DeviceCopy(begin, end, sort, size, stream))
        return sorted(found, key=lambda each: (each.begin_ns, each.end_ns, each.kind))

    def _waits(self, queries: Queries | None, spans: Sequence[tuple[int, int]]) -> list[tuple[int, int]]:
        if queries is None or not spans:
            return []
        waiting = {key for key, name in self._names.items() if WAITING.match(name)}
        rows = self._database.rows(
            RUNTIME,
            ("start", "end", "globalTid", "nameId"),
            between=("start", spans[0][0], spans[-1][1]),
            most=MOST_ROWS,
        )
        return [
            (begin, end)
            for begin, end, thread, name in rows
            if isinstance(begin, int) and isinstance(end, int) and begin <= end
            if thread == queries.thread and name in waiting
        ]

    def _meta(self, key: str) -> str:
        for table in _META:
            for _, name, value in self._database.rows(table, ("name",), ("name", "value"), most=1000):
                if name == key and value:
                    return str(value)
        return ""

    def _device_name(self, kernels: Sequence[RecordedKernel]) -> str:
        device = kernels[0].device if kernels else None
        rows = list(self._database.rows("TARGET_INFO_GPU", ("id",), ("name",), most=100))
        named = {row[0]: str(row[1]) for row in rows if row[1]}
        return named.get(device, next(iter(named.values()), "") if len(named) == 1 else "")


def _is_later(value: object, begin: int) -> bool:
    return isinstance(value, int) and value >= begin


def _extents(numbers: Sequence[int | None]) -> tuple[int, ...]:
    return tuple(each for each in numbers if each is not None) if None not in numbers else ()

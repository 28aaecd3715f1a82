"""The kernels of a trace as JSON (`X.kernels.json`): what a report keeps of an export of Nsight Systems.

An export may have gigabytes. A capture, a report and an archive carry the kernels of some queries instead,
from which the same analysis follows. Runs are in columns, and texts are written once.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from trexreport.model import InputWarning
from trexreport.model.kernel_trace import (
    WHOLE_GRAPH,
    DeviceCopy,
    KernelConfig,
    KernelRange,
    KernelRun,
    KernelSum,
    KernelTrace,
    QueryKind,
    Span,
    SumPlace,
)
from trexreport.numbers import counted
from trexreport.reader.nsight.kept_json import read_kept
from trexreport.reader.values import LARGEST_EXTENT, mapping, records, text

SUFFIX = ".kernels.json"
SCHEMA = "trexreport-kernel-trace"
SCHEMA_VERSION = 1
_KINDS: Mapping[str, QueryKind] = {"enqueue": "enqueue", "graph": "graph"}
_RUN_COLUMNS = (
    *("config", "begin_ns", "duration_ns", "stream", "query", "range", "graph_node"),
    *("call_begin_ns", "call_ns"),
)
_COPY_COLUMNS = ("begin_ns", "duration_ns", "kind", "size_bytes", "stream")
_SUM_COLUMNS = ("config", "place", "runs", "total_ns", "min_ns", "max_ns", "range", "range_runs")
_PLACES: Sequence[SumPlace] = ("query", "layer", "region", "outside", "all")
_SPAN_COLUMNS = ("begin_ns", "duration_ns")
_Cells = tuple[int | None, ...]


def write_trace(trace: KernelTrace) -> bytes:
    """Return the trace as JSON; the same trace gives the same bytes."""
    texts: dict[str, int] = {}

    def place(name: str) -> int:
        return texts.setdefault(name, len(texts))

    document = {
        SCHEMA: SCHEMA_VERSION,
        "file": trace.file,
        "tool_version": trace.tool_version,
        "device": trace.device,
        "query_kind": trace.query_kind,
        "queries_found": trace.queries_found,
        "other_threads": trace.other_threads,
        **({"other_devices": trace.other_devices} if trace.other_devices else {}),
        "is_cut": trace.is_cut,
        **_reports(trace),
        "configs": [
            {
                "name": place(each.name),
                "full_name": place(each.full_name),
                "grid": each.grid,
                "block": each.block,
                "registers": each.registers,
                "shared_bytes": each.shared_bytes,
            }
            for each in trace.configs
        ],
        "ranges": [{"name": place(each.name), "is_region": each.is_region} for each in trace.ranges],
        "texts": list(texts),
        "runs": _columns(_RUN_COLUMNS, [_run_cells(each) for each in trace.runs]),
        "copies": _columns(
            _COPY_COLUMNS,
            [
                (each.begin_ns, each.end_ns - each.begin_ns, each.kind, each.size_bytes, each.stream)
                for each in trace.copies
            ],
        ),
        "waits": _columns(_SPAN_COLUMNS, [(e.begin_ns, e.end_ns - e.begin_ns) for e in trace.waits]),
        "queries": _columns(_SPAN_COLUMNS, [(e.begin_ns, e.end_ns - e.begin_ns) for e in trace.queries]),
    }
    return (json.dumps(document, separators=(",", ":"), allow_nan=False) + "\n").encode("ascii")


def _reports(trace: KernelTrace) -> dict[str, Any]:
    """Return what only reports of Nsight Systems have."""
    if not trace.reports:
        return {}
    sums = [
        (
            *(each.config, _PLACES.index(each.place), each.runs, each.total_ns),
            *(each.min_ns, each.max_ns, each.range, each.range_runs),
        )
        for each in trace.sums
    ]
    return {
        "reports": list(trace.reports),
        "rows_left_out": trace.rows_left_out,
        "sums": _columns(_SUM_COLUMNS, sums),
    }


def _run_cells(run: KernelRun) -> _Cells:
    begin, end = run.call_begin_ns, run.call_end_ns
    took = end - begin if begin is not None and end is not None else None
    is_node = int(run.origin == "graph-node") if run.origin else None
    return (
        *(run.config, run.begin_ns, run.end_ns - run.begin_ns, run.stream, run.query, run.range, is_node),
        *(begin, took),
    )


def _columns(names: Sequence[str], rows: Sequence[_Cells]) -> dict[str, list[int | None]]:
    return {name: [row[place] for row in rows] for place, name in enumerate(names)}


def read_trace(content: str, name: str) -> tuple[KernelTrace, list[InputWarning]]:
    """Read what `write_trace` wrote; rows that nothing can have are left out, with a note.

    Raises:
        InputError: It is something else, or of a later version.
    """
    document = read_kept(content, name, SCHEMA, SCHEMA_VERSION)
    texts = [text(each) for each in _list(document.get("texts"))]
    reading = _Reading(texts)
    configs = tuple(reading.config(each) for each in records(document.get("configs")))
    ranges = tuple(
        KernelRange(reading.text(each.get("name")), each.get("is_region") is True)
        for each in records(document.get("ranges"))
    )
    queries = reading.rows(document.get("queries"), _SPAN_COLUMNS, _span)
    trace = KernelTrace(
        file=text(document.get("file")),
        tool_version=text(document.get("tool_version")),
        device=text(document.get("device")),
        configs=configs,
        ranges=ranges,
        runs=reading.rows(
            document.get("runs"),
            _RUN_COLUMNS,
            lambda cells: _run(cells, len(configs), len(ranges), len(queries)),
        ),
        copies=reading.rows(document.get("copies"), _COPY_COLUMNS, _copy),
        waits=reading.rows(document.get("waits"), _SPAN_COLUMNS, _span),
        queries=queries,
        query_kind=_KINDS.get(text(document.get("query_kind"))) if queries else None,
        queries_found=max(_whole(document.get("queries_found")) or 0, len(queries)),
        other_threads=_whole(document.get("other_threads")) or 0,
        other_devices=_whole(document.get("other_devices")) or 0,
        is_cut=document.get("is_cut") is True,
        reports=tuple(each for each in map(text, _list(document.get("reports"))[:20]) if each),
        sums=reading.rows(
            document.get("sums"), _SUM_COLUMNS, lambda cells: _sum(cells, len(configs), len(ranges))
        ),
        rows_left_out=_whole(document.get("rows_left_out")) or 0,
    )
    return trace, _notes(trace, reading.refused, name)


def _notes(trace: KernelTrace, refused: int, name: str) -> list[InputWarning]:
    notes = []
    if refused := refused + trace.rows_left_out:
        message = f"Rows of {trace.file or name} with impossible values were left out: {refused:,}."
        notes.append(InputWarning("degraded", "impossible-values", message, name, ("kernels",)))
    if not trace.queries and trace.runs and not trace.sums:
        message = (
            f"{name} marks no queries of TensorRT: the section Kernels counts everything that the GPU ran."
        )
        hint = "Record with nsys profile --trace=cuda,nvtx, of an engine without a CUDA graph."
        if trace.reports:
            hint = "Give the export, or the reports cuda_kern_exec_trace and nvtx_gpu_proj_trace, too."
        notes.append(InputWarning("degraded", "no-traced-queries", message, name, ("kernels",), hint))
    if any(each.name == WHOLE_GRAPH for each in trace.configs):
        message = f"{name} has CUDA graphs without their kernels: the layers of their time are not known."
        hint = "Record again with nsys profile --cuda-graph-trace=node."
        notes.append(InputWarning("degraded", "graphs-without-kernels", message, name, ("kernels",), hint))
    if trace.other_threads:
        others = counted(trace.other_threads, "other thread")
        message = f"{others} ran queries, too: their kernels count as busy time only."
        notes.append(InputWarning("info", "other-threads", message, name, ("kernels",)))
    if trace.other_devices:
        message = f"Kernels of {counted(trace.other_devices, 'other GPU')} were left out."
        notes.append(InputWarning("info", "other-gpus", message, name, ("kernels",)))
    if trace.is_cut:
        message = f"The trace has more kernels than are read: {len(trace.runs):,} were kept."
        notes.append(InputWarning("degraded", "trace-cut", message, name, ("kernels",)))
    return notes


class _Reading:
    """Reads the columns of one document, and counts the rows that were refused."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.refused = 0

    def text(self, place: Any) -> str:
        index = _whole(place)
        if index is not None and index < len(self._texts):
            return self._texts[index]
        self.refused += place is not None
        return ""

    def config(self, record: Mapping[str, Any]) -> KernelConfig:
        name = self.text(record.get("name")) or "unknown kernel"
        return KernelConfig(
            name=name,
            full_name=self.text(record.get("full_name")) or name,
            grid=_extents(record.get("grid")),
            block=_extents(record.get("block")),
            registers=_whole(record.get("registers")),
            shared_bytes=_whole(record.get("shared_bytes")),
        )

    def rows(self, table: Any, names: Sequence[str], make: Callable[[_Cells], Any]) -> tuple[Any, ...]:
        """Return what `make` makes of each row; None is a row that nothing can have."""
        found = [make(cells) if cells else None for cells in _cells(table, names)]
        known = tuple(each for each in found if each is not None)
        self.refused += len(found) - len(known)
        return known


def _cells(table: Any, names: Sequence[str]) -> Iterator[_Cells]:
    columns = [_list(mapping(table).get(name)) for name in names]
    for row in range(max(map(len, columns))):
        is_whole = all(row < len(column) for column in columns if column)
        yield tuple(_integer(column[row]) if column else None for column in columns) if is_whole else ()


def _span(cells: _Cells) -> Span | None:
    begin, took = cells
    return None if begin is None or took is None or took < 0 else Span(begin, begin + took)


def _copy(cells: _Cells) -> DeviceCopy | None:
    begin, took, kind, size, stream = cells
    if begin is None or took is None or took < 0 or kind is None:
        return None
    return DeviceCopy(begin, begin + took, kind, size if size is None or size >= 0 else None, stream)


def _run(cells: _Cells, configs: int, ranges: int, queries: int) -> KernelRun | None:
    config, begin, took, stream, query, range_, is_node, call, call_took = cells
    if config is None or not 0 <= config < configs or begin is None or took is None or took < 0:
        return None
    # What is not in the lists that a row refers to is of another file.
    if not (range_ is None or 0 <= range_ < ranges) or not 0 <= (query or 0) < (queries or math.inf):
        return None
    if call is None or call_took is None or call_took < 0:
        call = call_took = None
    return KernelRun(
        config=config,
        begin_ns=begin,
        end_ns=begin + took,
        stream=stream,
        query=query if queries else None,
        range=range_,
        origin=("graph-node" if is_node else "call") if range_ is not None else None,
        call_begin_ns=call,
        call_end_ns=call + call_took if call is not None and call_took is not None else None,
    )


def _sum(cells: _Cells, configs: int, ranges: int) -> KernelSum | None:
    config, place, runs, total, shortest, longest, range_, range_runs = cells
    if place is None or not 0 <= place < len(_PLACES) or runs is None or total is None:
        return None
    if runs < 0 or total < 0:
        return None
    if config is not None and not 0 <= config < configs:
        return None
    if (_PLACES[place] == "layer") != (range_ is not None and 0 <= range_ < ranges):
        return None
    return KernelSum(config, _PLACES[place], runs, total, shortest, longest, range_, range_runs)


def _integer(value: Any) -> int | None:
    return value if type(value) is int and abs(value) <= LARGEST_EXTENT else None


def _whole(value: Any) -> int | None:
    found = _integer(value)
    return found if found is not None and found >= 0 else None


def _extents(value: Any) -> tuple[int, ...]:
    found = [_whole(each) for each in _list(value)]
    return tuple(each for each in found if each is not None) if len(found) == 3 and None not in found else ()


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []

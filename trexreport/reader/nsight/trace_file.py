"""The kernels of a trace as JSON (`X.kernels.json`): what a report keeps of an export of Nsight Systems.

An export may have gigabytes. A capture, a report and an archive carry the kernels of some queries instead,
from which the same analysis follows. Runs are in columns, and texts are written once.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from typing import Any, TypeVar

from trexreport.errors import InputError
from trexreport.model import InputWarning
from trexreport.model.kernel_trace import (
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
from trexreport.reader.nsight.kept_json import read_kept
from trexreport.reader.nsight.launch_values import block, extents, registers, shared_bytes, whole
from trexreport.reader.nsight.trace_notes import trace_notes
from trexreport.reader.values import LARGEST_EXTENT, items, mapping, text

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
#: The kind of a memset, and what no cell can be.
_MEMSET, _WRONG = -1, -2
#: By how much the clocks of CPU and GPU may differ: no kernel has ended before it is launched.
_CLOCKS_NS = 100_000
_Cells = tuple[int | None, ...]
_Read = TypeVar("_Read")
_Spanned = TypeVar("_Spanned", KernelRun, Span)


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
        **({"rows_left_out": trace.rows_left_out} if trace.rows_left_out or trace.reports else {}),
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
        InputError: It is something else, of a later version, or has an entry twice.
    """
    document, notes = read_kept(content, name, SCHEMA, SCHEMA_VERSION)
    _refuse_twice(document, name)
    reading = _Reading([text(each) for each in items(document.get("texts"))])
    configs = tuple(reading.config(mapping(each)) for each in items(document.get("configs")))
    ranges = tuple(reading.range(mapping(each)) for each in items(document.get("ranges")))
    refused = reading.refused
    queries = reading.in_order(reading.rows(document.get("queries"), _SPAN_COLUMNS, _span))
    if reading.refused > refused:
        # Runs refer to queries by their position.
        queries = ()
    sizes = len(configs), len(ranges)
    runs = reading.rows(document.get("runs"), _RUN_COLUMNS, lambda cells: reading.run(cells, *sizes, queries))
    trace = KernelTrace(
        file=reading.known(document, "file", text),
        tool_version=reading.known(document, "tool_version", text),
        device=reading.known(document, "device", text),
        configs=configs,
        ranges=ranges,
        runs=reading.in_order(runs),
        copies=reading.rows(document.get("copies"), _COPY_COLUMNS, _copy),
        waits=reading.rows(document.get("waits"), _SPAN_COLUMNS, _span),
        queries=queries,
        query_kind=reading.known(document, "query_kind", lambda kind: _KINDS.get(text(kind)))
        if queries
        else None,
        queries_found=max(reading.known(document, "queries_found", whole) or 0, len(queries)),
        other_threads=reading.known(document, "other_threads", whole) or 0,
        other_devices=reading.known(document, "other_devices", whole) or 0,
        is_cut=document.get("is_cut") is True,
        reports=tuple(each for each in map(text, items(document.get("reports"))[:20]) if each),
        sums=reading.rows(document.get("sums"), _SUM_COLUMNS, lambda cells: _sum(cells, *sizes)),
        rows_left_out=reading.known(document, "rows_left_out", whole) or 0,
    )
    return trace, [*notes, *trace_notes(trace, reading.refused, name)]


def _refuse_twice(document: Mapping[str, Any], name: str) -> None:
    """Raise for a list that has an entry twice: rows refer to entries by their numbers, which moved."""
    for key in ("texts", "configs", "ranges"):
        known = (each for each in items(document.get(key)) if each and isinstance(each, (str, dict)))
        listed = [json.dumps(each, sort_keys=True) for each in known]
        if len(set(listed)) < len(listed):
            message = f"{name} has an entry of '{key}' twice, so that its kernels are those of other layers."
            raise InputError(message, "Export the trace again, or correct the program that writes it.")


class _Reading:
    """Reads the parts of one document, and counts the rows and values that were refused."""

    def __init__(self, texts: Sequence[str]) -> None:
        self._texts = texts
        self.refused = 0

    def known(self, record: Mapping[str, Any], key: str, read: Callable[[Any], _Read]) -> _Read:
        """Return what is read of a value, which counts as refused if that is nothing."""
        value = record.get(key)
        found = read(value)
        self.refused += value not in (None, "", []) and found in (None, "", ())
        return found

    def range(self, record: Mapping[str, Any]) -> KernelRange:
        return KernelRange(self.known(record, "name", self._text), record.get("is_region") is True)

    def config(self, record: Mapping[str, Any]) -> KernelConfig:
        name = self.known(record, "name", self._text) or "unknown kernel"
        return KernelConfig(
            name=name,
            full_name=self.known(record, "full_name", self._text) or name,
            grid=self.known(record, "grid", extents),
            block=self.known(record, "block", block),
            registers=self.known(record, "registers", registers),
            shared_bytes=self.known(record, "shared_bytes", shared_bytes),
        )

    def _text(self, place: Any) -> str:
        index = whole(place)
        return self._texts[index] if index is not None and index < len(self._texts) else ""

    def run(self, cells: _Cells, configs: int, ranges: int, queries: Sequence[Span]) -> KernelRun | None:
        config, begin, took, stream, query, range_, is_node, call, call_took = cells
        if config is None or config >= configs or begin is None or took is None:
            return None
        # What is not in the lists that a row refers to is of another file.
        if (range_ is not None and range_ >= ranges) or (queries and (query or 0) >= len(queries)):
            return None
        span = queries[query] if queries and query is not None else None
        if call is None or call_took is None:
            call = call_took = None
        elif call > begin + took + _CLOCKS_NS or (span and not span.begin_ns <= call <= span.end_ns):
            self.refused += 1
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

    def rows(
        self, table: Any, names: Sequence[str], make: Callable[[_Cells], _Read | None]
    ) -> tuple[_Read, ...]:
        """Return what `make` makes of each row; None is a row that nothing can have."""
        found = [make(cells) if cells else None for cells in _cells(table, names)]
        known = tuple(each for each in found if each is not None)
        self.refused += len(found) - len(known)
        return known

    def in_order(self, found: tuple[_Spanned, ...]) -> tuple[_Spanned, ...]:
        """Return rows without those that begin before the one above, or that stand there twice."""
        wrong: set[int] = set()
        for at, (above, row) in enumerate(pairwise(found)):
            if row.begin_ns < above.begin_ns:
                # Either of the two may be the wrong one.
                wrong |= {at, at + 1}
            elif row == above and getattr(row, "origin", None) != "graph-node":
                wrong.add(at + 1)
        self.refused += len(wrong)
        return tuple(each for at, each in enumerate(found) if at not in wrong) if wrong else found


def _cells(table: Any, names: Sequence[str]) -> Iterator[_Cells]:
    """Yield the values of each row; none of a row that has something else than whole numbers and null."""
    columns = [items(mapping(table).get(name)) for name in names]
    lows = [_MEMSET if name == "kind" else 0 for name in names]
    for row in range(max(map(len, columns))):
        cells = [(column[row] if row < len(column) else _WRONG) if column else None for column in columns]
        is_possible = all(
            cell is None or (type(cell) is int and low <= cell <= LARGEST_EXTENT)
            for cell, low in zip(cells, lows, strict=True)
        )
        yield tuple(cells) if is_possible else ()


def _span(cells: _Cells) -> Span | None:
    begin, took = cells
    return None if begin is None or took is None else Span(begin, begin + took)


def _copy(cells: _Cells) -> DeviceCopy | None:
    begin, took, kind, size, stream = cells
    if begin is None or took is None or kind is None:
        return None
    return DeviceCopy(begin, begin + took, kind, size, stream)


def _sum(cells: _Cells, configs: int, ranges: int) -> KernelSum | None:
    config, place, runs, total, shortest, longest, range_, range_runs = cells
    if place is None or place >= len(_PLACES) or runs is None or total is None:
        return None
    if config is not None and config >= configs:
        return None
    if shortest is not None and longest is not None and shortest > longest:
        return None
    if (_PLACES[place] == "layer") != (range_ is not None and range_ < ranges):
        return None
    return KernelSum(config, _PLACES[place], runs, total, shortest, longest, range_, range_runs)

"""Which calls of a trace are queries of an engine.

TensorRT puts a range "ExecutionContext::enqueue" (or "execute") of its domain around each query. A CUDA graph
that is launched in place of it leaves one launch of the graph for each query, and the range only where the
graph was captured.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.model.kernel_trace import QueryKind
from trexreport.reader.nsight.database import Database
from trexreport.reader.nsight.nvtx import NvtxRange
from trexreport.regex import regex

RUNTIME = "CUPTI_ACTIVITY_KIND_RUNTIME"
QUERY_RANGE = regex(r"(?:TensorRT:)?ExecutionContext::(?:enqueue|execute)")
GRAPH_LAUNCH = regex(r"cu(?:da)?GraphLaunch(?:_|\Z)")
_MOST_LAUNCHES = 1_000_000


@dataclass(frozen=True)
class Queries:
    """The queries of one thread, which don't overlap, in their order.

    Attributes:
        spans: From when to when each took on the CPU, in ns.
        other_threads: How many other threads have queries of the same kind.
    """

    kind: QueryKind
    thread: int
    spans: Sequence[tuple[int, int]]
    other_threads: int


def is_query_range(found: NvtxRange) -> bool:
    """Return whether TensorRT put a range around a whole query."""
    return bool(QUERY_RANGE.match(found.name))


def find_queries(database: Database, ranges: Iterable[NvtxRange], names: Mapping[int, str]) -> Queries | None:
    """Return the queries of the thread that has most of them; None if none is found.

    Launches of graphs inside the range of a query are a part of it.
    """
    return queries_of(ranges, _graph_launches(database, names))


def queries_of(
    ranges: Iterable[NvtxRange], launches: Iterable[tuple[int, tuple[int, int]]]
) -> Queries | None:
    """Return the queries of the thread that has most of them; None if none is found.

    Args:
        ranges: By their beginning.
        launches: Of CUDA graphs: thread, and from when to when the call took.
    """
    marked: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for each in ranges:
        if is_query_range(each) and (not marked[each.thread] or marked[each.thread][-1][1] <= each.begin_ns):
            marked[each.thread].append((each.begin_ns, each.end_ns))
    launched: dict[int, list[tuple[int, int]]] = defaultdict(list)
    for thread, span in launches:
        if not _is_inside(span, marked.get(thread, ())):
            launched[thread].append(span)
    kinds: tuple[tuple[QueryKind, dict[int, list[tuple[int, int]]]], ...] = (
        ("enqueue", marked),
        ("graph", launched),
    )
    found = [
        Queries(kind, thread, spans, sum(map(bool, threads.values())) - 1)
        for kind, threads in kinds
        for thread, spans in sorted(threads.items())
        if spans
    ]
    return max(found, key=lambda each: len(each.spans), default=None)


def _graph_launches(database: Database, names: Mapping[int, str]) -> Iterable[tuple[int, tuple[int, int]]]:
    for name_id in [key for key, name in names.items() if GRAPH_LAUNCH.match(name)]:
        rows = database.rows(
            RUNTIME, ("start", "end", "globalTid"), equal=("nameId", name_id), most=_MOST_LAUNCHES
        )
        for begin, end, thread in rows:
            if isinstance(begin, int) and isinstance(end, int) and isinstance(thread, int) and begin <= end:
                yield thread, (begin, end)


def _is_inside(span: tuple[int, int], others: Sequence[tuple[int, int]]) -> bool:
    place = bisect_right(others, (span[0], span[1])) - 1
    return place >= 0 and others[place][0] <= span[0] and span[1] <= others[place][1]

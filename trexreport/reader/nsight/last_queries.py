"""Which queries of a trace are read: the last ones, as many as have a bounded number of kernels."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from trexreport.model.kernel_trace import KernelTrace
from trexreport.reader.nsight.queries import Queries
from trexreport.reader.nsight.recorded import RecordedKernel

#: The last queries are the steady ones; 20 show what varies between them.
MOST_QUERIES = 20
#: 20 queries of 10,000 kernels.
MOST_RUNS = 200_000


@dataclass
class LastQueries:
    """What is read of a trace.

    Attributes:
        spans: Begin and end of each query in ns; none where the trace marks no queries.
        kernels: Of one GPU, from the first query on until the last one ended.
        facts: What is known of the queries, for `as_trace`.
    """

    spans: Sequence[tuple[int, int]]
    kernels: list[RecordedKernel]
    facts: KernelTrace


def read_last_queries(
    queries: Queries | None, kernels_of: Callable[[Sequence[tuple[int, int]]], list[RecordedKernel]]
) -> LastQueries:
    """Return the last queries and their kernels.

    Args:
        queries: Those of the trace.
        kernels_of: Returns the kernels of queries, all kernels where none is given. The last call is the one
            that counts.
    """
    count = MOST_QUERIES
    while True:
        spans = queries.spans[-count:] if queries else ()
        kernels = kernels_of(spans)
        is_cut = len(kernels) > MOST_RUNS
        if not is_cut or len(spans) < 2:
            break
        count = min(count, len(spans)) // 2
    facts = KernelTrace(
        query_kind=queries.kind if queries else None,
        queries_found=len(queries.spans) if queries else 0,
        other_threads=queries.other_threads if queries else 0,
        other_devices=max(len({each.device for each in kernels}) - 1, 0),
        is_cut=is_cut,
    )
    return LastQueries(spans, _of_one_device(kernels[:MOST_RUNS]), facts)


def _of_one_device(kernels: list[RecordedKernel]) -> list[RecordedKernel]:
    """Return the kernels of the GPU that runs the queries; without queries, of the one that runs most."""
    ran = [each for each in kernels if each.call and each.call.query is not None] or kernels
    counts = Counter(each.device for each in ran)
    device = max(counts, key=lambda each: (counts[each], -(each or 0)), default=None)
    return [each for each in kernels if each.device == device]

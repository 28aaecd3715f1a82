"""Which range of a layer a kernel belongs to: that of its launch, or that of its capture in a CUDA graph."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence

from trexreport.model.kernel_trace import KernelRange
from trexreport.reader.nsight.database import MOST_ROWS, Database
from trexreport.reader.nsight.nvtx import NvtxRange, enclosing
from trexreport.reader.nsight.queries import is_query_range
from trexreport.reader.nsight.recorded import RecordedCall, RecordedKernel

_GRAPH_NODES = "CUDA_GRAPH_NODE_EVENTS"
#: Node to when it was captured, and clone to the node that it was cloned from.
GraphNodes = tuple[Mapping[int, RecordedCall], Mapping[int, int]]


def find_ranges(
    kernels: Iterable[RecordedKernel],
    calls: Iterable[RecordedCall],
    ranges: Sequence[NvtxRange],
    nodes: GraphNodes,
) -> None:
    """Give each kernel the range of its layer.

    Args:
        kernels: Those that ran.
        calls: Those that launched them.
        ranges: By their beginning.
        nodes: Of CUDA graphs, as `read_graph_nodes` returns them.
    """
    by_thread: dict[int, list[NvtxRange]] = defaultdict(list)
    for each in ranges:
        by_thread[each.thread].append(each)
    is_named = any(each.domain == "TensorRT" for each in ranges)
    moments: dict[int, list[RecordedCall]] = defaultdict(list)
    for call in calls:
        moments[call.thread].append(call)
    created, originals = nodes
    for call in created.values():
        moments[call.thread].append(call)
    for thread, at_thread in moments.items():
        times = [(call.begin_ns, call.end_ns) for call in at_thread]
        for place, found in enclosing(by_thread[thread], times):
            at_thread[place].range = layer_range(found, is_named=is_named)
    for kernel in kernels:
        node = created.get(_original(kernel.node, originals)) if kernel.node else None
        if node and node.range:
            kernel.range, kernel.origin = node.range, "graph-node"
        elif kernel.call and kernel.call.range:
            kernel.range, kernel.origin = kernel.call.range, "call"


def read_graph_nodes(database: Database) -> GraphNodes:
    """Return node to when it was captured, and clone to the node that it was cloned from."""
    created: dict[int, RecordedCall] = {}
    originals: dict[int, int] = {}
    numbers = ("start", "end", "globalTid", "graphNodeId", "originalGraphNodeId")
    for begin, end, thread, node, original in database.rows(_GRAPH_NODES, numbers, most=MOST_ROWS):
        if not isinstance(node, int):
            continue
        if isinstance(original, int) and original not in (0, node):
            originals.setdefault(node, original)
        elif isinstance(begin, int) and isinstance(thread, int):
            created.setdefault(node, RecordedCall(begin, end if isinstance(end, int) else begin, thread))
    return created, originals


def _original(node: int, originals: Mapping[int, int]) -> int:
    """Return the node that was captured: a graph is cloned when it is instantiated, and perhaps again."""
    for _ in range(10):
        if node not in originals:
            break
        node = originals[node]
    return node


def layer_range(found: Iterable[NvtxRange], *, is_named: bool) -> KernelRange | None:
    """Return the innermost range of a layer, of ranges from the inside to the outside."""
    is_region = False
    for each in found:
        if is_query_range(each):
            return None
        if each.domain.startswith("myelin") or each.name.startswith(("myelin-exec", "myelinGraph")):
            is_region = True
        elif each.name and (each.domain == "TensorRT" or not is_named):
            return KernelRange(each.name, is_region)
    return None

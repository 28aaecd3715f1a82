"""What Nsight Systems recorded of the kernels of an engine, below the layers."""

from __future__ import annotations

from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: How the NVTX range of a kernel was found: by the API call that launched it, or by the call that created its
#: node while a CUDA graph was captured.
RangeOrigin = Literal["call", "graph-node"]
#: What a query is in a trace: an NVTX range of TensorRT around it, or the launch of a CUDA graph.
QueryKind = Literal["enqueue", "graph"]

#: What runs of a kernel are summed up over: the queries of an engine, the range that may be a layer, a region
#: of Myelin, what is outside of all ranges, or everything.
SumPlace = Literal["query", "layer", "region", "outside", "all"]

#: The name of a CUDA graph that was recorded as one event, without its kernels.
WHOLE_GRAPH = "CUDA graph, recorded as a whole"


@bulk_facts
class KernelConfig:
    """A kernel and how it was launched; None where the trace does not say.

    Attributes:
        name: Its base name.
        full_name: With template arguments; the base name where the trace has no other.
        grid, block: Thread blocks of the grid, threads of a block, in x, y and z; empty if not known.
        registers: Per thread.
        shared_bytes: Static and dynamic shared memory of a block.
    """

    name: str
    full_name: str
    grid: tuple[int, ...] = ()
    block: tuple[int, ...] = ()
    registers: int | None = None
    shared_bytes: int | None = None


@bulk_facts
class KernelRange:
    """An NVTX range of TensorRT, which has the name of a layer.

    Attributes:
        is_region: Myelin launched the kernel: it marks none of its layers, so that the range is the whole
            region.
    """

    name: str
    is_region: bool = False


@bulk_facts
class KernelRun:
    """One run of a kernel; times in ns since the beginning of the trace that was kept.

    Attributes:
        config: Index of its `KernelConfig`.
        range: Index of the innermost `KernelRange`; None if no range of a layer is known.
        origin: How the range was found.
        query: Index of its query; None for work outside of those that were kept.
        call_begin_ns, call_end_ns: The API call that launched it.
    """

    config: int
    begin_ns: int
    end_ns: int
    stream: int | None = None
    query: int | None = None
    range: int | None = None
    origin: RangeOrigin | None = None
    call_begin_ns: int | None = None
    call_end_ns: int | None = None


@bulk_facts
class DeviceCopy:
    """A copy or a memset on the GPU.

    Attributes:
        kind: As CUDA numbers them: 1 host to device, 2 device to host, 8 device to device; -1 for a memset.
    """

    begin_ns: int
    end_ns: int
    kind: int
    size_bytes: int | None = None
    stream: int | None = None


@bulk_facts
class KernelSum:
    """The runs of a kernel in one NVTX range, summed up over all queries, as in reports of Nsight Systems.

    A kernel that runs inside several ranges is in the sums of each of them.

    Attributes:
        config: Index of its `KernelConfig`; None for all work of the range together.
        place: Where the runs are.
        runs: How many.
        total_ns, min_ns, max_ns: Their time together, the shortest and the longest one; None if not known.
        range: Index of the `KernelRange`; None outside of ranges of layers.
        range_runs: How many ranges of this name have such a run; None if that is not known.
    """

    config: int | None
    place: SumPlace
    runs: int
    total_ns: int
    min_ns: int | None = None
    max_ns: int | None = None
    range: int | None = None
    range_runs: int | None = None


@bulk_facts
class Span:
    """From when to when something took, in ns."""

    begin_ns: int
    end_ns: int


@dataclass(frozen=True)
class KernelTrace:
    """The kernels of one GPU over some queries.

    Attributes:
        file: Name of the export that it was read from.
        tool_version: Of Nsight Systems.
        device: Name of the GPU.
        queries: Those that were kept, on the CPU: from the call to its return; empty if none was found.
        query_kind: What marks a query; None if none was found.
        queries_found: How many the export has.
        waits: Calls in which the thread of the queries waited for the GPU.
        other_threads: Further threads that ran queries, whose kernels belong to no query here.
        other_devices: Further GPUs that ran kernels meanwhile, which are left out.
        is_cut: The export has more kernels than were kept.
        reports: The reports that it was read from, as NVIDIA names them; empty for an export of all.
        sums: Kernels without their single runs; then `runs` may be empty.
        rows_left_out: Rows and values of the export or the reports that are impossible.
    """

    file: str = ""
    tool_version: str = ""
    device: str = ""
    configs: tuple[KernelConfig, ...] = ()
    ranges: tuple[KernelRange, ...] = ()
    runs: tuple[KernelRun, ...] = field(default=(), repr=False)
    copies: tuple[DeviceCopy, ...] = field(default=(), repr=False)
    waits: tuple[Span, ...] = field(default=(), repr=False)
    queries: tuple[Span, ...] = ()
    query_kind: QueryKind | None = None
    queries_found: int = 0
    other_threads: int = 0
    other_devices: int = 0
    is_cut: bool = False
    reports: tuple[str, ...] = ()
    sums: tuple[KernelSum, ...] = field(default=(), repr=False)
    rows_left_out: int = 0

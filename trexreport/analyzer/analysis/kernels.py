"""What a trace of Nsight Systems shows below the layers: kernels, gaps between them, idle time of the GPU."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.model.kernel_trace import QueryKind

#: How the layer of a kernel is known: by its NVTX range, by that of its node in a CUDA graph, by the order
#: and the name of the kernel.
KernelMatch = Literal["range", "graph-node", "order"]
#: What the GPU waits for while no kernel runs: a copy, the CPU that waits for the GPU, the CPU that does
#: something else or launches the kernel, the start of a kernel that was launched; or it is not known.
IdleCause = Literal["copy", "synchronization", "host", "launch", "unknown"]


@bulk_facts
class KernelFacts:
    """A kernel as one layer runs it in each query.

    Attributes:
        layer: Index of the layer; None if it is not known.
        range: The NVTX range of no layer: a region of Myelin, or a mark of another library; or empty.
        match: How the layer is known; None if it is not.
        stream: None if it is not known, or not always the same.
        launches: Runs of a query, on average; of the whole trace where it marks no queries.
        time_ms: Of these runs together.
        min_ms, max_ms: Of the single runs; None where only sums are known.
        name: Empty for all work of the range together, where a report names no kernels.
        registers: Per thread.
        shared_bytes: Of a thread block.
    """

    layer: int | None
    range: str
    match: KernelMatch | None
    name: str
    full_name: str
    grid: Sequence[int]
    block: Sequence[int]
    registers: int | None
    shared_bytes: int | None
    stream: int | None
    launches: float
    time_ms: float
    min_ms: float | None
    max_ms: float | None


@bulk_facts
class LayerKernels:
    """The kernels of one layer in a query: how many, and their time together."""

    launches: float
    time_ms: float


@dataclass(frozen=True)
class IdleTime:
    """Time in which no kernel ran, for one cause.

    Attributes:
        time_ms: Per query.
        percent: Of the traced time.
        between_percent: The part of `percent` that lies between queries.
        gaps: How many gaps of the traced time it has a part in.
    """

    cause: IdleCause
    time_ms: float
    percent: float
    between_percent: float
    gaps: int


@dataclass(frozen=True)
class KernelGap:
    """A time in which no kernel ran.

    Attributes:
        begin_ms: Since the first kernel of the traced time.
        cause: What takes the largest part of it.
        is_between_queries: It lies between two queries.
        before, after: Names of the kernels around it.
        layer_before, layer_after: Indices of their layers; None if they are not known.
    """

    begin_ms: float
    time_ms: float
    cause: IdleCause
    is_between_queries: bool
    before: str
    after: str
    layer_before: int | None
    layer_after: int | None


@dataclass(frozen=True)
class KernelStream:
    """A CUDA stream; times are of the whole traced time.

    Attributes:
        busy_ms: Time in which one of its kernels ran.
        waits_ms: Time in which its next kernel was launched and only other streams ran kernels.
    """

    stream: int | None
    kernels: int
    busy_ms: float
    waits_ms: float


#: What a copy on the GPU does.
CopyKind = Literal["host-to-device", "device-to-host", "device-to-device", "memset", "other"]
#: What the CPU does meanwhile: it is in the query's call, or in a call that waits for the GPU.
HostKind = Literal["query", "wait"]


@bulk_facts
class TimelineRun:
    """A run of a kernel on the timeline.

    Attributes:
        kernel: Index in `KernelTraceFacts.kernels`; None for a kernel of no query.
    """

    kernel: int | None
    begin_ms: float
    end_ms: float
    stream: int | None


@bulk_facts
class TimelineCopy:
    """A copy or a memset on the timeline."""

    kind: CopyKind
    begin_ms: float
    end_ms: float
    size_bytes: int | None
    stream: int | None


@bulk_facts
class TimelineGap:
    """A time without a kernel, with what takes the largest part of it."""

    cause: IdleCause
    begin_ms: float
    end_ms: float


@bulk_facts
class TimelineCall:
    """What the CPU did."""

    kind: HostKind
    begin_ms: float
    end_ms: float


@dataclass(frozen=True)
class KernelTimeline:
    """One query as it was traced; times in ms from the end of the query before it.

    Attributes:
        query: Its number among those that were kept, from 1 on: the one whose GPU time is the median.
        total_ms: When its last kernel ends.
        runs: By their beginning; `left_out` more are not listed.
        copies: Copies and memsets.
        gaps: Times without a kernel.
        calls: What the thread of the queries did on the CPU.
    """

    query: int
    total_ms: float
    runs: Sequence[TimelineRun]
    left_out: int
    copies: Sequence[TimelineCopy]
    gaps: Sequence[TimelineGap]
    calls: Sequence[TimelineCall]


@dataclass(frozen=True)
class KernelTraceFacts:
    """The kernels of some queries. Times per query are means; where the trace marks no queries, of all of it.

    Reports of Nsight Systems in place of an export may have sums of kernels without their single runs: gaps
    and idle time are None then.

    Attributes:
        file: The export that it was read from.
        tool: Name and version of the tool.
        reports: Those that were read in place of an export, as NVIDIA names them.
        queries: How many were kept, or summed up; 0 where the trace marks none.
        traced_queries: How many the gaps and the idle time are of; 0 where the trace marks none.
        queries_found: How many the export has.
        other_queries: How many of those that were kept run layers of another engine or profile: the figures
            of queries are without them, and the GPU is busy with their kernels.
        query_kind: What marks a query.
        launches: Kernels of a query.
        kernel_ms: Time of the kernels of a query, added up.
        kernels: By layer, then by their order; those without a layer at the end.
        layers: Of each layer of the engine; None for one without a kernel.
        matched_percent, region_percent: Time of the kernels whose layer is known, and of those that Myelin
            runs in a region whose layers it does not mark, as parts of `kernel_ms`.
        traced_ms: From the first kernel to the end of the last one.
        busy_ms, idle_ms, idle_percent: Time of it with and without a running kernel.
        idle: By cause, the largest first.
        between_percent: Part of `traced_ms` in which the GPU was idle between queries.
        concurrent_percent: Part of the busy time in which several kernels ran.
        gaps: The longest ones.
        gap_count: How many there are.
        streams: By number.
        enqueue_ms: Time of a query on the CPU: from the call to its return, or until it waits for the GPU at
            its end; None without queries.
        gpu_ms: From the first kernel of a query to the end of its last one; None without queries.
        timeline: One query; None where the trace marks none.
    """

    file: str
    tool: str
    device: str
    queries: int
    queries_found: int
    query_kind: QueryKind | None
    launches: float
    kernel_ms: float
    kernels: Sequence[KernelFacts]
    layers: Sequence[LayerKernels | None]
    matched_percent: float | None
    region_percent: float | None
    traced_ms: float | None
    busy_ms: float | None
    idle_ms: float | None
    idle_percent: float | None
    idle: Sequence[IdleTime]
    between_percent: float | None
    concurrent_percent: float | None
    gaps: Sequence[KernelGap]
    gap_count: int
    streams: Sequence[KernelStream]
    enqueue_ms: float | None = None
    gpu_ms: float | None = None
    reports: Sequence[str] = ()
    traced_queries: int = 0
    timeline: KernelTimeline | None = None
    other_queries: int = 0

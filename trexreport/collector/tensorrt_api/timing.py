"""Time whole queries with CUDA events, two of them under way at once, as trtexec does.

Source of the method: inferenceLoop in trtexec's sampleInference.cpp.

Queries are launched as a CUDA graph where that is wanted and possible.
"""

from __future__ import annotations

import gc
import time
from collections import deque
from typing import Any

from trexreport.collector.tensorrt_api.bindings import RunFailedError, major_version
from trexreport.collector.tensorrt_api.cuda import Cuda
from trexreport.collector.tensorrt_api.execution import Execution
from trexreport.lazy_dataclass import dataclass

#: With a second query behind the one that runs the GPU never waits for the host.
_UNDER_WAY = 2
#: Flag of events that the host waits for asleep. Source: driver_types.h.
_BLOCKING = 1


@dataclass(frozen=True)
class Query:
    """One timed query; in milliseconds since the loop began, by the host's clock and by the GPU's."""

    start_enqueue_ms: float
    end_enqueue_ms: float
    start_h2d_ms: float
    start_compute_ms: float
    end_compute_ms: float
    end_d2h_ms: float
    h2d_ms: float
    compute_ms: float
    d2h_ms: float

    @property
    def latency_ms(self) -> float:
        """From the first byte of input to the last byte of output."""
        return self.h2d_ms + self.compute_ms + self.d2h_ms

    @property
    def enqueue_ms(self) -> float:
        """Time that the host takes to enqueue the query."""
        return self.end_enqueue_ms - self.start_enqueue_ms


@dataclass(frozen=True)
class Timing:
    """The queries that were timed.

    Attributes:
        warm_up: Queries before them.
        walltime_s: Of the host, from the first one to the end of the last one.
    """

    queries: tuple[Query, ...]
    warm_up: int
    walltime_s: float


class _Slot:
    """The events of one query under way."""

    def __init__(self, cuda: Cuda, event_flags: int) -> None:
        self.events = [cuda("cudaEventCreateWithFlags", event_flags) for _ in range(4)]
        self.enqueued_ms = (0.0, 0.0)
        self.counts = False


class _Loop:
    """Keeps queries under way and reads their events when they are done."""

    def __init__(self, execution: Execution) -> None:
        self._cuda = execution.cuda
        self._execution = execution
        major = major_version(execution.trt)
        self._transfers = execution.request.transfers(major)
        self._launcher = Launcher(execution)
        self._event_flags = 0 if execution.request.spins(major) else _BLOCKING
        self._origin = self._cuda("cudaEventCreateWithFlags", self._event_flags)
        self._begin = 0.0
        self.queries: list[Query] = []
        self.warm_up = 0

    def run(self) -> Timing:
        """Time queries until there are as many and as long as the request says."""
        cuda, stream, request = self._cuda, self._execution.stream, self._execution.request
        free = deque(_Slot(cuda, self._event_flags) for _ in range(_UNDER_WAY))
        busy: deque[_Slot] = deque()
        cuda("cudaEventRecord", self._origin, stream)
        cuda("cudaEventSynchronize", self._origin)
        self._begin = time.perf_counter()
        first_ms: float | None = None
        while True:
            now_ms = self._now_ms()
            enough = len(self.queries) + sum(slot.counts for slot in busy) >= request.iterations
            if first_ms is not None and enough and now_ms >= first_ms + request.duration_s * 1000:
                break
            if first_ms is None and now_ms >= request.warm_up_ms:
                first_ms = now_ms
            if not free:
                slot = busy.popleft()
                self._take(slot)
                free.append(slot)
            slot = free.popleft()
            self._enqueue(slot, counts=first_ms is not None)
            busy.append(slot)
        for slot in busy:
            self._take(slot)
        return Timing(tuple(self.queries), self.warm_up, (self._now_ms() - first_ms) / 1000)

    def _enqueue(self, slot: _Slot, *, counts: bool) -> None:
        """Enqueue transfers in, the computation and transfers out, an event between each."""
        cuda, stream = self._cuda, self._execution.stream
        start_h2d, start_compute, end_compute, end_d2h = slot.events
        if self._transfers:
            cuda("cudaEventRecord", start_h2d, stream)
            self._copy(is_input=True)
        cuda("cudaEventRecord", start_compute, stream)
        enqueue_ms = self._now_ms()
        self._launcher.launch()
        enqueued_ms = self._now_ms()
        cuda("cudaEventRecord", end_compute, stream)
        if self._transfers:
            self._copy(is_input=False)
            cuda("cudaEventRecord", end_d2h, stream)
        slot.enqueued_ms = (enqueue_ms, enqueued_ms)
        slot.counts = counts

    def _copy(self, *, is_input: bool) -> None:
        cuda, kinds = self._cuda, self._cuda.runtime.cudaMemcpyKind
        for each in self._execution.buffers:
            if each.is_input != is_input or not each.size_bytes:
                continue
            way = (each.device, each.host, each.size_bytes, kinds.cudaMemcpyHostToDevice)
            back = (each.host, each.device, each.size_bytes, kinds.cudaMemcpyDeviceToHost)
            cuda("cudaMemcpyAsync", *(way if is_input else back), self._execution.stream)

    def _take(self, slot: _Slot) -> None:
        """Wait for a query and keep its times if it counts."""
        cuda = self._cuda
        start_h2d, start_compute, end_compute, end_d2h = slot.events
        if not self._transfers:
            start_h2d, end_d2h = start_compute, end_compute
        cuda("cudaEventSynchronize", end_d2h)
        if not slot.counts:
            self.warm_up += 1
            return
        self.queries.append(
            Query(
                *slot.enqueued_ms,
                start_h2d_ms=self._elapsed(self._origin, start_h2d),
                start_compute_ms=self._elapsed(self._origin, start_compute),
                end_compute_ms=self._elapsed(self._origin, end_compute),
                end_d2h_ms=self._elapsed(self._origin, end_d2h),
                h2d_ms=self._elapsed(start_h2d, start_compute) if self._transfers else 0.0,
                compute_ms=self._elapsed(start_compute, end_compute),
                d2h_ms=self._elapsed(end_compute, end_d2h) if self._transfers else 0.0,
            )
        )

    def _elapsed(self, begin: Any, end: Any) -> float:
        return float(self._cuda("cudaEventElapsedTime", begin, end))

    def _now_ms(self) -> float:
        return (time.perf_counter() - self._begin) * 1000


def time_queries(execution: Execution) -> Timing:
    """Time queries without a profiler; warm-up is left out."""
    loop = _Loop(execution)
    gc.disable()  # a pause of some milliseconds would be taken for the time to enqueue
    try:
        return loop.run()
    finally:
        gc.enable()


class Launcher:
    """Enqueues one query at a time on the stream of an execution."""

    def __init__(self, execution: Execution) -> None:
        self._execution = execution
        self._graph: Any = None
        # The first query allocates; nothing of that may fall into a graph.
        execution.run()
        execution.wait()
        if execution.request.uses_graph(major_version(execution.trt)):
            self._capture()

    def launch(self) -> None:
        """Enqueue a query."""
        if self._graph is None:
            self._execution.run()
        else:
            self._execution.cuda("cudaGraphLaunch", self._graph, self._execution.stream)

    def _capture(self) -> None:
        """Record a query; models with loops or sizes that data decide can't be recorded."""
        cuda, stream, console = self._execution.cuda, self._execution.stream, self._execution.console
        mode = cuda.runtime.cudaStreamCaptureMode.cudaStreamCaptureModeThreadLocal
        console.info("Capturing CUDA graph for the current execution context")
        cuda("cudaStreamBeginCapture", stream, mode)
        try:
            try:
                self._execution.run()
            finally:
                graph = cuda("cudaStreamEndCapture", stream)
            self._graph = cuda("cudaGraphInstantiate", graph, 0)
        except RunFailedError as error:
            # An error of the capture stays until it is asked for.
            cuda.runtime.cudaGetLastError()
            console.warning(f"CUDA graph capture failed, so queries are launched without one: {error}")
            self._execution.wait()
        else:
            console.info("Successfully captured CUDA graph for the current execution context")

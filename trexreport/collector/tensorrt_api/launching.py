"""Launch queries, as a CUDA graph where that is wanted and possible."""

from __future__ import annotations

from typing import Any

from trexreport.collector.tensorrt_api.bindings import RunFailedError, major_version
from trexreport.collector.tensorrt_api.execution import Execution


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

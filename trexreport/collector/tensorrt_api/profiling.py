"""Measure each layer in each iteration, and ask the engine's inspector about the layers."""

from __future__ import annotations

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from trexreport.collector.tensorrt_api.bindings import checked
from trexreport.collector.tensorrt_api.execution import Execution
from trexreport.collector.tensorrt_api.timing import Launcher

#: A layer's name, and how many layers of that name came before it in the same iteration.
LayerKey = tuple[str, int]


@dataclass
class LayerTimes:
    """Milliseconds of each layer, an entry for each iteration, in the order of the first report.

    Attributes:
        iterations: Those that were kept.
    """

    samples_ms: dict[LayerKey, list[float]] = field(default_factory=dict)
    iterations: int = 0

    def add(self, reported: list[tuple[str, float]]) -> None:
        """Keep what the profiler reported of one iteration."""
        seen: Counter[str] = Counter()
        for name, time_ms in reported:
            self.samples_ms.setdefault((name, seen[name]), []).append(time_ms)
            seen[name] += 1
        self.iterations += 1


def inspect(execution: Execution) -> str:
    """Return what the inspector says of all layers, as JSON; the context makes shapes concrete."""
    inspector = execution.engine.create_engine_inspector()
    inspector.execution_context = execution.context
    return str(inspector.get_engine_information(execution.trt.LayerInformationFormat.JSON))


def profile_layers(trt: Any, execution: Execution) -> LayerTimes:
    """Run queries with a profiler for as long as the request says, warm-up left out."""
    request = execution.request
    reported: list[tuple[str, float]] = []

    class Profiler(trt.IProfiler):  # type: ignore[misc]
        def __init__(self) -> None:
            trt.IProfiler.__init__(self)

        def report_layer_time(self, layer_name: str, ms: float) -> None:
            """Take the time of one layer."""
            reported.append((layer_name, ms))

    profiler = Profiler()
    execution.kept.append(profiler)
    execution.context.profiler = profiler
    # Reported on request, once an iteration, which CUDA graphs need.
    execution.context.enqueue_emits_profile = False
    launcher = Launcher(execution)
    times = LayerTimes()
    begin = time.monotonic()
    measured_from = begin + request.warm_up_ms / 1000
    while True:
        now = time.monotonic()
        if times.iterations >= request.iterations and now >= measured_from + request.duration_s:
            break
        reported.clear()
        launcher.launch()
        execution.wait()
        checked(execution.context.report_to_profiler(), "The profiler has nothing to report.")
        if now >= measured_from:
            times.add(reported)
    return times

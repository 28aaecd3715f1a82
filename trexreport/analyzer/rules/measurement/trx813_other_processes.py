"""TRX813 measurement.other-processes."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import counted
from trexreport.wording.gpu_watch import gpu_process


@measurement_rule("warning", needs=("gpu-samples",))
def other_processes(context: Context) -> Iterator[Hit]:
    """Other processes had memory on the GPU during the measurement.

    Cost:
        Their kernels take turns with the engine: queries become slower, and some far slower than others. Even
        while they are idle, their memory is not available to the engine and to the search for fast kernels.

    Recommendation:
        Stop them, or measure on a dedicated GPU (CUDA_VISIBLE_DEVICES selects one).

    False alarm:
        A desktop, a display server or a monitoring agent uses some memory and computes almost nothing.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    watch = context.analysis.gpu_watch
    if watch is None or not watch.other_processes:
        return
    had = counted(len(watch.other_processes), "other process had", "other processes had")
    named = {f"Process {number}": gpu_process(each) for number, each in enumerate(watch.other_processes, 1)}
    yield Hit(f"{had} memory on the GPU.", (), None, named)

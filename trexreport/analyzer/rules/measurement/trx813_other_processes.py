"""TRX813 measurement.other-processes."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.other_memory import MIN_MIB, memory_at_start
from trexreport.numbers import counted
from trexreport.wording.gpu_watch import gpu_process


@built_in_rule(
    "warning",
    needs=("gpu-memory-use",),
    thresholds=(
        Threshold(
            "min_mib", MIN_MIB, 0, 1e6, "Minimum memory in use when trtexec began, in MiB, without a monitor."
        ),
    ),
)
def other_processes(context: Context, *, min_mib: float) -> Hits:
    """Other processes had memory on the GPU during the measurement.

    Cost:
        Their kernels take turns with the engine: queries become slower, and some far slower than others. Even
        while they are idle, their memory is not available to the engine and to the search for fast kernels.

    Recommendation:
        Stop them, or measure on a dedicated GPU (CUDA_VISIBLE_DEVICES selects one).

    False alarm:
        A desktop, a display server or a monitoring agent uses some memory and computes almost nothing.
        Where nothing monitored the GPU, trtexec's log states the memory in use when it began, which is up to
        1.6 GiB without other processes: then it is information. Not for a GPU that shares the memory of the
        CPU.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    watch = context.analysis.gpu_watch
    if watch is None:
        yield from _at_the_start(context, min_mib)
        return
    if not watch.other_processes:
        return
    had = counted(len(watch.other_processes), "other process had", "other processes had")
    named = {f"Process {number}": gpu_process(each) for number, each in enumerate(watch.other_processes, 1)}
    yield Hit(f"{had} memory on the GPU.", (), None, named)


def _at_the_start(context: Context, min_mib: float) -> Hits:
    if used := memory_at_start(context, min_mib):
        yield Hit(
            f"{used} of the GPU's memory were in use when trtexec began, so other processes may have used "
            "the GPU.",
            severity="info",
        )

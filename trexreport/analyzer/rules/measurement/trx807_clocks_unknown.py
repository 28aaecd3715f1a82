"""TRX807 measurement.clocks-unknown."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.thresholds import is_steady as varies_little


@rule(
    "TRX807",
    "measurement.clocks-unknown",
    "info",
    many="Nothing is known of the clocks in {count} ways.",
    needs=("profile",),
    section="timing",
)
def clocks_unknown(context: Context) -> Iterator[Hit]:
    """No file tells at which clocks the GPU ran.

    Cost:
        A GPU chooses its clocks by load, heat and power, often between half and all of the highest. Times
        that were taken at unknown clocks cannot be compared with others, nor well with the GPU's peak.

    Advice:
        Lock the clocks before measuring (nvidia-smi --lock-gpu-clocks=N,N and --lock-memory-clocks=N,N;
        jetson_clocks on Jetson; -rgc and -rmc reset them) and measure all engines that are to be compared
        at the same clocks. trtexec prints the highest or the application clock, never the one it ran at.

    False alarm:
        The clocks were locked: neither trtexec nor TensorRT writes that down. The finding is left out where
        the times of single queries are steady and do not drift, and where the GPU was watched, as trexreport
        collect does.

    Bound:
        None: it concerns the measurement, not the engine.
    """
    stability = context.analysis.stability
    if stability is not None and stability.can_judge and varies_little(stability.variation_percent):
        return
    watch = context.analysis.gpu_watch
    if watch is not None and watch.timed.sm_clock_mhz is not None:
        return
    device = context.analysis.settings.get("Device", {})
    shown = {key: value for key, value in device.items() if key.endswith("Clock Rate")}
    if stability is not None and stability.can_judge:
        message = "The times vary, and no file tells at which clocks the GPU ran."
    else:
        message = "No file tells at which clocks the GPU ran, nor whether its times were steady."
    yield Hit(message, (), None, shown)

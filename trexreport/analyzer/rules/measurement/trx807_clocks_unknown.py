"""TRX807 measurement.clocks-unknown."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule


@built_in_rule("info", needs=("queries",))
def clocks_unknown(context: Context) -> Hits:
    """The times vary, and the GPU clocks during the measurement are unknown.

    Cost:
        A GPU chooses its clocks by load, temperature and power, often between half and all of the maximum.
        Times at unknown clocks cannot be compared with others, nor well with the GPU's peak.

    Recommendation:
        Lock the clocks before measuring (nvidia-smi --lock-gpu-clocks=N,N and --lock-memory-clocks=N,N;
        jetson_clocks on Jetson; -rgc and -rmc reset them) and measure all engines to be compared at the same
        clocks. trtexec prints the maximum or the application clock, never the actual one.

    False alarm:
        The clocks were locked: neither trtexec nor TensorRT records it. Nothing is reported where the times
        of single queries are stable or not known, and where the GPU was monitored, as trexreport collect
        does.

    Est. savings:
        Not estimated: it concerns the measurement, not the engine.
    """
    stability = context.analysis.stability
    if stability is None or not stability.can_judge or stability.is_steady:
        return
    watch = context.analysis.gpu_watch
    if watch is not None and watch.timed.sm_clock_mhz is not None:
        return
    device = context.analysis.settings.get("Device", {})
    shown = {key: value for key, value in device.items() if key.endswith("Clock Rate")}
    yield Hit("The times vary, and no file states the GPU clocks.", (), None, shown)

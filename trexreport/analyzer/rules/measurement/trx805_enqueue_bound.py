"""TRX805 measurement.enqueue-bound."""

from __future__ import annotations

from trexreport.analyzer.analysis.enqueue import has_data_dependent
from trexreport.analyzer.analysis.timing import Latency, Percentiles
from trexreport.analyzer.rules import Context, Hit, built_in_rule, estimate
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.thresholds import BUSY_PERCENT, SMALL_GAP
from trexreport.model.commands import always_profiles_while_timing, plugin_libraries
from trexreport.numbers import format_count, format_ms, format_percent, join_names

#: What the log states of a CUDA graph, in words.
_GRAPH = {
    True: "although it ran as a CUDA graph",
    False: "without a CUDA graph",
    None: "without a known CUDA graph",
}
_SHOWN = {True: "enabled", False: "disabled", None: "not stated"}
_WAITS = {
    "profiled": ": the queries were timed while layers were profiled, so the host waited for each layer.",
    "data": ": the host waits for sizes that depend on data (TRX705).",
    "open": ", longer than launches commonly take: the host waits for the GPU, or launches thousands.",
    "waits": ", longer than launches commonly take: most likely the host waits for the GPU.",
    "copies": ", which is the time of the input copy and the computation together: the host waits for both.",
    "copies-open": ", which is the time of the input copy and the computation together: the host waits for "
    "both, or launches thousands of kernels as slowly as the GPU runs them.",
}
#: A GPU that is busy for this share of the time waits for nothing, in percent.
_FULLY_BUSY = 99.0
#: From this part of GPU compute time on, the host has little time for other work.
_HIGH_LOAD = 0.6


@built_in_rule("warning", needs=("end-to-end",))
def enqueue_bound(context: Context) -> list[Hit]:
    """The host's enqueue time is close to the GPU compute time.

    Cost:
        [if asks-dla: The host submits each part of the network to the DLA, and has that much less time for
        other work.] [if launch-bound: Where launches take that long, the engine is enqueue-bound: the GPU
        waits between kernels for the host to launch the next one, so that the host limits the throughput.
        This is common where many kernels run for a few microseconds each.] [if host-busy, unless asks-dla:
        The host has little time for other work, and limits the throughput once the GPU computes a query in
        less time, or other work takes the CPU.] [if waits: While the host waits, it prepares no other query,
        and GPU compute time includes what the GPU itself waits for: how long the kernels take is not known
        without a profile.] [if profiled: The profiler makes the host wait for each layer, so the enqueue time
        says nothing of the engine.] [if queue-full: A stream takes about 1,000 launches ahead; a query of
        more kernels holds the host until the GPU has run the others. The GPU always has a next kernel.]

    Recommendation:
        [if asks-dla: An engine with parts on a DLA can't be captured in a CUDA graph. Fewer parts are fewer
        submissions: TRX910 says what divides the network.] [if host-busy, unless asks-dla: Nothing need be
        done as long as the host has nothing else to do.] [if host-busy, unless no-capture: A CUDA graph
        relieves it.] [if queue-full: Nothing need be done: launches do not limit the GPU, and trtexec's
        warning of the enqueue time does not apply, unless the engine has a loop whose steps the host
        launches.] [if profiled: Measure again without a profile, or with --separateProfileRun.] [if copied:
        trtexec copies asynchronously, from pinned memory: what waits is in the engine, such as a plugin that
        synchronizes, a loop, a condition or sizes that depend on data; an application also waits for copies
        from memory that is not pinned.] [if waits, unless no-graph: Look at what the host waits for in Nsight
        Systems.] [if waits, if unlisted, unless graph, unless no-graph: Test a CUDA graph: if times fall,
        launches took them; if it can't be captured or nothing changes, something in the engine waits.] [if
        waits, if unlisted, if jetson: Set the power mode (nvpmodel) and lock the clocks (jetson_clocks), as a
        slow CPU launches slowly.] [if waits, if no-graph: Give what the host waits for a fixed size, as
        TRX705 says.] [if launch-bound, unless no-capture: Run the engine as a CUDA graph, which launches all
        kernels at once: in code capture the call that enqueues, in a stream.] [if launch-bound, unless
        no-capture, if dynamic-inputs: Each shape needs a graph of its own.] [..10, if launch-bound, unless
        no-capture: trtexec does so with --useCudaGraph.] [11.0.., if launch-bound, unless no-capture: trtexec
        does so without --noCudaGraph.] [if launch-bound, unless asks-dla: Larger batches and fewer, larger
        kernels (fusion) help too, as do several streams in flight.] [if launch-bound, if slow-host: A slow
        CPU launches slowly: set a higher power mode (nvpmodel), which may also switch more cores on, and lock
        the clocks (jetson_clocks).] [if launch-bound, if recurrent: Recurrent layers launch kernels at each
        time step, and a loop that the host controls can't be captured in a graph: shorten the sequence (a
        larger stride before it), take a larger batch or a plugin that keeps the loop on the GPU, or replace
        the recurrence by convolutions or attention.]

    False alarm:
        The enqueue time includes waiting where the launch queue is full, and synchronization with the device
        where shapes depend on data: then a graph does not help, and throughput does not rise with one. Where
        enqueuing takes as long as the GPU and longer than launches do (30 us for each layer; 20 ms where the
        layers are not known), this is stated as information, but for recurrent layers, which may launch
        thousands of kernels; without layers, which would show which of both it is, it is a warning below 200
        ms, which is more than the launches of any engine without a loop take. A profile in the measured run
        makes the host wait for each layer: this is information as well. From 70% of GPU compute time on it is
        reported where the GPU is idle between queries for longer than copies take, from 90% on where it is
        never idle, else from 80% on. Where enqueuing takes less than GPU compute time and hardly any of it is
        idle, the host limits nothing: from 60% on this is information, as the host's load, unless the engine
        runs as a CUDA graph. So it is with a DLA.

    Est. savings:
        An estimate: up to the largest of three gaps: GPU compute time minus total layer time, which is that
        between layers; the time of a query by the throughput minus GPU compute time, in which the GPU is idle
        between queries; and the part of GPU compute time in which no kernel runs, by samples of the GPU. They
        show it where they are of the timed run alone, or a core is busy for 80% of it, and kernels run for up
        to 60%. It is no more than the enqueue time, and not estimated where all are below 5% of GPU compute
        time, which includes what the GPU waits for between the kernels of a query.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    state = context.enqueue_state
    if latency.enqueue is None or whole is None:
        return []
    if not state:
        return _near_limit(context, latency.enqueue, whole)
    if state == "full":
        text = f"{_times(latency.enqueue, whole)}, about as long: the launch queue is full, and the "
        return [Hit(f"{text}host waits for the GPU.", severity="info")]
    if state == "bound":
        return _bound(context, latency, latency.enqueue, whole)
    return [_waiting(context, state, _times(latency.enqueue, whole))]


def _waiting(context: Context, state: str, times: str) -> Hit:
    """Return what the host waits for while it enqueues, as far as this is known."""
    reason = state
    if state == "waits":
        reason = "open" if not context.layers else "data" if has_data_dependent(context.layers) else "waits"
    elif state == "copies" and not context.layers:
        reason = "copies-open"
    libraries = () if state == "profiled" else plugin_libraries(context.analysis.commands)
    loaded = f" Plugins of {join_names(libraries)} may synchronize." if libraries else ""
    return Hit(f"{times}{_WAITS[reason]}{loaded}", severity=None if reason == "open" else "info")


def _bound(context: Context, latency: Latency, enqueue: Percentiles, whole: Percentiles) -> list[Hit]:
    """Return that launches limit the engine, or nearly do, and what the gaps between kernels take."""
    graph = context.uses_cuda_graph
    waiting_ms, running = _between_kernels(latency, whole)
    gaps = (_between_layers_ms(latency), _idle_ms(latency), waiting_ms)
    gap_ms = max((each for each in gaps if each), default=None)
    is_bound = bool(running) or enqueue.median_ms >= whole.median_ms
    if latency.gpu_busy_percent and (gap_ms or 0.0) < SMALL_GAP * whole.median_ms:
        if not is_bound:
            if context.layers or context.cached(dla_use).is_asked:
                return _near_limit(context, enqueue, whole)
            text = f"{_times(enqueue, whole)}, which may include waits for launches."
            return [] if graph else [Hit(text, severity="info")]
        # While the host launches a query it may wait between its kernels, which counts as computation.
        gap_ms = None
    default = ", by trtexec's default" if context.is_graph_by_version else ""
    bound = "enqueue-bound" if is_bound else "nearly enqueue-bound"
    return [
        Hit(
            f"The engine is {bound} {_GRAPH[graph]}: enqueue takes {format_ms(enqueue.median_ms)} for "
            f"{format_ms(whole.median_ms)} of GPU compute time (medians){running}.",
            (),
            None if gap_ms is None else estimate(0.0, min(gap_ms, enqueue.median_ms), "measured-gap"),
            {"CUDA graph": _SHOWN[graph] + default} | _clocks(context),
        )
    ]


def _near_limit(context: Context, enqueue: Percentiles, whole: Percentiles) -> list[Hit]:
    """Return that a query keeps the host busy for most of its time, if it does beside a DLA or a busy GPU."""
    share = enqueue.median_ms / whole.median_ms if whole.median_ms else 0.0
    on_dla = context.cached(dla_use).is_asked
    is_busy = (context.analysis.latency.gpu_busy_percent or 0.0) >= BUSY_PERCENT
    profiles = always_profiles_while_timing(context.analysis.commands)
    if share < _HIGH_LOAD or not (on_dla or (is_busy and not context.uses_cuda_graph and not profiles)):
        return []
    text = f"{_times(enqueue, whole)}, {format_percent(share)} of it: "
    if on_dla:
        text += "with a DLA the host is busy, or waits, for most of a query."
    else:
        text += "the host is busy, or waits, for most of a query, but does not limit the throughput."
    return [Hit(text, severity="info")]


def _times(enqueue: Percentiles, whole: Percentiles) -> str:
    return (
        f"Enqueue takes {format_ms(enqueue.median_ms)} for {format_ms(whole.median_ms)} of GPU compute time "
        "(medians)"
    )


def _between_layers_ms(latency: Latency) -> float | None:
    """Return the GPU gap in ms, which no layer takes, or None if total layer time hides it."""
    if latency.gpu_compute is None or latency.layer_sum_ms is None:
        return None
    between = latency.gpu_compute.median_ms - latency.layer_sum_ms
    return between if between > 0 else None


def _between_kernels(latency: Latency, whole: Percentiles) -> tuple[float | None, str]:
    """Return for how long no kernel runs in a query in ms, by samples of the GPU, and words for the rest."""
    percent = latency.kernels_percent
    if percent is None:
        return None, ""
    kernels_ms = whole.median_ms * percent / 100
    share = format_percent(percent / 100)
    text = f", while kernels run for {share} of the time, about {format_ms(kernels_ms)} of it"
    return whole.median_ms - kernels_ms, text


def _clocks(context: Context) -> dict[str, str]:
    """Return the clocks of the GPU and of the host's CPU while queries were timed, as far as known."""
    watch = context.analysis.gpu_watch
    if watch is None or watch.kernels_percent is None:
        return {}
    found = {}
    if watch.timed.sm_clock_mhz is not None:
        found["GPU clock"] = f"{format_count(watch.timed.sm_clock_mhz)} MHz"
    if watch.cpu_clock_mhz is not None and watch.cpu_cores is not None and watch.cpu_cores_on is not None:
        found["CPU"] = (
            f"{format_count(watch.cpu_cores_on)} of {format_count(watch.cpu_cores)} cores on, at most "
            f"{format_count(watch.cpu_clock_mhz)} MHz; the busiest at "
            f"{format_percent((watch.cpu_busiest_core_percent or 0.0) / 100)}"
        )
    return found


def _idle_ms(latency: Latency) -> float | None:
    """Return for how long the GPU is idle between two queries in ms, None if it hardly is."""
    busy = latency.gpu_busy_percent
    if latency.gpu_compute is None or not busy or busy >= _FULLY_BUSY:
        return None
    return latency.gpu_compute.mean_ms * (100 / busy - 1)

"""TRX805 measurement.enqueue-bound."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import estimate
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import format_ms

#: What the log states of a CUDA graph, in words.
_GRAPH = {"Enabled": "although it ran as a CUDA graph", "Disabled": "without a CUDA graph"}
_WAITS = {
    "profiled": ": the queries were timed while layers were profiled, so the host waited for each layer.",
    "waits": ", longer than launches commonly take: most likely the host waits for the GPU.",
}


@measurement_rule("warning", needs=("end-to-end",))
def enqueue_bound(context: Context) -> Iterator[Hit]:
    """The host's enqueue time is close to the GPU compute time.

    Cost:
        Where launches take that long, the engine is enqueue-bound: the GPU waits between kernels for the host
        to launch the next one, so that the host limits the throughput. This is common where many kernels run
        for a few microseconds each.

    Recommendation:
        [if profiled: Measure again without a profile, or with --separateProfileRun.] [if waits: Look at what
        the host waits for in Nsight Systems.] [if host-bound, unless graph: Run the engine as a CUDA graph,
        which launches all kernels at once: in code capture enqueueV3 in a stream.] [..10, if host-bound,
        unless graph: trtexec does so with --useCudaGraph.] [11.0.., if host-bound, unless graph: trtexec does
        so without --noCudaGraph.] [if host-bound: Larger batches and fewer, larger kernels (fusion) help too,
        as do several streams in flight.] [if host-bound, if recurrent: Recurrent layers launch kernels at
        each time step, and a loop that the host controls can't be captured in a graph: shorten the sequence
        (a larger stride before it), take a larger batch or a plugin that keeps the loop on the GPU, or
        replace the recurrence by convolutions or attention.]

    False alarm:
        The enqueue time includes waiting where the launch queue is full, and synchronization with the device
        where shapes depend on data: then a graph does not help, and throughput does not rise with one. Where
        enqueuing takes as long as the GPU and longer than launches do (30 us for each layer; 20 ms where the
        layers are not known), this is stated as information, but for recurrent layers, which may launch
        thousands of kernels; and so is a profile in the measured run, which makes the host wait for each
        layer.

    Est. savings:
        An estimate: up to GPU compute time minus total layer time, which is the GPU gap between layers; not
        estimated where total layer time is larger, as profiling lengthens each layer.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    state = context.enqueue_state
    if not state or latency.enqueue is None or whole is None:
        return
    if state != "bound":
        times = f"Enqueue takes {format_ms(latency.enqueue.median_ms)} for {format_ms(whole.median_ms)}"
        yield Hit(f"{times} of GPU compute time (medians){_WAITS[state]}", severity="info")
        return
    graph = _GRAPH.get(context.run_option("CUDA Graph"), "without a known CUDA graph")
    between_ms = _between_layers_ms(latency)
    bound = "enqueue-bound" if latency.enqueue.median_ms >= whole.median_ms else "nearly enqueue-bound"
    yield Hit(
        f"The engine is {bound} {graph}: enqueue takes {format_ms(latency.enqueue.median_ms)} for "
        f"{format_ms(whole.median_ms)} of GPU compute time (medians).",
        (),
        None if between_ms is None else estimate(0.0, between_ms, "measured-gap"),
        {"CUDA graph": context.run_option("CUDA Graph") or "not stated"},
    )


def _between_layers_ms(latency: Latency) -> float | None:
    """Return the GPU gap in ms, which no layer takes, or None if total layer time hides it."""
    if latency.gpu_compute is None or latency.layer_sum_ms is None:
        return None
    between = latency.gpu_compute.median_ms - latency.layer_sum_ms
    return between if between > 0 else None

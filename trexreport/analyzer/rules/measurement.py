"""Rules on the measurement of the whole engine: what besides the GPU bounds it, and what is known of it."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import Latency
from trexreport.analyzer.end_to_end import WARM_UP
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.measurement_gpu import clock_held_down, other_processes
from trexreport.analyzer.rules.measurement_layers import (
    layer_sum_differs,
    partial_profile,
    streams_overlap,
    too_few_iterations,
)
from trexreport.analyzer.rules.measurement_stability import bimodal, drift, unstable
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.thresholds import is_steady as varies_little
from trexreport.numbers import format_ms, format_percent, middle_ellipsis

#: Starts of trtexec's warnings that rules of this family judge by the figures themselves.
_JUDGED = (
    "GPU compute time is unstable",
    "Throughput may be bound by",
    "Multiple inference streams are used",
    "The engine uses ",
)
#: A warning that starts so makes the figures those of another input than the user may think.
_SHAPES_CHOSEN = ("Dynamic dimensions required for input", "Shape missing for input")

__all__ = [
    "bimodal",
    "clock_held_down",
    "clocks_unknown",
    "drift",
    "enqueue_bound",
    "layer_sum_differs",
    "other_processes",
    "partial_profile",
    "streams_overlap",
    "too_few_iterations",
    "transfer_bound",
    "trtexec_warning",
    "unstable",
]


@rule(
    "TRX805",
    "measurement.enqueue-bound",
    "warning",
    many="The host holds the GPU back in {count} ways.",
    needs=("end-to-end",),
    section="timing",
)
def enqueue_bound(context: Context) -> Iterator[Hit]:
    """Queuing the work takes the host about as long as the GPU computes.

    Cost:
        The GPU waits between kernels for the host to launch the next, so the throughput is the host's. That
        is usual where many kernels run for a few microseconds each.

    Advice:
        Run the engine as a CUDA graph (trtexec --useCudaGraph, the default from TensorRT 11 on; in a
        program capture enqueueV3 in a stream), which launches all kernels at once. Larger batches and
        fewer, larger kernels (fusion) help too, as do several streams in flight.

    False alarm:
        The enqueue time includes waiting where the launch queue is full, and synchronization with the
        device where shapes depend on data: a graph then does not help. See whether throughput rises with
        one.

    Bound:
        GPU compute time minus the sum of the layers, which is what the GPU spends between them; not known
        where the sum is larger, as profiling lengthens each layer.
    """
    latency = context.analysis.latency
    whole = latency.gpu_compute or latency.end_to_end
    if not latency.is_held_back_by_host or latency.enqueue is None or whole is None:
        return
    has_graph = context.run_option("CUDA Graph") == "Enabled"
    graph = "though it ran as a CUDA graph" if has_graph else "and no CUDA graph is known to be used"
    yield Hit(
        f"Queuing takes {format_ms(latency.enqueue.median_ms)} of the host's time for "
        f"{format_ms(whole.median_ms)} of the GPU's (medians), {graph}.",
        (),
        _between_layers_ms(latency),
        {"CUDA graph": context.run_option("CUDA Graph") or "not stated"},
    )


def _between_layers_ms(latency: Latency) -> float | None:
    """Return the GPU's time that no layer takes, or None if the layers' sum hides it."""
    if latency.gpu_compute is None or latency.layer_sum_ms is None:
        return None
    between = latency.gpu_compute.mean_ms - latency.layer_sum_ms
    return between if between > 0 else None


@rule(
    "TRX806",
    "measurement.transfer-bound",
    "warning",
    many="Transfers take long in {count} ways.",
    needs=("end-to-end",),
    section="timing",
    thresholds=(
        Threshold(
            "share_percent",
            20.0,
            0,
            100,
            "Transfers' part of transfers and GPU compute time together, in percent.",
        ),
    ),
)
def transfer_bound(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Copying inputs and outputs takes a large part of the latency.

    Cost:
        A query waits for its inputs to come from the host and for its outputs to go back. If either takes
        longer than the computation, it bounds the throughput as well.

    Advice:
        Keep data on the GPU between preprocessing, engine and postprocessing; send bytes (UINT8 images) and
        convert them inside the network; return results such as indices rather than whole maps; use pinned
        memory; overlap copies with the computation of other queries on a second stream.

    False alarm:
        trtexec copies all inputs and outputs for each query by default up to TensorRT 10 (--noDataTransfers
        turns it off), which an application that keeps its data on the GPU does not.

    Bound:
        The time of both transfers, as if they were avoided or hidden; at most the sum of all layers' times.
    """
    latency = context.analysis.latency
    inward, outward = (each.median_ms if each else 0.0 for each in (latency.h2d, latency.d2h))
    copies = inward + outward
    if latency.gpu_compute is None or copies <= 0:
        return
    compute = latency.gpu_compute.median_ms
    share = copies / (copies + compute)
    if 100 * share < share_percent:
        return
    bounds = "; they bound the throughput too" if max(inward, outward) > compute else ""
    yield Hit(
        f"Transfers take {format_ms(copies)} beside {format_ms(compute)} of computing (medians), "
        f"{format_percent(share)} of the latency{bounds}.",
        (),
        copies,
        {"Host to device": format_ms(inward), "Device to host": format_ms(outward)},
        severity=None if bounds else "info",
    )


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


@rule(
    "TRX811",
    "measurement.trtexec-warning",
    "info",
    many="trtexec itself gives {count} more warnings.",
    needs=(),
    section="timing",
)
def trtexec_warning(context: Context) -> Iterator[Hit]:
    """A warning by trtexec itself stands in the log.

    Cost:
        It depends on the warning. Where trtexec chose the input shapes itself, it set every unknown extent
        to 1, so that the figures are those of a smaller input than the network is meant for.

    Advice:
        Read the warning in the log. State the shapes of dynamic inputs with --shapes when measuring, and
        with --minShapes, --optShapes and --maxShapes when building.

    False alarm:
        Warnings on plugins, casts and caches are often harmless. Those that other rules judge by the
        figures (unsteady times, enqueue, transfers, streams) are not repeated here.

    Bound:
        None: a warning says nothing of time.
    """
    for warning in dict.fromkeys(context.analysis.measurement_warnings):
        if warning.startswith(_JUDGED) or warning == WARM_UP:
            continue
        severity = "warning" if warning.startswith(_SHAPES_CHOSEN) else None
        yield Hit(f"trtexec: {middle_ellipsis(warning, 300)}", severity=severity)

"""TRX805 measurement.enqueue-bound."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import Latency
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.numbers import format_ms


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
    if not latency.is_enqueue_bound or latency.enqueue is None or whole is None:
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

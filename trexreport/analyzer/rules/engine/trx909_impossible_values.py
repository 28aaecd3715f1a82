"""TRX909 engine.impossible-values."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.model import IMPOSSIBLE
from trexreport.numbers import format_ms, format_percent

#: Clocks of the capture over that of the peaks from which on the table's are those of this GPU.
_FULL_CLOCK = 0.95
#: Counts are of another run than times: at other clocks, and without what other kernels leave in caches.
_ABOVE_PEAK = 4.0


@built_in_rule("warning", many="{count} files or layers have impossible values.", needs=(), section="notes")
def impossible_values(context: Context) -> Hits:
    """A file has values that nothing can have, or a layer is faster than its GPU can be.

    Such values are negative or fractional counts, times of 0 or less, averages that are not the sum
    divided by the count, percentages that do not add up, a minimum above the maximum, a kernel that does
    not fit in its input, tensors of which two layers state other extents, types that a layer's kernel
    does not read, keys that an object has twice, bytes and operations that Nsight Compute
    counted beyond the GPU's peaks, clocks above the GPU's or too low for what it did,
    operations beyond its peak, and a number of SMs, a compute capability or a memory bus that no GPU of
    the stated name has.

    Cost:
        The values count as unknown, and so does what is computed of them. A budget on such a figure does not
        hold.

    Recommendation:
        Write the file again, or correct the program that writes it. If a layer is too fast, check that
        profile, layer information and log belong to the same run.

    False alarm:
        A field whose meaning changed in a newer TensorRT.

    Est. savings:
        Not estimated: it concerns the report, not the engine.
    """
    for note in context.analysis.notes:
        if note.slug == IMPOSSIBLE:
            yield Hit(note.message, (), None, {"File": note.source, "Recommendation": note.hint})
    obstacle = context.analysis.roofline.obstacle
    if obstacle is not None and obstacle.code == "gpu-contradicted":
        yield Hit(f"No {obstacle.device} has {obstacle.names[0]}.", (), None, {"GPU": obstacle.device})
    gpu = context.analysis.roofline.gpu
    if gpu is not None and gpu.clock_scale < _FULL_CLOCK and _are_above_peak(context):
        percent = format_percent(gpu.clock_scale)
        yield Hit(
            f"The layers do more than {gpu.name} can at its stated clock, {percent} of its boost clock.",
            (),
            None,
            {"GPU": gpu.device or gpu.name},
        )
    for layer, what in _counted_beyond_peak(context):
        yield Hit(f"{layer.name} can't have {what} that Nsight Compute counted in its time.", (layer,), None)
    for layer in context.layers:
        if layer.excess == "impossible":
            yield Hit(
                f"{layer.name} can't do its work in {format_ms(layer.avg_ms)} on this GPU.",
                (layer,),
                None,
            )


def _counted_beyond_peak(context: Context) -> Iterator[tuple[LayerFacts, str]]:
    """Yield the layers for which more bytes or operations were counted than their GPU has in their time."""
    counters, gpu = context.analysis.counters, context.analysis.roofline.gpu
    if counters is None or gpu is None or counters.is_other:
        return
    bandwidth = _ABOVE_PEAK * 1e6 * gpu.bandwidth_gbs / gpu.bandwidth_scale
    products = _ABOVE_PEAK * 1e9 * max(gpu.tensor_tflops.values(), default=math.inf) / gpu.clock_scale
    for each in counters.layers:
        layer = context.analysis.layers[each.layer]
        counts = {"bytes": (each.dram_bytes, bandwidth), "operations": (each.tensor_operations, products)}
        for what, (count, rate) in counts.items():
            if count is not None and layer.avg_ms and count > rate * layer.avg_ms:
                yield layer, f"the {what}"


def _are_above_peak(context: Context) -> bool:
    """Return whether all layers that operations limit are together faster than their peaks."""
    limited = [
        (layer.roof.roof_ms, layer.avg_ms)
        for layer in context.layers
        if layer.roof and layer.roof.roof == "compute" and layer.avg_ms and layer.excess != "impossible"
    ]
    return math.fsum(roof_ms for roof_ms, _ in limited) > math.fsum(avg_ms for _, avg_ms in limited)

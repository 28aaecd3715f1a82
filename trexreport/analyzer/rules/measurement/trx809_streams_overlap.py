"""TRX809 measurement.streams-overlap."""

from __future__ import annotations

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import layer_time
from trexreport.analyzer.rules.possible import auxiliary_layers
from trexreport.numbers import format_ms


@built_in_rule("info", needs=("profile",), thresholds=(min_share(1.0, "layers on auxiliary streams"),))
def streams_overlap(context: Context, *, share_percent: float) -> Hits:
    """Layers run on several streams.

    Cost:
        None in itself: TensorRT uses auxiliary streams so that independent layers overlap. But a layer that
        shares the GPU with another is slower than alone, and total layer time counts overlapping time twice.

    Recommendation:
        [8.6..: For times that add up, build with --maxAuxStreams=0 and profile that.] Compare both builds:
        where the layers of the auxiliary streams are small, one stream may be as fast and needs less
        memory.

    False alarm:
        Profiling waits for each layer in some versions, so that nothing overlaps and the total is right.

    Est. savings:
        Not estimated: overlap is meant to save time.
    """
    auxiliary = context.cached(auxiliary_layers)
    if not auxiliary or not context.is_significant(auxiliary, share_percent):
        return
    measured = (layer for layer in context.layers if layer.stream is not None and layer.avg_ms)
    by_stream = group_by(measured, lambda layer: layer.stream or 0)
    times = {stream: context.time_ms(layers) for stream, layers in sorted(by_stream.items())}
    yield Hit(
        f"Layers run on {len(times)} streams: those on auxiliary streams take "
        f"{layer_time(context, auxiliary)}, which may overlap with the main stream.",
        tuple(auxiliary),
        None,
        {f"Stream {stream}": format_ms(time) for stream, time in times.items()},
    )

"""When each layer could run: average times in execution order, stream by stream.

No file of TensorRT states when a layer began, so that this is a reconstruction: a layer begins when its
stream is free, its inputs are ready and the signals that it waits for are given. Gaps between launches are
not in it.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import Analysis, is_order_known
from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.renderer.graph.streams import synchronizations


@bulk_facts
class Span:
    """A layer on the timeline; times in milliseconds from the begin of a query."""

    layer: int
    stream: int | None
    begin_ms: float
    end_ms: float


@dataclass(frozen=True)
class Schedule:
    """All layers on the timeline.

    Attributes:
        spans: In execution order; layers without a time, or with a time of 0, are not in it.
        streams: In order; None where a layer does not state its own.
        waits: Layers of two streams, of which the second waits for a signal of the first.
        total_ms: When the last layer ends.
        layer_sum_ms: The times of all spans together.
        untimed: Number of layers that compute and whose time is not known.
    """

    spans: tuple[Span, ...]
    streams: tuple[int | None, ...]
    waits: tuple[tuple[int, int], ...]
    total_ms: float
    layer_sum_ms: float
    untimed: int


def schedule_of(analysis: Analysis) -> Schedule | None:
    """Return the timeline of an engine; None where no layer has a time, or their order is not known."""
    layers, tensors = analysis.layers, analysis.tensors
    timed = {layer.index for layer in layers if layer.avg_ms}
    if not timed or not is_order_known(layers):
        return None
    waits = tuple(synchronizations(layers, timed))
    awaited: dict[int, list[int]] = {}
    for before, after in waits:
        awaited.setdefault(after, []).append(before)
    free: dict[int | None, float] = {}
    ends: dict[int, float] = {}
    spans = []
    for layer in layers:
        start = free.get(layer.stream, 0.0)
        for use in layer.inputs:
            for producer in tensors[use.tensor].producers:
                start = max(start, ends.get(producer, 0.0))
        for before in awaited.get(layer.index, ()):
            start = max(start, ends.get(before, 0.0))
        end = start + (layer.avg_ms or 0.0)
        ends[layer.index] = end
        if layer.avg_ms:
            free[layer.stream] = end
            spans.append(Span(layer.index, layer.stream, start, end))
    return Schedule(
        spans=tuple(spans),
        streams=tuple(sorted(free, key=lambda stream: -1 if stream is None else stream)),
        waits=waits,
        total_ms=max(free.values()),
        layer_sum_ms=math.fsum(span.end_ms - span.begin_ms for span in spans),
        untimed=sum(layer.avg_ms is None and not layer.structural for layer in layers),
    )


def delayed(spans: Sequence[Span]) -> dict[int, float]:
    """Return the start of each layer that does not begin where the one before it on its stream ends."""
    free: dict[int | None, float] = {}
    found = {}
    for span in spans:
        if span.begin_ms != free.get(span.stream, 0.0):
            found[span.layer] = span.begin_ms
        free[span.stream] = span.end_ms
    return found

"""Limit savings to what the run of an engine can give.

A profile lengthens layers and adds up what overlaps, so the layers' times may add up to more than the engine
takes; and a layer that shares the GPU with others takes longer than alone, while the others hide its time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Iterable, Sequence
from itertools import accumulate

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis, GainPart
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.expected import floor_ms
from trexreport.analyzer.rules.gains import limited
from trexreport.analyzer.rules.patterns import movers
from trexreport.analyzer.rules.savings import whole_ms, with_shares

#: Layers that move fewer bytes than this part of another's show no rate for it: the cache may hold them.
_COMPARABLE = 0.5


def possible(gain: Gain, layers: Sequence[LayerFacts], context: Context) -> Gain:
    """Return savings that do not exceed the time that they are part of, with percentages.

    Those of layers on auxiliary streams begin at 0, as the main stream may hide them; one that only moves
    data saves at most the time of its bytes at the rate of the engine's fastest one. If total layer time is
    above GPU compute time, the savings of layers are scaled to the latter.

    Args:
        gain: As a rule states it.
        layers: Of the hit; none for the whole engine.
        context: The engine.
    """
    found = limited(gain, layers, context.layer_ms, whole_ms(context, gain))
    beside = context.cached(_auxiliary_indices)
    if any(part.layer in beside and part.high_ms > 0 for part in found.parts):
        parts = [_beside_others(context, part) if part.layer in beside else part for part in found.parts]
        found = _estimated(found, parts, GainBasis("auxiliary-stream"))
    if found.parts and found.high_ms > 0 and context.gpu_part < 1:
        found = _estimated(
            found, [_scaled(part, context.gpu_part) for part in found.parts], GainBasis("gpu-time")
        )
    return with_shares(context, found)


def auxiliary_layers(context: Context) -> list[LayerFacts]:
    """Return the measured layers of all streams but the one with the most time; use `Context.cached`."""
    measured = (layer for layer in context.layers if layer.stream is not None and layer.avg_ms)
    by_stream = group_by(measured, lambda layer: layer.stream or 0)
    main = max(sorted(by_stream), key=lambda stream: context.time_ms(by_stream[stream]), default=None)
    found = (layer for stream, layers in by_stream.items() if stream != main for layer in layers)
    return sorted(found, key=lambda layer: layer.index)


def _auxiliary_indices(context: Context) -> frozenset[int]:
    return frozenset(layer.index for layer in context.cached(auxiliary_layers))


def _beside_others(context: Context, part: GainPart) -> GainPart:
    """Return what a layer on an auxiliary stream contributes to savings."""
    alone_ms = _alone_ms(context, context.layers[part.layer])
    return GainPart(part.layer, 0.0, min(part.high_ms, alone_ms))


def _alone_ms(context: Context, layer: LayerFacts) -> float:
    """Return the time of a layer that only moves data, as if alone on the GPU; infinite if not known."""
    movers = context.cached(_Movers)
    if not layer.moved_bytes or layer.index not in movers.indices:
        return math.inf
    fastest = movers.fastest(_COMPARABLE * layer.moved_bytes)
    return max(layer.moved_bytes * fastest, context.cached(floor_ms))


class _Movers:
    """The measured layers that only move or convert data, by how many bytes they move."""

    def __init__(self, context: Context) -> None:
        moving = [layer for layer in movers(context) if layer.avg_ms and layer.moved_bytes]
        beside = context.cached(_auxiliary_indices)
        self.indices = {layer.index for layer in moving}
        self._alone = _Rates(layer for layer in moving if layer.index not in beside)
        self._all = _Rates(moving)

    def fastest(self, least_bytes: float) -> float:
        """Return the least milliseconds for each byte of those of this size, on the main stream if any."""
        found = self._alone.fastest(least_bytes)
        return self._all.fastest(least_bytes) if math.isinf(found) else found


class _Rates:
    """The least time for each byte among the layers that move at least as much."""

    def __init__(self, layers: Iterable[LayerFacts]) -> None:
        rates = sorted(
            (each.moved_bytes or 0, (each.avg_ms or 0.0) / (each.moved_bytes or 1)) for each in layers
        )
        self._sizes_bytes = [size_bytes for size_bytes, _ in rates]
        least = list(accumulate((rate for _, rate in reversed(rates)), min))
        self._least = [*reversed(least), math.inf]

    def fastest(self, least_bytes: float) -> float:
        return self._least[bisect_left(self._sizes_bytes, least_bytes)]


def _scaled(part: GainPart, factor: float) -> GainPart:
    return GainPart(part.layer, factor * part.low_ms, factor * part.high_ms)


def _estimated(gain: Gain, parts: Sequence[GainPart], basis: GainBasis) -> Gain:
    """Return savings with other parts, which makes a bound an estimate."""
    lows, highs = [part.low_ms for part in parts], [part.high_ms for part in parts]
    return Gain("estimate", math.fsum(lows), math.fsum(highs), [*gain.bases, basis], parts)

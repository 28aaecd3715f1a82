"""Layers whose mean time a few slow iterations lengthen: the median is what they usually take."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.timing import Latency
from trexreport.analyzer.slow_once import slow_once

#: Minimum difference between a layer's mean and median, in percent of the time of all layers.
LAYER_PERCENT = 2.0
#: Fewer layers may be longer by like times for any reason.
_MANY = 8
#: What part of the layers is longer by like times, and how far from the one in the middle such times are.
_NEARLY_ALL, _ALIKE = 0.9, 3.0
#: A stall of a launch now and then adds no more to the mean of each layer.
_MAX_STALL_MS = 0.02


def outliers(
    layers: Iterable[LayerFacts], percent: float = LAYER_PERCENT
) -> list[tuple[LayerFacts, float, float]]:
    """Return the layers whose mean is this far above their median, each with both times in ms.

    Args:
        layers: All layers of an engine.
        percent: Minimum difference, in percent of the time of the layers that have both.
    """
    both = [(layer, layer.avg_ms, layer.median_ms) for layer in layers if layer.avg_ms and layer.median_ms]
    total_ms = math.fsum(mean_ms for _, mean_ms, _ in both)
    return [each for each in both if 100 * (each[1] - each[2]) >= percent * total_ms]


def launches_stall(layers: Iterable[LayerFacts]) -> bool:
    """Return whether nearly all means are above the medians by a few like microseconds, of whichever layer.

    A lower clock lengthens layers by a part of their time, and other work those that it meets.
    """
    both = [(layer.avg_ms, layer.median_ms) for layer in layers if layer.avg_ms and layer.median_ms]
    middle_ms = statistics.median([mean - median for mean, median in both]) if len(both) >= _MANY else 0.0
    if not 0 < middle_ms <= _MAX_STALL_MS:
        return False
    alike = [
        (mean - median, median)
        for mean, median in both
        if middle_ms <= _ALIKE * (mean - median) <= _ALIKE**2 * middle_ms
    ]
    if len(alike) < _NEARLY_ALL * len(both):
        return False
    return _spread([extra for extra, _ in alike]) < _spread([extra / median for extra, median in alike])


def _spread(values: Sequence[float]) -> float:
    """Return the coefficient of variation of positive numbers, rounded so that equal ones are alike."""
    return round(statistics.pstdev(values) / statistics.fmean(values), 6)


def with_usual_times(layers: Sequence[LayerFacts], latency: Latency) -> tuple[LayerFacts, ...]:
    """Return layers with their medians as times if `outliers` names one, so that all are of one kind.

    Where a measured layer has no median, all keep their means, but for one of `slow_once`: shares of both
    would not add up.
    """
    measured = [layer for layer in layers if layer.avg_ms is not None]
    if (found := slow_once(measured, latency)) is not None:
        usual = dataclasses.replace(found.layer, avg_ms=found.usual_ms)
        return tuple(usual if each is found.layer else each for each in layers)
    if any(layer.median_ms is None for layer in measured) or not outliers(measured):
        return tuple(layers)
    return tuple(
        layer if layer.avg_ms is None else dataclasses.replace(layer, avg_ms=layer.median_ms)
        for layer in layers
    )

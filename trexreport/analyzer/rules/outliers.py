"""Layers whose mean time a few slow iterations lengthen: the median is what they usually take."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.timing import Latency
from trexreport.regex import regex

#: Minimum difference between a layer's mean and median, in percent of the time of all layers.
LAYER_PERCENT = 2.0
#: Fewer layers may be longer by like times for any reason.
_MANY = 8
#: What part of the layers is longer by like times, and how far from the one in the middle such times are.
_NEARLY_ALL, _ALIKE = 0.9, 3.0
#: A layer that was slow once: how many times as long as others of its name it takes, how many these are, by
#: which part of GPU compute time total layer time without the excess may differ from it, and the least excess
#: that shows anything.
_TIMES_LONGER, _MIN_ALIKE, _NEAR, _MIN_EXCESS = 8.0, 3, 0.05, 0.1
_DIGITS = regex(r"\d+")
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


def lengthened(layers: Iterable[LayerFacts], latency: Latency) -> tuple[LayerFacts, float] | None:
    """Return the layer whose mean one slow iteration lengthened, and the most that layers of such names take.

    Profiles up to TensorRT 8.2 have no medians. There it shows where the layer takes many times as long as
    others of its name but for numbers, and total layer time is above GPU compute time by just that.

    Args:
        layers: All layers of an engine.
        latency: With the GPU compute time, if it is known.
    """
    gpu_ms = latency.gpu_compute.median_ms if latency.gpu_compute is not None else 0.0
    measured = [layer for layer in layers if layer.avg_ms]
    if not gpu_ms or not measured or any(layer.median_ms is not None for layer in measured):
        return None
    longest = max(measured, key=lambda layer: layer.avg_ms or 0.0)
    name = _DIGITS.sub("#", longest.name)
    alike = [
        each.avg_ms or 0.0 for each in measured if _DIGITS.sub("#", each.name) == name and each is not longest
    ]
    if len(alike) < _MIN_ALIKE or (longest.avg_ms or 0.0) < _TIMES_LONGER * max(alike):
        return None
    excess_ms = (longest.avg_ms or 0.0) - max(alike)
    usual_ms = math.fsum(layer.avg_ms or 0.0 for layer in measured) - excess_ms
    is_near = abs(usual_ms - gpu_ms) <= _NEAR * gpu_ms and excess_ms >= _MIN_EXCESS * gpu_ms
    return (longest, max(alike)) if is_near else None


def with_usual_times(layers: Sequence[LayerFacts], latency: Latency) -> tuple[LayerFacts, ...]:
    """Return layers with their medians as times if `outliers` names one, so that all are of one kind.

    Where a measured layer has no median, all keep their means, but for one of `lengthened`: shares of both
    would not add up.
    """
    measured = [layer for layer in layers if layer.avg_ms is not None]
    if (found := lengthened(measured, latency)) is not None:
        return tuple(
            dataclasses.replace(each, avg_ms=found[1]) if each is found[0] else each for each in layers
        )
    if any(layer.median_ms is None for layer in measured) or not outliers(measured):
        return tuple(layers)
    return tuple(
        layer if layer.avg_ms is None else dataclasses.replace(layer, avg_ms=layer.median_ms)
        for layer in layers
    )

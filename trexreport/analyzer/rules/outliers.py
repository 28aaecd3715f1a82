"""Layers whose mean time a few slow iterations lengthen: the median is what they usually take."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import LayerFacts

#: Minimum difference between a layer's mean and median, in percent of the time of all layers.
LAYER_PERCENT = 2.0


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


def with_usual_times(layers: Sequence[LayerFacts]) -> tuple[LayerFacts, ...]:
    """Return layers with their medians as times if `outliers` names one, so that all are of one kind.

    Where a measured layer has no median, all keep their means: shares of both would not add up.
    """
    measured = [layer for layer in layers if layer.avg_ms is not None]
    if any(layer.median_ms is None for layer in measured) or not outliers(measured):
        return tuple(layers)
    return tuple(
        layer if layer.avg_ms is None else dataclasses.replace(layer, avg_ms=layer.median_ms)
        for layer in layers
    )

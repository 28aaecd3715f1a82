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
    """Return layers with the median as the time of those that `outliers` names."""
    usual_ms = {layer.index: median_ms for layer, _, median_ms in outliers(layers)}
    return tuple(
        dataclasses.replace(layer, avg_ms=usual_ms[layer.index]) if layer.index in usual_ms else layer
        for layer in layers
    )

"""How long a layer usually takes."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts


def usual_ms(layer: LayerFacts) -> float:
    """Return the median time of a layer, as a few slow iterations say little of it; else the mean."""
    return min(layer.avg_ms or 0.0, layer.median_ms or layer.avg_ms or 0.0)

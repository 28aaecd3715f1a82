"""Layers that take about as long as the launch of a kernel."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.roofline.classes import LAUNCHES, MAX_LAUNCH_MS
from trexreport.analyzer.rules.context import Context


def is_mostly_launch(context: Context, layer: LayerFacts, max_ms: float = MAX_LAUNCH_MS) -> bool:
    """Return whether a layer takes at most three times as long as a launch, and no roof explains its time.

    Args:
        context: The engine.
        layer: A layer.
        max_ms: Layers that take longer are none, however long a launch takes.
    """
    if layer.roof is not None and layer.roof.bound != "latency":
        return False
    return is_as_short(context, layer, max_ms)


def is_as_short(context: Context, layer: LayerFacts, max_ms: float = MAX_LAUNCH_MS) -> bool:
    """Return whether a layer takes at most three times as long as a launch, whatever bounds it."""
    launch_ms = context.analysis.roofline.launch_ms
    if launch_ms is None or not layer.avg_ms or layer.structural:
        return False
    return layer.avg_ms <= min(LAUNCHES * launch_ms, max_ms)

"""How near a layer comes to what memory allows."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.patterns import movers

#: A layer above this share of its roofline cannot become much faster without moving fewer bytes.
AT_ROOF = 0.8
#: A layer longer than a launch that stays below this share is limited by its kernel.
_FAR = 0.25
#: Movers with fewer bytes than this part of a layer's show no rate for it: the cache may hold them.
_COMPARABLE = 0.5


def share_of_memory_roof(context: Context, layer: LayerFacts) -> float:
    """Return the time that a layer's bytes take at full bandwidth, as a share of its time; 0 if not known.

    Without the GPU's peaks the fastest layer of the engine that only moves data shows the bandwidth.
    """
    if layer.roof is not None and layer.avg_ms:
        return layer.roof.roof_ms / layer.avg_ms if layer.roof.roof == "memory" else 0.0
    if not layer.bandwidth_gbs or not layer.moved_bytes:
        return 0.0
    moving = (
        each.bandwidth_gbs
        for each in context.cached(movers)
        if each.index != layer.index and (each.moved_bytes or 0) >= _COMPARABLE * (layer.moved_bytes or 0)
    )
    fastest = max((gbs for gbs in moving if gbs), default=None)
    return layer.bandwidth_gbs / fastest if fastest else 0.0


def is_far_from_roof(context: Context, layer: LayerFacts) -> bool:
    """Return whether a kernel reaches a small part of the bandwidth that is not explained by its launch."""
    if layer.roof is None or layer.roof.roof != "memory" or is_mostly_launch(context, layer):
        return False
    return share_of_memory_roof(context, layer) < _FAR


def is_memory_bound(layer: LayerFacts) -> bool:
    """Return whether the bandwidth explains most of a layer's time."""
    return layer.roof is not None and layer.roof.bound == "memory"

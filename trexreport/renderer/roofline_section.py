"""What the section on the roofline lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts


class RooflineLayers(NamedTuple):
    """The layers that the section lists.

    Attributes:
        held: Those above their roofline time, the one with the most headroom first.
        working: Convolutions and matrix products, the one with the most operations first.
        has_batches: One of these is a product of several matrices.
        has_hidden_weights: One of these has weights whose bytes no file states.
    """

    held: Sequence[LayerFacts]
    working: Sequence[LayerFacts]
    has_batches: bool
    has_hidden_weights: bool


def roofline_layers(analysis: Analysis) -> RooflineLayers:
    """Return the layers that the section lists; equal ones are in execution order."""
    works = [layer.work for layer in analysis.layers if layer.work]
    held = [layer for layer in analysis.layers if layer.roof and layer.roof.headroom_ms]
    working = [layer for layer in analysis.layers if layer.work]
    held.sort(key=lambda layer: (layer.roof and layer.roof.headroom_ms) or 0.0, reverse=True)
    working.sort(key=lambda layer: layer.work.macs if layer.work else 0, reverse=True)
    return RooflineLayers(
        held=held,
        working=working,
        has_batches=any(work.batch > 1 for work in works),
        has_hidden_weights=any(work.hidden_weights_bytes for work in works),
    )

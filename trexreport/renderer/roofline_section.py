"""What the section on the roofline lists."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import Analysis, LayerFacts


class RooflineLayers(NamedTuple):
    """The layers that the section lists.

    Attributes:
        held: Those above their roofline time.
        working: Convolutions and matrix products.
        has_batches: One of these is a product of several matrices.
        has_hidden_weights: One of these has weights whose bytes no file states.
    """

    held: Sequence[LayerFacts]
    working: Sequence[LayerFacts]
    has_batches: bool
    has_hidden_weights: bool


def roofline_layers(analysis: Analysis) -> RooflineLayers:
    """Return the layers that the section lists, in execution order."""
    works = [layer.work for layer in analysis.layers if layer.work]
    return RooflineLayers(
        held=[layer for layer in analysis.layers if layer.roof and layer.roof.headroom_ms],
        working=[layer for layer in analysis.layers if layer.work],
        has_batches=any(work.batch > 1 for work in works),
        has_hidden_weights=any(work.hidden_weights_bytes for work in works),
    )

"""Layers that move channels into pixels (DepthToSpace) or pixels into channels (SpaceToDepth).

A model needs them, whatever layouts its layers use.
"""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.copied import copied

#: Batch items and channels come before the pixels.
_BEFORE_PIXELS, _IMAGE_RANKS = 2, (4, 5)
_TRANSPOSES = frozenset({"Shuffle", "Transpose"})


def shuffles_pixels(layer: LayerFacts) -> bool:
    """Return whether a layer moves channels into pixels, or pixels into channels."""
    return pixel_factor(layer) not in (0.0, 1.0)


def pixel_factor(layer: LayerFacts) -> float:
    """Return by how much a layer that transposes enlarges each axis of an image; 0 if it is none.

    By the extents: all axes change by one factor. So do the channels then, as nothing is left out.
    """
    if len(layer.inputs) != 1 or len(layer.outputs) != 1:
        return 0.0
    before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    if len(before) != len(after) or len(before) not in _IMAGE_RANKS or min(*before, *after) < 1:
        return 0.0
    if copied(layer).isdisjoint(_TRANSPOSES):
        return 0.0
    pixels = zip(before[_BEFORE_PIXELS:], after[_BEFORE_PIXELS:], strict=True)
    factors = {new / old for old, new in pixels}
    return factors.pop() if len(factors) == 1 and before[0] == after[0] else 0.0

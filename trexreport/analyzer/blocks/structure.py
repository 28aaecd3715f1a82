"""Number layers by their structure: type, and shapes and formats of what they read and write."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorUse


def structure_numbers(layers: Sequence[LayerFacts]) -> list[int]:
    """Return a number for each layer, equal for layers of the same structure."""
    known: dict[object, int] = {}
    return [
        known.setdefault((layer.type, _shape(layer.inputs), _shape(layer.outputs)), len(known))
        for layer in layers
    ]


def _shape(uses: Sequence[TensorUse]) -> tuple[tuple[str, tuple[int, ...]], ...]:
    return tuple((use.format, tuple(use.dimensions)) for use in uses)

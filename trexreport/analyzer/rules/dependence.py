"""Which convolutions and matrix multiplications need the results of which others."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context


def are_apart(context: Context, layers: Collection[LayerFacts]) -> bool:
    """Return whether none of some products needs the result of another."""
    before = context.cached(_products_before)
    own = sum(1 << layer.index for layer in layers)
    return not any(before[layer.index] & own for layer in layers)


def _products_before(context: Context) -> Mapping[int, int]:
    """Return the products that each layer depends on, as bits of their indices."""
    found: dict[int, int] = defaultdict(int)
    own = {layer.index for layer in context.products}
    for layer in context.layers:
        for before in context.producing(layer):
            found[layer.index] |= found[before.index] | ((1 << before.index) if before.index in own else 0)
    return found

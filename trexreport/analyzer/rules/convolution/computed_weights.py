"""Convolutions whose weights the engine computes from common ones, and the layers that do so."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context, search
from trexreport.analyzer.rules.convolution.channels import elements
from trexreport.analyzer.rules.patterns import activations, is_pointwise, is_reduction, only_copies

#: Scaling writes as many times of what it reads: factors for each channel, and weights for each pair of them.
_EXPANDS = 4


def computed_weights(context: Context) -> dict[int, list[LayerFacts]]:
    """Return of each convolution with scaled weights the layers that compute only these."""
    found = {layer.index: _scaling(context, layer) for layer in context.convolutions if _reads_weights(layer)}
    return {index: layers for index, layers in found.items() if layers}


def weight_layers(context: Context) -> frozenset[int]:
    """Return the layers that compute weights of convolutions."""
    parts = context.cached(computed_weights).values()
    return frozenset(layer.index for layers in parts for layer in layers)


def _reads_weights(layer: LayerFacts) -> bool:
    return layer.attributes.get("HasDynamicFilter") == 1 and len(layer.inputs) > 1


def _scaling(context: Context, convolution: LayerFacts) -> list[LayerFacts]:
    """Return the layers that scale common weights for a convolution; nothing of features."""

    def is_part(layer: LayerFacts) -> bool:
        return is_pointwise(layer) or is_reduction(layer) or only_copies(layer) or context.is_reformat(layer)

    weights = context.base_of(convolution.inputs[1].tensor)
    writers = [
        each
        for each in context.predecessors(convolution)
        if any(context.base_of(use.tensor) == weights for use in each.outputs)
    ]
    if not all(map(is_part, writers)):
        return []
    _, passed = search(writers, context.producing, is_part)
    own = {convolution.index}
    for layer in sorted((*writers, *passed), key=lambda each: each.index, reverse=True):
        # Not `successors`: thousands of convolutions may read the weights of one layer.
        readers = (each.index for use in layer.outputs for each in context.consumers(use.tensor))
        if own.issuperset(readers):
            own.add(layer.index)
    parts = [context.layers[each] for each in sorted(own - {convolution.index})]
    return parts if any(_scales(context, each) for each in parts) else []


def _scales(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies constant weights with fewer factors."""
    if not is_pointwise(layer):
        return False
    live = activations(context, layer)
    read = sum(elements(use) for use in layer.inputs if use.tensor in live)
    return 0 < _EXPANDS * read <= sum(map(elements, layer.outputs))

"""TRX113 convolution.weights-by-item."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.convolution.computed_weights import computed_weights
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.numbers import format_count


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    many="{count} convolutions compute the items of a batch in groups, with weights scaled for each{extent}.",
    explains={"layers": ("TRX105", "TRX109", "TRX501", "TRX604", "TRX914"), "share": ("TRX601",)},
    thresholds=(min_share(3, "all these convolutions and what computes their weights"),),
    replaces=True,
)
def weights_by_item(context: Context, *, share_percent: float) -> Hits:
    """A convolution has weights of its own for each item of the batch, scaled from common ones.

    Cost:
        The items become channels of one item, which a convolution in groups computes. Kernels for groups use
        Tensor Cores less well than those for a batch, and the weights of all items are written and read in
        each query.

    Recommendation:
        Scale the channels that the convolution reads and those that it writes in place of its weights, which
        gives the same results: one convolution with the common weights then computes the batch, without
        groups. For StyleGAN2 it is an option of the model (fused_modconv=False).

    False alarm:
        A batch of few items, whose kernels are fast enough: compare both. Weights that are features, as of a
        template that is searched for, or a mixture of several, are not scaled ones and are left out.

    Est. savings:
        An estimate: from 0 up to the time of the layers that compute the weights, plus, where the roofline of
        the convolutions is known, their time above what it and other convolutions show.
    """
    parts = context.cached(computed_weights)
    found = [layer for layer in context.convolutions if layer.index in parts and _items(layer) > 1]
    layers = [each for layer in found for each in (layer, *parts[layer.index])]
    if not context.is_significant(layers, share_percent):
        return
    for layer in found:
        gain = above_roof(context, layer, lambda each: each.work is not None and each.work.groups == 1)
        ranges = [(each, 0.0, each.avg_ms or 0.0) for each in parts[layer.index]]
        if gain is not None:
            ranges.append((layer, 0.0, gain.high_ms))
        yield Hit(
            f"{LAYER} computes {format_count(_items(layer))} items of a batch in groups, with weights scaled "
            f"for each{EXTENT}.",
            (layer, *parts[layer.index]),
            of_layers("estimate", ranges, "removed-layers", *(gain.bases if gain else ())),
        )


def _items(layer: LayerFacts) -> int:
    """Return the number of items that a convolution computes as groups of channels of one item."""
    groups = layer.work.groups if layer.work is not None else 1
    return groups if tuple(layer.inputs[0].dimensions[:1]) == (1,) else 1

"""TRX509 fusion.separate-softmax."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import takewhile

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.fusion.attention_parts import layers_of_attentions
from trexreport.analyzer.rules.layer_names import (
    is_named_copy,
    is_named_move,
    is_named_reformat,
    named_attentions,
    named_softmax,
)
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_fused_attention, is_softmax
from trexreport.analyzer.rules.phrases import LAYER, takes_time
from trexreport.numbers import counted


@built_in_rule(
    "info",
    needs=("profile",),
    many="{count} softmaxes outside of attentions take much time.",
    thresholds=(
        min_share(2.5, "the softmax"),
        percent("typed_percent", 10.0, "The same where types of layers are known."),
    ),
    replaces=True,
)
def separate_softmax(context: Context, *, share_percent: float, typed_percent: float) -> Hits:
    """A softmax outside of an attention takes a large share of layer time.

    Cost:
        A softmax reads and writes its whole tensor and is not fused with its neighbors. Transposes and
        reshapes that bring its axis into place move the same tensor once more.

    Recommendation:
        [unless behind-products: Compute it for fewer elements: a detector that decodes boxes with a softmax
        (DFL in YOLOv8) can select the candidates with the best scores before.] [if behind-products: Where the
        application chooses the largest results, choose them in the engine and leave the softmax out, as it
        keeps the order.] [if moves-beside: Move its axis so that no transpose is needed.]

    False alarm:
        All of its results are used. Copies, such as those of a Concat, run between other layers and are not
        counted to it. TRX503 reports a softmax between two multiplications, with or without pointwise layers
        between them, and no other that a matrix multiplication reads is reported here.

    Est. savings:
        Not estimated: it depends on how many of the results are needed.
    """
    for layer in filter(is_softmax, context.layers):
        if context.is_significant([layer], typed_percent) and not _is_of_attention(context, layer):
            yield Hit(f"{LAYER} {takes_time(context, [layer])}.", (layer,))
    known = {layer.index for layers in named_attentions(context.layers) for layer in layers}
    for layer in context.untyped:
        module = named_softmax(layer)
        if module is None or layer.index in known or not context.is_significant([layer], share_percent):
            continue
        before = reversed(context.layers[: layer.index])
        copies = [*_copies(before, module), *_copies(context.layers[layer.index + 1 :], module)]
        found = (layer, *copies)
        moving = counted(len(copies), "layer that only moves data", "layers that only move data")
        beside = f" with {moving} next to it" if copies else ""
        yield Hit(f"{LAYER}{beside} {takes_time(context, found)}.".replace(" take ", " takes "), found)


def _is_of_attention(context: Context, layer: LayerFacts) -> bool:
    """Return whether a softmax multiplies, lies in an attention, or a matrix multiplication reads it."""
    also_multiplies = is_conv_or_matmul(context, layer) or is_fused_attention(context, layer)
    before_matmul = any(map(context.is_matmul, context.successors(layer, context.is_reformat)))
    return also_multiplies or before_matmul or layer.index in context.cached(layers_of_attentions)


def _copies(layers: Iterable[LayerFacts], module: str) -> list[LayerFacts]:
    """Return the layers of a module that only move data, up to the first that does not; the nearest first."""
    moving = takewhile(lambda each: not each.avg_ms or _only_moves(each), layers)
    return [each for each in moving if each.avg_ms and module in each.name]


def _only_moves(layer: LayerFacts) -> bool:
    """Return whether a layer moves data for its neighbor; copies of a Concat run where there is room."""
    return (is_named_reformat(layer) or is_named_move(layer)) and not is_named_copy(layer)

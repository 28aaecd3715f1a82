"""TRX108 matmul.all-logits."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, Context, search
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conversion, only_copies
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.rule import Hit, Threshold, built_in_rule
from trexreport.numbers import format_count

#: Batch, tokens, classes.
_RANK = 3
#: A cache of keys and values has at least this many outputs, with batch, heads, tokens and channels.
_MIN_CACHES, _CACHE_RANK = 2, 4


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_share(5.0, "the multiplication"),
        Threshold("classes", 16384, 2, 1e9, "Minimum number of classes: entries of the vocabulary."),
        Threshold("tokens", 32, 2, 1e9, "Minimum number of tokens."),
    ),
    replaces=True,
)
def all_logits(context: Context, *, share_percent: float, classes: float, tokens: float) -> Iterator[Hit]:
    """The engine computes the scores of a whole vocabulary for each of many tokens.

    Cost:
        When a language model reads its prompt, only the scores of the last token choose the next one. Those
        of the other tokens cost a large multiplication, its output, and a transfer to the host.

    Recommendation:
        If only the last token counts, select it (Gather, Slice) before the last multiplication of the model.

    False alarm:
        The scores of all tokens are needed, as in scoring of texts, in masked language models and where
        several proposed tokens are verified. It is a warning where the engine also writes a cache of keys
        and values, as text is generated then.

    Est. savings:
        An estimate: up to the time of the multiplication and of the conversions after it, except the part of
        one token; nothing if all scores are needed.
    """
    for layer in context.products:
        if context.is_convolution(layer) or layer.work is None or layer.work.n < classes:
            continue
        shape = layer.outputs[0].dimensions if len(layer.outputs) == 1 else ()
        if len(shape) != _RANK or shape[-1] != layer.work.n or shape[1] < tokens:
            continue
        after = _only_converted(context, layer)
        if after is None or not context.is_significant([layer], share_percent):
            continue
        found = (layer, *after)
        share = 1 - 1 / shape[1]
        scores = f"{format_count(shape[-1])} scores for each of {format_count(shape[1])} tokens"
        yield Hit(
            f"{LAYER} computes {scores}{EXTENT}.",
            found,
            of_layers(
                "estimate", ((each, 0.0, share * (each.avg_ms or 0.0)) for each in found), "removed-layers"
            ),
            severity="warning" if _writes_cache(context) else None,
        )


def _only_converted(context: Context, layer: LayerFacts) -> list[LayerFacts] | None:
    """Return the conversions between a layer and an output; None if something else reads its result."""
    ends, passed = search(
        [layer], context.successors, lambda each: is_conversion(context, each) or only_copies(each)
    )
    last = [layer, *passed]
    if ends or not any(context.is_output(use.tensor) for each in last for use in each.outputs):
        return None
    return passed


def _writes_cache(context: Context) -> bool:
    caches = [
        tensor
        for tensor in context.tensors
        if tensor.role == "output" and tensor.data_type in FLOATS and len(tensor.dimensions) == _CACHE_RANK
    ]
    return len(caches) >= _MIN_CACHES

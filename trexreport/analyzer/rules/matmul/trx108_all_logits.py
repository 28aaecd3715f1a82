"""TRX108 matmul.all-logits."""

from __future__ import annotations

from trexreport.analyzer.analysis.tokens import MIN_CLASSES
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.context import FLOATS
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.matmul.scores import MIN_TOKENS, all_scores
from trexreport.analyzer.rules.memory.weights import weights_bytes
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.numbers import format_count, format_ms

#: Share of latency, in percent, from which on the transfer of outputs is much.
_MUCH_PERCENT = 10.0
#: A cache of keys and values has at least this many outputs, with batch, heads, tokens and channels.
_MIN_CACHES, _CACHE_RANK = 2, 4


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_share(5.0, "the multiplication"),
        Threshold("classes", MIN_CLASSES, 2, 1e9, "Minimum number of classes: entries of the vocabulary."),
        Threshold("tokens", MIN_TOKENS, 2, 1e9, "Minimum number of tokens."),
    ),
    replaces=True,
)
def all_logits(context: Context, *, share_percent: float, classes: float, tokens: float) -> Hits:
    """The engine computes the scores of a whole vocabulary for each of many tokens.

    Cost:
        When a language model reads its prompt, only the scores of the last token choose the next one. Those
        of the other tokens cost a large multiplication, its output, and a transfer to the host.

    Recommendation:
        Select the tokens whose scores are used before the last multiplication of the model (Gather, Slice):
        the last one of a prompt, or those that are masked.

    False alarm:
        The scores of all tokens are needed, as in scoring of texts, in masked language models and where
        several proposed tokens are verified. It is a warning where the engine also writes a cache of keys
        and values, as text is generated then, and where the transfer of outputs takes 10% of latency.

    Est. savings:
        An estimate: up to the time of the multiplication and of what converts or caps the scores after it,
        except the part of one token, and at least the time to read the weights at the GPU's bandwidth, which
        one token needs as well; nothing if all scores are needed.
    """
    for layer, number, length, sequences, after in context.cached(all_scores):
        if number < classes or length < tokens or not context.is_significant([layer], share_percent):
            continue
        found = (layer, *after)
        batch = f" ({format_count(sequences)} sequences of {format_count(length)})" if sequences > 1 else ""
        scores = f"{format_count(number)} scores for each of {format_count(sequences * length)} tokens{batch}"
        outward = context.analysis.latency.d2h
        much = outward is not None and 100 * outward.median_ms >= _MUCH_PERCENT * context.query_ms
        host = f"; outputs then take {format_ms(outward.median_ms)} to the host" if outward and much else ""
        ranges = [(each, 0.0, _above_one(context, each, length)) for each in found]
        yield Hit(
            f"{LAYER} computes {scores}{EXTENT}{host}.",
            found,
            of_layers("estimate", ranges, "removed-layers"),
            severity="warning" if much or _writes_cache(context) else None,
        )


def _above_one(context: Context, layer: LayerFacts, tokens: int) -> float:
    """Return the time of a layer, in ms, above that of one token, for which it reads all weights as well."""
    gpu = context.analysis.roofline.gpu
    weights_ms = weights_bytes(context, layer) / (gpu.bandwidth_gbs * 1e6) if gpu else 0.0
    time_ms = layer.avg_ms or 0.0
    return max(0.0, time_ms - max(time_ms / tokens, weights_ms))


def _writes_cache(context: Context) -> bool:
    caches = [
        tensor
        for tensor in context.tensors
        if tensor.role == "output" and tensor.data_type in FLOATS and len(tensor.dimensions) == _CACHE_RANK
    ]
    return len(caches) >= _MIN_CACHES

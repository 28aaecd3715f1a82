"""What the scores of attentions that are not fused are, where advice depends on it: see `advice.py`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import chain

from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.after_products import cast_inside
from trexreport.analyzer.rules.context import HALVES
from trexreport.analyzer.rules.fusion.attention_parts import (
    MAX_HEAD,
    head_sizes,
    passing_scores,
    unfused_attentions,
    widens,
)
from trexreport.analyzer.rules.layer_names import is_named_reformat
from trexreport.analyzer.rules.layer_tests import Test
from trexreport.analyzer.rules.patterns import is_softmax, operations

#: Of what heads are multiples without padding:
#: https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html
_HEAD = 16
#: Operations that apply a mask that chooses, and those that change scores by a tensor.
_MASKS = frozenset({"Select", "Where"})
_CHANGES = _MASKS | {"Add"}


def _attentions(context: Context, layers: Sequence[LayerFacts]) -> Iterator[LayerFacts]:
    """Return the softmaxes among layers whose products are known."""
    return (each for each in layers if each.index in context.cached(unfused_attentions))


def have_unfit_heads(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether the heads of any attention have sizes that no fused kernel takes as they are."""
    found = context.cached(unfused_attentions)
    sizes = (head_sizes(found[each.index][0], found[each.index][2]) for each in _attentions(context, layers))
    return any(each and (each[0] != each[1] or each[0] > MAX_HEAD or each[0] % _HEAD) for each in sizes)


def _done(context: Context, softmax: LayerFacts) -> tuple[list[str], list[str]]:
    """Return what is done to scores before a softmax, and to its result before the second product."""
    _, inner, _ = context.cached(unfused_attentions)[softmax.index]
    own = list(operations(softmax))
    begin = next((at for at, each in enumerate(own) if each in {"Max", "Exp"}), 0)
    before = chain.from_iterable(operations(each) for each in inner if each.index < softmax.index)
    after = chain.from_iterable(operations(each) for each in inner if each.index > softmax.index)
    return [*before, *own[:begin]], [*own[begin:], *after]


def cap_scores(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether scores of any attention pass a soft cap before their softmax."""
    return any("Tanh" in _done(context, each)[0] for each in _attentions(context, layers))


def add_to_scores(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether scores of any attention are changed by several tensors: masks and positions."""
    return any(
        sum(done in _CHANGES for done in _done(context, each)[0]) > 1 for each in _attentions(context, layers)
    )


def mask_again(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether a mask is applied to the result of a softmax, before the second product."""
    return any(_MASKS & {*_done(context, each)[1]} for each in _attentions(context, layers))


def pass_scores(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer is a softmax of scores that pass from one attention to the next."""
    return not context.cached(passing_scores).isdisjoint(each.index for each in layers)


def convert_scores(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether the scores change their type or layout in an attention.

    Reformats lie between others of its layers, or by their name stand among them, the first product writes
    FP32, or the kernel of the softmax casts its scores and the result, or reads FP32, such as a mask,
    beside a lower precision.
    """
    own = {each.index for each in layers}

    def is_any_own(near: Sequence[LayerFacts]) -> bool:
        return any(each.index in own for each in near)

    def converts(each: LayerFacts) -> bool:
        if context.is_reformat(each):
            return is_any_own(context.predecessors(each)) and is_any_own(context.successors(each))
        if is_softmax(each):
            types = {context.tensor(use.tensor).data_type for use in each.inputs}
            return ("FP32" in types and not types.isdisjoint(HALVES)) or cast_inside(each)
        # What the second product writes is the result.
        return widens(context, each) and is_any_own(context.successors(each))

    return any(is_named_reformat(each) or converts(each) for each in layers)


def have_one_query(_: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether all softmaxes among layers are of scores of one query, of which there are some."""
    scores = [each.outputs[0].dimensions for each in layers if is_softmax(each) and each.outputs]
    return bool(scores) and all(list(each[-2:-1]) == [1] for each in scores)


#: What advice may depend on, and the words for it where only some layers are so, or it is not known.
SCORE_CONDITIONS: Mapping[str, tuple[Test, str]] = {
    "scores-converted": (convert_scores, "With casts or reformats beside the scores"),
    "residual-scores": (pass_scores, "Where scores pass from one attention to the next"),
    "one-query": (have_one_query, "With one query"),
    "unfit-heads": (have_unfit_heads, "For head sizes that do not fit"),
    "capped-scores": (cap_scores, "For a soft cap of scores"),
    "added-scores": (add_to_scores, "With several summands of the scores"),
    "masked-again": (mask_again, "With a mask behind the softmax"),
}

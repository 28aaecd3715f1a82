"""Find the matrix products of an attention that is not fused."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from trexreport.analyzer.reformats import MOVES
from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.context import FLOATS, HALVES, search
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_fused_attention,
    is_pointwise_or_move,
    is_softmax,
    looks_up,
    prepares_scores,
    reachable,
)

_GEMM, _MATRIX_RANK = "gemm", 2
#: The largest head of a fused kernel in FP16, BF16 and FP8:
#: https://docs.nvidia.com/deeplearning/tensorrt/latest/inference-library/transformers-fused-attention.html
MAX_HEAD = 256
_SHIFTING = MOVES | {"Pad"}
#: The first product, the layers between, and the second product.
AttentionParts = tuple[LayerFacts, Sequence[LayerFacts], LayerFacts]


def products_around(context: Context, softmax: LayerFacts) -> AttentionParts | None:
    """Return the matrix multiplications before and after a softmax, and the layers between them.

    The first multiplication, the layers between, the second multiplication; None if there are not both.
    """
    first, before = _scores_of(context, softmax)
    if first is None:
        return None
    seconds, after = search([softmax], context.successors, is_pointwise_or_move)
    second = next((each for each in seconds if multiplies_activations(context, each)), None)
    if second is None:
        return None
    inner = [
        *reachable(context, [first], {each.index for each in before}),
        *(each for each in after if second in search([each], context.successors, is_pointwise_or_move)[0]),
        *_added_scores(context, softmax, first),
    ]
    return first, inner, second


def _scores_of(context: Context, softmax: LayerFacts) -> tuple[LayerFacts | None, Sequence[LayerFacts]]:
    """Return the product of the scores of a softmax, and the layers between.

    What an earlier softmax has read are scores of the attention before, if there are others.
    """
    ends, before = search([softmax], context.producing, prepares_scores)
    found = [each for each in ends if multiplies_activations(context, each)]
    own = [
        each for each in found if all(reader.index >= softmax.index for reader in _softmaxes(context, each))
    ]
    return next(iter(own or found), None), before


def _softmaxes(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the softmaxes that read results of a layer."""
    return [each for each in context.successors(layer) if is_softmax(each)]


def _is_first_reader(context: Context, softmax: LayerFacts, product: LayerFacts) -> bool:
    """Return whether no earlier softmax reads the result of a product."""
    return all(each.index >= softmax.index for each in _softmaxes(context, product))


def _is_of_another(context: Context, product: LayerFacts, softmax: LayerFacts) -> bool:
    """Return whether a product computes the scores of another attention."""
    others = (each for each in _softmaxes(context, product) if each.index != softmax.index)
    return any((found := _scores_of(context, each)[0]) and found.index == product.index for each in others)


def passing_scores(context: Context) -> set[int]:
    """Return the indices of softmaxes whose attention adds the scores of another, or has them added there.

    Residual attention (RealFormer) does so; the kernel of a softmax writes the sum for the next one. Call it
    through `Context.cached`.
    """
    attentions = context.cached(unfused_attentions)
    of_scores = {parts[0].index: index for index, parts in attentions.items()}
    found: set[int] = set()
    for index, (first, *_) in attentions.items():
        for use in context.layers[index].inputs:
            for writer in context.producers(use.tensor):
                other = of_scores.get(writer.index, writer.index)
                if other in attentions and other != index and attentions[other][0].index != first.index:
                    found |= {index, other}
    return found


def position_lookups(context: Context, softmax: LayerFacts, scores: LayerFacts) -> list[LayerFacts]:
    """Return the layers that look up scores of relative positions for those that a product writes.

    They look up computed scores, unlike a bias that is read from a table.
    """
    ends, _ = search([softmax], context.producing, lambda each: prepares_scores(each) and not looks_up(each))
    extents = scores.outputs[0].dimensions
    return [
        each
        for each in ends
        if looks_up(each)
        and _may_be_as_many(each.outputs[0].dimensions, extents)
        and any(context.tensor(read).data_type in FLOATS for read in activations(context, each))
    ]


def _may_be_as_many(one: Sequence[int], other: Sequence[int]) -> bool:
    """Return whether two shapes have as many elements; if extents are unknown, whether they may be equal."""
    if min(*one, *other, 1) > 0:
        return math.prod(one) == math.prod(other)
    return len(one) == len(other) and all(
        left == right or min(left, right) < 0 for left, right in zip(one, other, strict=True)
    )


def added_products(context: Context, softmax: LayerFacts, scores: LayerFacts) -> list[LayerFacts]:
    """Return the other products whose results are added to scores before a softmax."""
    return _added(context, softmax, scores)[0]


def _added(
    context: Context, softmax: LayerFacts, scores: LayerFacts
) -> tuple[list[LayerFacts], Sequence[LayerFacts]]:
    """Return these products, and the layers between all products and the softmax."""
    ends, between = search([softmax], context.producing, _prepares_or_pads)
    others = [each for each in ends if each.index != scores.index and is_conv_or_matmul(context, each)]
    return [each for each in others if not _is_of_another(context, each, softmax)], between


def _added_scores(context: Context, softmax: LayerFacts, scores: LayerFacts) -> list[LayerFacts]:
    """Return products of queries with positions that are added to scores, and what shifts these.

    They have at least as many elements. A bias of other tensors is not part of the attention, and what
    several attentions add is part of the first.
    """
    size = math.prod(scores.outputs[0].dimensions)
    added, before = _added(context, softmax, scores)
    products = [
        each
        for each in added
        if math.prod(each.outputs[0].dimensions) >= size > 0
        and _is_first_reader(context, softmax, each)
        and (multiplies_activations(context, each) or _have_one_depth(each, scores))
    ]
    return [*products, *reachable(context, products, {each.index for each in before})]


def _have_one_depth(one: LayerFacts, other: LayerFacts) -> bool:
    return one.work is not None and other.work is not None and one.work.k == other.work.k


def _prepares_or_pads(layer: LayerFacts) -> bool:
    """Return whether a layer may prepare scores or pads them, as the shift of relative positions does."""
    pads = bool(layer.operations) and _SHIFTING.issuperset(layer.operations)
    return prepares_scores(layer) or layer.type == "Padding" or pads


def unfused_attentions(context: Context) -> dict[int, AttentionParts]:
    """Return `products_around` of each softmax that has both, by index; call it through `Context.cached`."""
    apart = (each for each in context.of_kinds(is_softmax) if not is_fused_attention(context, each))
    found = {each.index: products_around(context, each) for each in apart}
    return {index: parts for index, parts in found.items() if parts}


def layers_of_attentions(context: Context) -> frozenset[int]:
    """Return the indices of all kernels of attentions that are not fused; call it through `Context.cached`.

    Softmaxes, their products, and what lies between.
    """
    return _layers_of(context.cached(unfused_attentions))


def layers_of_fitting_heads(context: Context) -> frozenset[int]:
    """Return `layers_of_attentions` without those whose heads are too large for a fused kernel."""
    fitting = {
        index: parts
        for index, parts in context.cached(unfused_attentions).items()
        if max(head_sizes(parts[0], parts[2]) or (0,)) <= MAX_HEAD
    }
    return _layers_of(fitting)


def _layers_of(attentions: Mapping[int, AttentionParts]) -> frozenset[int]:
    found: set[int] = set()
    for softmax, (first, inner, second) in attentions.items():
        found.update((softmax, first.index, second.index), (each.index for each in inner))
    return frozenset(found)


def products_of_attentions(context: Context) -> frozenset[int]:
    """Return the indices of the products around softmaxes; call it through `Context.cached`."""
    found = context.cached(unfused_attentions).values()
    return frozenset(each.index for parts in found for each in (parts[0], parts[2]))


def head_sizes(first: LayerFacts, second: LayerFacts) -> tuple[int, int] | None:
    """Return the head size of Q and K, and that of V, from the two products; None if they are not known.

    The first multiplies queries × head size by head size × keys, the second queries × keys by keys × head
    size, each perhaps transposed.
    """
    if first.work is None or second.work is None:
        return _head_of_packed(first, second)
    scores = first.work.m * first.work.n
    if not scores or second.work.k not in (first.work.m, first.work.n):
        return None
    of_values, rest = divmod(second.work.m * second.work.n * second.work.k, scores)
    return None if rest else (first.work.k, of_values)


def _head_of_packed(first: LayerFacts, second: LayerFacts) -> tuple[int, int] | None:
    """Return the head sizes where the first product reads Q, K and V of equal size side by side in each row.

    The second writes the heads of all rows, each of the size of V.
    """
    if len({use.tensor for use in first.inputs}) != 1 or not second.outputs:
        return None
    read, scores = first.inputs[0].dimensions, first.outputs[0].dimensions
    result = second.outputs[0].dimensions
    heads, values = math.prod(scores[:-1]), math.prod(result)
    if min((*read, *scores, *result), default=0) <= 0 or 3 * values != math.prod(read) or values % heads:
        return None
    return values // heads, values // heads


def multiplies_activations(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer is a matrix product of two activations, not of one with weights.

    Myelin writes the projections of Q, K and V into one buffer, and a product of two of its parts reads the
    buffer twice under one name, or once.
    """
    if context.is_convolution(layer) or not is_conv_or_matmul(context, layer) or not layer.outputs:
        return False
    if len(found := activations(context, layer)) > 1 or _hides_operand(context, layer):
        return True
    return sum(context.base_of(use.tensor) in map(context.base_of, found) for use in layer.inputs) > 1


def _hides_operand(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product that lists one input has a matrix for each head, which weights have not."""
    if len(layer.inputs) != 1 or layer.type != _GEMM or layer.weights_bytes:
        return False
    if layer.work is not None and not layer.work.hidden_weights_bytes:
        return False  # Constants that the file lists beside the input are its weights.
    is_constant = context.tensor(layer.inputs[0].tensor).role == "constant"
    read, written = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    has_batch = len(read) == len(written) > _MATRIX_RANK and 1 < read[0] == written[0]
    # The scores of packed Q, K and V are tokens by tokens for each head.
    heads, rows = math.prod(written[:-2]), math.prod(written[:-1])
    is_of_heads = heads > 1 or len(written) > len(read) or _is_read_for_values(context, layer)
    is_scores = is_of_heads and written[-2] == written[-1] in read[:-1]
    fits = 0 < rows < math.prod(read) and math.prod(read) % rows == 0
    return not is_constant and (has_batch or (is_scores and fits))


def _is_read_for_values(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product of matrices like the result of a layer reads a part of what it reads, as V."""
    read, written = layer.inputs[0], list(layer.outputs[0].dimensions)
    return any(
        context.is_matmul(each)
        and len(each.inputs) > 1
        and list(each.inputs[0].dimensions) == written
        and each.outputs[0].dimensions[-1] < read.dimensions[-1]
        for each in context.consumers(read.tensor)
    )


def widens(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies in half precision and writes FP32."""
    return (
        layer.precision in HALVES and layer.output_precision == "FP32" and is_conv_or_matmul(context, layer)
    )

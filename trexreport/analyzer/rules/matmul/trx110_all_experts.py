"""TRX110 matmul.all-experts."""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import TensorUse, slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import search
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.matmul.fixed_products import keeps_values
from trexreport.analyzer.rules.patterns import (
    is_conv_or_matmul,
    is_pointwise_or_move,
    is_reduction,
)
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, format_count

#: More scores are those of a vocabulary or of boxes.
_MAX_EXPERTS = 1024
#: A router keeps at most this part of the experts for a token.
_MAX_KEPT = 0.5
_CHOOSES = frozenset({"topk", "TopK"})


class _Router(NamedTuple):
    """What chooses the experts of each token.

    Attributes:
        product: The multiplication that computes the scores.
        rows: Number of tokens.
    """

    product: LayerFacts
    experts: int
    kept: int
    rows: int


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    explains={"layers": ("TRX501", "TRX914"), "share": ("TRX406", "TRX601")},
    thresholds=(min_share(5.0, "all that the experts compute"),),
)
def all_experts(context: Context, *, share_percent: float) -> Hits:
    """A mixture of experts computes all experts for every token.

    Cost:
        A router (TopK) keeps a few experts for each token, but the matrix multiplications of all of them
        compute all tokens, and most results are multiplied by zero.

    Recommendation:
        Multiply each expert with the tokens alone that the router sends to it, in one grouped multiplication:
        with a plugin, such as those of TensorRT-LLM and TensorRT Edge-LLM. [10.16.., if expert-layer:
        For up to 16 tokens of a sequence TensorRT has IMoELayer on this GPU; more are slow in it.]

    False alarm:
        With a few tokens, all experts are used by some, and reading the weights takes the time. It needs the
        shapes: the TopK layer, a multiplication before it that writes a score for each expert, and others
        of the same input whose result has the number of experts as an extent before the last, or as many
        equal ones as there are experts.

    Est. savings:
        An estimate: up to the part of the time that belongs to experts which the router does not keep; at
        least that of experts which no token needs, if the tokens are so few.
    """
    found = [(router, _experts(context, router)) for router in _routers(context)]
    by_size = group_by(
        [each for each in found if each[1]], lambda each: (each[0].experts, each[0].kept, each[0].rows)
    )
    for (experts, kept, rows), members in by_size.items():
        layers = slowest_first({each.index: each for _, some in members for each in some}.values())
        if not context.is_significant(layers, share_percent):
            continue
        # A few tokens need the weights of a few experts alone.
        unread, unused = 1 - min(rows * kept / experts, 1.0), 1 - kept / experts
        ranges = ((each, unread * (each.avg_ms or 0.0), unused * (each.avg_ms or 0.0)) for each in layers)
        of_each = f"all {format_count(experts)} experts for each token"
        one, many = (
            f"{noun} {of_each}" for noun in ("mixture of experts computes", "mixtures of experts compute")
        )
        yield Hit(
            f"{counted(len(members), one, many)}, of which the router keeps {format_count(kept)}: "
            f"{counted(len(layers), 'layer')} {takes_time(context, layers)}.",
            tuple(layers),
            of_layers("estimate", ranges, "removed-layers"),
            {"Experts": format_count(experts), "Kept": format_count(kept), "Tokens": format_count(rows)},
            affected=_summing(context, layers),
        )


def _summing(context: Context, layers: Sequence[LayerFacts]) -> tuple[LayerFacts, ...]:
    """Return the layers that weigh the results of experts and sum them up."""
    _, after = search(layers, context.successors, is_pointwise_or_move, len(context.layers))
    _, before = search(after, context.predecessors, is_pointwise_or_move, len(context.layers))
    return (*after, *before)


def _routers(context: Context) -> Iterator[_Router]:
    for layer in context.of_kinds(lambda each: each.type in _CHOOSES or "TopK" in each.operations):
        if not layer.inputs or not layer.outputs:
            continue
        scores, kept = layer.inputs[0].dimensions, layer.outputs[0].dimensions
        # A reshape may join the extents of the tokens.
        if not scores or not kept or math.prod(scores[:-1]) != math.prod(kept[:-1]) or min(kept) <= 0:
            continue
        if not kept[-1] <= _MAX_KEPT * scores[-1] or scores[-1] > _MAX_EXPERTS:
            continue
        before, _ = search([layer], context.predecessors, lambda each: not is_conv_or_matmul(context, each))
        products = [each for each in before if _last_extent(each) == scores[-1]]
        if len(products) == 1:
            yield _Router(products[0], scores[-1], kept[-1], math.prod(scores[:-1]))


def _last_extent(layer: LayerFacts) -> int:
    return layer.outputs[0].dimensions[-1] if layer.outputs and layer.outputs[0].dimensions else 0


def _experts(context: Context, router: _Router) -> list[LayerFacts]:
    """Return the layers that compute all experts of a router for all tokens."""
    found: dict[int, LayerFacts] = {}
    new, _ = _next(context, router, _reading_tokens(context, router))
    while new:
        found.update((each.index, each) for each in new)
        after = {each.index: each for layer in new for each in context.successors(layer)}
        products, between = _next(context, router, after.values())
        found.update((each.index, each) for each in between)
        new = [each for each in products if each.index not in found]
    # An activation between two products of one expert is the expert's.
    inside = {each.index: each for layer in found.values() for each in context.successors(layer)}
    return [*found.values(), *(each for each in inside.values() if _is_between(context, each, found.keys()))]


def _is_between(context: Context, layer: LayerFacts, experts: Collection[int]) -> bool:
    """Return whether a layer is none of the experts' and reads from these and writes to them alone."""
    beside = [each.index for each in (*context.predecessors(layer), *context.successors(layer))]
    return layer.index not in experts and bool(context.successors(layer)) and set(beside) <= set(experts)


def _reading_tokens(context: Context, router: _Router) -> list[LayerFacts]:
    """Return the layers that read the tokens of a router, which others write or the engine reads."""
    first = router.product
    _, between = search([first], context.predecessors, lambda each: keeps_values(context, each))
    tokens = {use.tensor for layer in (first, *between) for use in layer.inputs}
    return [reader for tensor in sorted(tokens) for reader in context.consumers(tensor)]


def _next(
    context: Context, router: _Router, starts: Iterable[LayerFacts]
) -> tuple[list[LayerFacts], list[LayerFacts]]:
    """Return the products of all experts at or behind layers, and what moves values before those."""
    reading = list(starts)
    products = [each for each in reading if is_conv_or_matmul(context, each)]
    others = [each for each in reading if not is_conv_or_matmul(context, each)]
    ends, passed = search(
        others,
        context.successors,
        # A normalization begins what follows the experts.
        lambda each: not is_conv_or_matmul(context, each) and not is_reduction(each),
        4 * router.experts,
    )
    every = {each.index: each for each in (*products, *ends) if each is not router.product}
    moving = {each.index: each for each in (*others, *passed) if _moves_all(router, each)}
    return _of_all(router, list(every.values())), list(moving.values())


def _of_all(router: _Router, products: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the products that are all experts in one, or as many equal ones as there are experts."""
    joined = [each for each in products if any(_has_all(router, use) for use in each.outputs)]
    alike = group_by(
        [each for each in products if each.work is not None and each.work.m == router.rows],
        lambda each: (each.work.n, each.work.k) if each.work else (),
    )
    single = [each for some in alike.values() if len(some) >= router.experts for each in some]
    return [*joined, *single]


def _has_all(router: _Router, use: TensorUse) -> bool:
    """Return whether a tensor has values of all experts and all tokens: a batch may be as many as experts."""
    *first, last = use.dimensions or (0,)
    rows = math.prod(max(each, 1) for each in first)
    return router.experts in first and (rows % (router.experts * router.rows) == 0 or last == router.rows)


def _moves_all(router: _Router, layer: LayerFacts) -> bool:
    values = [use for use in (*layer.inputs, *layer.outputs) if use.dimensions and use.dimensions[-1] > 1]
    return any(_has_all(router, use) for use in values)

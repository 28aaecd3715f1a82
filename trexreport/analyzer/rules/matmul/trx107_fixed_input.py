"""TRX107 matmul.fixed-input."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.matmul.fixed_products import (
    MANY_TIMES,
    copies_after,
    copies_beside,
    fixed_products,
    products_of_caches,
)
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.numbers import counted, middle_ellipsis

_MAX_NAME_WIDTH = 60


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(
        min_share(1.0, "the matrix multiplications of one input"),
        percent("warning_percent", 10.0, "Share of layer time from which on it is a warning in a decoder."),
        Threshold("min_count", 4, 2, 1e6, "Minimum number of matrix multiplications of one input."),
    ),
    replaces=True,
)
def fixed_input(context: Context, *, share_percent: float, warning_percent: float, min_count: float) -> Hits:
    """Matrix multiplications depend only on an input that may stay the same from query to query.

    Cost:
        The keys and values of a cross-attention are products of the encoder's output (in a decoder) or of the
        text (in a diffusion model). These stay the same for all tokens or steps, yet each query multiplies
        them again. So does a product of a whole cache, of which a step changes one entry.

    Recommendation:
        [unless of-caches: If the input stays the same for several queries, compute these products once in an
        engine of their own and give their results to this engine as inputs.] [if of-caches: Keep in the cache
        what the attention reads: the products of earlier tokens. Or multiply what is short instead: in a
        multi-head latent attention (MLA) the queries by the weights that expand keys, and the result of the
        attention by those of values, so that it reads the cache of latent vectors as it is.]

    False alarm:
        The input changes with every query: nothing in the files shows whether it does. Only inputs that at
        least four multiplications read at different depths are examined, or what a projection of one
        computes, in engines that have as many other multiplications. It is a warning where the input has at
        least eight times as many rows as most multiplications, as in a decoding step. Of caches only products
        with as many more rows are reported.

    Est. savings:
        An estimate: up to the time of these multiplications; nothing if the input changes with every query.
    """
    products = [each for each in context.products if not context.is_convolution(each)]
    for tensor, layers in context.cached(fixed_products):
        if len(layers) < min_count or not context.is_significant(layers, share_percent):
            continue
        name = middle_ellipsis(context.tensor(tensor).name, _MAX_NAME_WIDTH)
        found = tuple(context.slowest(layers, share_percent))
        much = context.is_significant(found, warning_percent) and _is_longer(context, tensor, products, found)
        yield Hit(
            f"{counted(len(found), 'matrix multiplication')} of input {name} alone "
            f"{takes_time(context, found)}: where it stays the same, so do their results.",
            found,
            of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in found), "removed-layers"),
            {"Input": name},
            severity="warning" if much else None,
            affected=tuple(copies_after(context, found)),
        )
    found = tuple(context.slowest(products_of_caches(context), share_percent))
    if found:
        yield Hit(
            f"{counted(len(found), 'matrix multiplication')} of whole caches {takes_time(context, found)}: "
            "but for new entries each step computes again what the one before did.",
            found,
            of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in found), "removed-layers"),
            severity="warning" if context.is_significant(found, warning_percent) else None,
            affected=tuple(copies_beside(context, found)),
        )


def _is_longer(
    context: Context, tensor: int, products: Sequence[LayerFacts], found: Sequence[LayerFacts]
) -> bool:
    """Return whether an input has many times the rows of most products that do not depend on it alone."""
    own = {each.index for each in found}
    rows = [each.work.m for each in products if each.work and each.index not in own]
    of_input = math.prod(context.tensor(tensor).dimensions[:-1])
    return bool(rows) and of_input >= MANY_TIMES * statistics.median(rows)

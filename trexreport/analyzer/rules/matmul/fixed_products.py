"""Matrix multiplications that depend only on an input that may stay the same from query to query."""

from __future__ import annotations

import math
import statistics
from collections.abc import Callable, Sequence

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, LayerFacts
from trexreport.analyzer.rules.caches import appending, appends_to_cache
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, search
from trexreport.analyzer.rules.patterns import (
    activations,
    is_conv_or_matmul,
    is_conversion,
    is_pointwise,
    only_copies,
)

#: Fewer multiplications of one input are not read in turn.
_MIN_COUNT = 2
#: From this factor of the usual number of rows on an input is longer than what a query adds.
MANY_TIMES = 8


def fixed_products(context: Context) -> list[tuple[int, Sequence[LayerFacts]]]:
    """Return inputs with the products that depend on them alone and that are read at different depths.

    All of them read one tensor, which is the input or what a projection computes of it alone. There are at
    least as many other products.
    """
    products = [each for each in context.products if not context.is_convolution(each)]
    sources = {each.index: found for each in products if (found := _source_of(context, each)) is not None}
    by_source = group_by(
        [each for each in products if each.index in sources],
        lambda each: context.base_of(sources[each.index]),
    )
    return [
        (tensor, layers)
        for layers in by_source.values()
        if (tensor := _input_of(context, sources[layers[0].index])) is not None
        and _MIN_COUNT <= len(layers) <= len(products) - len(layers)
        and _is_read_in_turn(context, layers)
    ]


def products_of_caches(context: Context) -> list[LayerFacts]:
    """Return the products of whole caches alone, with many times the rows of others.

    The cache is what a layer copied to append to it.
    """
    products = [each for each in context.products if not context.is_convolution(each) and each.work]
    found = [each for each in products if multiplies_cache(context, each)]
    known = {each.index for each in found}
    rows = [each.work.m for each in products if each.work and each.index not in known]
    least = MANY_TIMES * statistics.median(rows) if rows else math.inf
    return [each for each in found if each.work and each.work.m >= least]


def multiplies_cache(context: Context, product: LayerFacts) -> bool:
    """Return whether a product multiplies weights with nothing but a cache to which a layer has appended."""
    if not context.cached(appending) or len(activations(context, product)) != 1:
        return False
    writers = context.predecessors(
        product, lambda each: keeps_values(context, each) and not appends_to_cache(context, each)
    )
    return len(writers) == 1 and appends_to_cache(context, writers[0])


def copies_after(context: Context, products: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that only arrange what products compute: they depend on the same input alone."""
    known = {each.index for each in products}
    found = []
    for layer in context.layers:
        writers = {each.index for each in context.producing(layer)}
        if writers and writers <= known and keeps_values(context, layer):
            known.add(layer.index)
            found.append(layer)
    return found


def copies_beside(context: Context, products: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the layers that only arrange what products compute, perhaps beside other tensors."""
    after = {each.index: each for product in products for each in context.successors(product)}
    return [each for each in after.values() if keeps_values(context, each)]


def _source_of(context: Context, product: LayerFacts) -> int | None:
    """Return the only tensor that a product multiplies with weights, before it was converted or copied."""
    read = activations(context, product)
    return _walked(context, read[0], keeps_values) if len(read) == 1 else None


def _input_of(context: Context, tensor: int) -> int | None:
    """Return the input of values that a tensor is, or that products and pointwise layers alone make it of."""
    found = _walked(context, tensor, _projects)
    return context.base_of(found) if context.is_input(found) and _has_values(context, found) else None


def _walked(context: Context, tensor: int, through: Callable[[Context, LayerFacts], bool]) -> int:
    """Return the tensor at which layers begin that lead to another one, each of one tensor alone."""
    before: int | float = math.inf
    while not context.is_input(tensor):
        writers = context.producers(tensor)
        if len(writers) != 1 or writers[0].index >= before or not through(context, writers[0]):
            break
        read = activations(context, writers[0])
        if len(read) != 1:
            break
        before, tensor = writers[0].index, read[0]
    return tensor


def _projects(context: Context, layer: LayerFacts) -> bool:
    is_product = is_conv_or_matmul(context, layer) and not context.is_convolution(layer)
    return is_product or is_pointwise(layer) or keeps_values(context, layer)


def _has_values(context: Context, tensor: int) -> bool:
    facts = context.tensor(tensor)
    return facts.data_type in FLOATS | QUANTIZED and len(facts.dimensions) > 1


def _is_read_in_turn(context: Context, products: Sequence[LayerFacts]) -> bool:
    """Return whether what reads the last product depends on what reads the first, as in a row of blocks."""
    ordered = sorted(products, key=lambda each: each.index)
    first, last = (_readers(context, each) for each in (ordered[0], ordered[-1]))
    _, reached = search(first, context.successors, lambda _: True, len(context.layers))
    targets = {each.index for each in last} - {each.index for each in first}
    return bool(targets) and targets <= {each.index for each in reached}


def _readers(context: Context, product: LayerFacts) -> list[LayerFacts]:
    return search([product], context.successors, lambda each: keeps_values(context, each))[0]


def keeps_values(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only converts or copies values."""
    return is_conversion(context, layer) or only_copies(layer)

"""Which layers read, order and append to caches of keys and values that pass through the engine."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.convolution.channels import elements
from trexreport.analyzer.rules.copied import copied
from trexreport.analyzer.rules.fusion.attention_parts import products_of_attentions
from trexreport.analyzer.rules.layer_tests import alike
from trexreport.analyzer.rules.patterns import fused_attentions, is_fused_attention, looks_up, only_copies

#: Operations that write new entries behind or among those that are already there.
_WRITES_CACHE = frozenset({"Concat", "Scatter", "ScatterElements", "ScatterND"})
#: What joins new entries, and at most this part of them where the result does not leave the engine.
_JOINS, _FEW_NEW = "Concat", 0.125
#: An attention of one query and a long cache reads this many times as many elements as it writes, or more.
_MANY_KEYS = 32
#: Batch, heads and tokens in either order, and the size of a head.
_RANK = 4


def passes_cache_on(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether any layer appends to a cache."""
    return any(appends_to_cache(context, each) for each in layers)


def appends_to_cache(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer copies an input of the engine to append to it, as to a cache.

    It writes an output of the engine, or has few new entries.
    """
    return layer.index in context.cached(appending)


def appending(context: Context) -> frozenset[int]:
    """Return the indices of the layers that append to caches; call it through `Context.cached`."""
    # Thousands of layers may ask about one that joins what they write.
    joining = context.of_kinds(lambda each: _JOINS in each.operations)
    layers = {each.index: each for each in (*context.writing_outputs, *joining)}
    return frozenset(index for index, each in layers.items() if _appends(context, each))


def _appends(context: Context, layer: LayerFacts) -> bool:
    sources = [each for each in layer.inputs if _may_be_cache(context, each.tensor)]
    if not sources or copied(layer).isdisjoint(_WRITES_CACHE):
        return False
    return any(
        len(source.dimensions) == len(result.dimensions)
        and sum(map(int.__ne__, source.dimensions, result.dimensions)) <= 1
        and all(map(int.__le__, source.dimensions, result.dimensions))
        and (context.is_output(result.tensor) or _has_few_new(source, result))
        for result in layer.outputs
        for source in sources
    )


def _may_be_cache(context: Context, tensor: int) -> bool:
    """Return whether a tensor is an input of the engine, perhaps in another order."""
    ordering = context.cached(_ordering)
    return context.is_input(tensor) or bool(
        ordering and not ordering.isdisjoint(each.index for each in context.producers(tensor))
    )


def _ordering(context: Context) -> frozenset[int]:
    """Return the indices of the layers that write the items of an input in another order."""
    return frozenset(each.index for each in context.of_kinds(looks_up) if _orders(context, each))


def _has_few_new(source: TensorUse, result: TensorUse) -> bool:
    """Return whether a result has a few entries more than a source of heads, as of a cache."""
    before, after = elements(source), elements(result)
    return len(source.dimensions) == _RANK and 0 < after - before <= _FEW_NEW * after


def orders_cache(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads a cache in another order, as of beams, before an entry is appended."""
    return _orders(context, layer) and any(
        appends_to_cache(context, each) for each in context.successors(layer)
    )


def _orders(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer writes the items of an input of the engine in another order."""
    return looks_up(layer) and any(
        context.is_input(read.tensor) and read.dimensions == written.dimensions
        for written in layer.outputs
        for read in layer.inputs
    )


def reads_cache(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether attentions read many more keys than they have queries; None if some do."""
    return alike(_reads_many(context, each) for each in layers)


def share_heads(_: Context, layer: LayerFacts) -> bool:
    """Return whether an attention has fewer heads of keys than of queries, and more keys than queries."""
    shapes = [use.dimensions for use in layer.inputs if len(use.dimensions) == _RANK]
    return any(
        query[0] == key[0]
        and query[3] == key[3]
        and query[heads] > key[heads]
        and query[tokens] < key[tokens]
        for heads, tokens in ((1, 2), (2, 1))
        for query in shapes
        for key in shapes
    )


def dequantizes_cache(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer writes a quantized cache in floating point, for a fused attention to read it."""
    caches = [use for use in layer.inputs if len(use.dimensions) == _RANK]
    return (
        layer.precision in QUANTIZED
        and layer.output_precision in FLOATS
        and sum(map(elements, caches)) == sum(map(elements, layer.outputs))
        and all(_is_of_cache(context, use) for use in caches)
        and any(is_fused_attention(context, each) for each in context.successors(layer))
    )


def _is_of_cache(context: Context, use: TensorUse) -> bool:
    """Return whether a tensor is an input of the engine, or what a layer copies to append to one."""
    return context.is_input(use.tensor) or any(
        appends_to_cache(context, each) for each in context.producers(use.tensor)
    )


def have_large_cache(context: Context, layers: Sequence[LayerFacts]) -> bool:
    """Return whether what reads or copies caches takes at least half as long as layers."""
    around = [context.layers[each] for each in context.cached(appending)]
    around += [each for each in context.cached(fused_attentions) if reads_cache(context, [each])]
    around += _multiplying_caches(context)
    return 2 * context.time_ms(around) >= context.time_ms(layers) > 0


def _multiplying_caches(context: Context) -> list[LayerFacts]:
    """Return the products of attentions that read what appends to a cache, and what copies it for them."""
    appended = context.cached(appending)
    found: dict[int, LayerFacts] = {}
    for product in map(context.layers.__getitem__, sorted(context.cached(products_of_attentions))):
        before = [each for each in context.predecessors(product) if each.index not in appended]
        copies = [each for each in before if only_copies(each) and _follows(context, each, appended)]
        reading = (product, *copies) if copies or _follows(context, product, appended) else ()
        found.update((each.index, each) for each in reading)
    return [*found.values()]


def _follows(context: Context, layer: LayerFacts, others: frozenset[int]) -> bool:
    return any(each.index in others for each in context.predecessors(layer))


def _reads_many(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads a tensor with many more elements than it writes.

    Of a tensor with open extents that counts only if what the layer writes has none: its queries are few.
    """
    if any(min(use.dimensions, default=1) < 0 for use in layer.outputs):
        return False
    written = sum(map(elements, layer.outputs))
    read = (use for use in layer.inputs if context.tensor(use.tensor).role != "constant")
    return any(
        min(use.dimensions, default=1) < 0 or elements(use) >= _MANY_KEYS * max(written, 1) for use in read
    )

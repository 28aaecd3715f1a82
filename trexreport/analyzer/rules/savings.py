"""Estimate what a fix saves, and whether that is worth a finding."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Callable, Iterable, Sequence
from functools import wraps

from trexreport.analyzer.analysis import LayerFacts, TensorUse
from trexreport.analyzer.analysis.contradictions import contradicted
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.analysis.timing import Stability
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.engine.dla import dla_use
from trexreport.analyzer.rules.expected import floor_ms, narrowed
from trexreport.analyzer.rules.gains import join_bases, of_layers, with_percent
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.rule import Check, Hit
from trexreport.model.data_format import BITS, is_known_layout

#: Operations of a generated kernel that change no order of elements.
_KEEPS_ORDER = frozenset({"Cast", "Copy", "Move"})
_FLOAT_BYTES = {"FP32": 4, "FP16": 2, "BF16": 2}
#: What even the slowest GPUs of TensorRT (25 GB/s) move within a launch of a few microseconds.
_LAUNCH_BYTES = 2**16
#: Of an element of a tensor that a fix quantizes.
_QUANTIZED_BITS = 8


def is_sustained(stability: Stability | None) -> bool:
    """Return whether most queries follow one change to slower times, so that the median is of that level."""
    if stability is None or (change := stability.change) is None or stability.steps_ms:
        return False
    return change.after_ms > change.before_ms and 2 * change.ends < stability.queries


def whole_ms(context: Context, gain: Gain) -> float:
    """Return what savings that are not part of the time of layers are a share of: the time of a query.

    Of a gap that the host makes it is the time between two queries, where that is longer. Of what some
    queries take more than others it is the mean, as their median is that of one group.
    """
    latency, codes = context.analysis.latency, [each.code for each in gain.bases]
    if latency.throughput_qps and "measured-gap" in codes:
        return max(context.query_ms, 1000 / latency.throughput_qps)
    sustained = is_sustained(context.analysis.stability)
    if latency.end_to_end and "measured-queries" in codes and not sustained:
        return latency.end_to_end.mean_ms
    return context.query_ms


def with_shares(context: Context, gain: Gain) -> Gain:
    """Return savings with percentages, but for those of a time that files contradict."""
    found = context.analysis.contradictions
    layers_ms = 0.0 if contradicted(found, ["layer-times"]) else context.savings_of_ms
    return with_percent(
        gain, layers_ms, 0.0 if contradicted(found, ["query-times"]) else whole_ms(context, gain)
    )


def worthwhile(check: Check) -> Check:
    """Make a rule with the threshold `min_gain` report its hits only if they are worthwhile together."""

    @wraps(check)
    def checked(context: Context, *, gain_percent: float, **thresholds: float) -> list[Hit]:
        return if_worthwhile(context, check(context, **thresholds), gain_percent)

    return checked


def untimed_as_info(check: Check) -> Check:
    """Make the hits of a rule information where nothing was measured: the structure shows no cost."""

    @wraps(check)
    def checked(context: Context, **thresholds: float) -> list[Hit]:
        found = list(check(context, **thresholds))
        if context.total_ms:
            return found
        return [dataclasses.replace(hit, severity="info", gain=None) for hit in found]

    return checked


def untimed_by_bytes(check: Check) -> Check:
    """Like `untimed_as_info`, but report nothing where all that layers move passes within a launch.

    Products are reported however little they read: their multiplications are not bytes.
    """

    @wraps(check)
    def checked(context: Context, **thresholds: float) -> list[Hit]:
        found = untimed_as_info(check)(context, **thresholds)
        if context.total_ms:
            return list(found)
        layers = [layer for hit in found for layer in hit.layers]
        sizes = [layer.moved_bytes for layer in layers]
        if None in sizes or any(is_conv_or_matmul(context, each) for each in layers):
            return list(found)
        return list(found) if sum(size or 0 for size in sizes) >= _LAUNCH_BYTES else []

    return checked


def if_worthwhile(context: Context, hits: Iterable[Hit], gain_percent: float) -> list[Hit]:
    """Return the hits if their estimated savings together reach a share of layer time, else none.

    A hit without an estimate counts with the time of its layers. Where nothing was measured all hits are
    information.
    """
    found = list(hits)
    if not context.total_ms:
        return [dataclasses.replace(hit, severity="info") for hit in found]
    gains = (context.time_ms(hit.layers) if hit.gain is None else hit.gain.high_ms for hit in found)
    return found if context.share_percent(math.fsum(gains)) >= gain_percent else []


def fused(context: Context, layers: Iterable[LayerFacts], *, is_written: bool = False) -> Gain:
    """Return what one kernel in place of several saves.

    The kernel reads what the layers read from others and writes what others read. With the bytes of these
    tensors it takes the layers' time per byte: that of the fastest at least, that of the slowest at most.
    Without them it takes the time of the slowest layer at least, and may be no faster. Nor may it exist where
    a reformat between them changes the layout, or may do so: no pointwise kernel does, only one that is
    written for it (`is_written`).
    """
    once = sorted({layer.index: layer for layer in layers}.values(), key=lambda each: each.avg_ms or 0.0)
    times = [each.avg_ms or 0.0 for each in once]
    total = math.fsum(times)
    after = times[-1], total
    rates = [each.avg_ms / each.moved_bytes for each in once if each.avg_ms and each.moved_bytes]
    outside = _outside_bytes(context, once)
    if outside and len(rates) == len(once):
        floor = context.cached(floor_ms)
        after = max(outside * min(rates), floor), max(outside * max(rates), floor)
    saved = [min(max(total - each, 0.0), total) for each in after]
    # The slowest layer stays; what the others take is what is saved, as far as it reaches.
    shares = [each / total if total else 0.0 for each in times]
    changes = {context.reformat_of[each.index].change for each in once if context.is_reformat(each)}
    if not (is_written or changes <= {"copy", "data type"}):
        saved[1] = 0.0
    ranges = ((each, saved[1] * part, saved[0] * part) for each, part in zip(once, shares, strict=True))
    return of_layers("estimate", ranges, "fused-kernel")


def fused_by_name(groups: Iterable[Sequence[LayerFacts]]) -> Gain:
    """Return what one kernel saves in place of each group of layers known by name: all but the slowest."""
    others = (sorted(group, key=lambda each: each.avg_ms or 0.0)[:-1] for group in groups)
    ranges = ((each, 0.0, each.avg_ms or 0.0) for group in others for each in group)
    return of_layers("estimate", ranges, "fused-kernel")


def _outside_bytes(context: Context, layers: Sequence[LayerFacts]) -> int | None:
    """Return the bytes that layers exchange with others, each tensor once; None if not known."""
    inside = {layer.index for layer in layers}
    sizes: dict[int, int | None] = {}
    for layer in layers:
        for use in layer.inputs:
            if not inside.issuperset(each.index for each in context.producers(use.tensor)) or not (
                context.producers(use.tensor)
            ):
                sizes[context.base_of(use.tensor)] = use.size_bytes
        for use in layer.outputs:
            readers = {each.index for each in context.consumers(use.tensor)}
            if not readers or not inside.issuperset(readers):
                sizes[context.base_of(use.tensor)] = use.size_bytes
    known = [size for size in sizes.values() if size is not None]
    return sum(known) if known and len(known) == len(sizes) else None


def without_conversion(context: Context, layer: LayerFacts) -> tuple[float, float]:
    """Return the least and the most in ms that a layer saves if its input and output have one type.

    Only where the layouts are known and equal is nothing left to do. Else the change of the layout remains,
    with fewer bytes; and so does a copy into a tensor that other layers write, too, or that joins several.
    What waits for a DLA may save nothing.
    """
    time_ms = layer.avg_ms or 0.0
    joins = len(layer.inputs) > 1 and "Concat" in layer.operations
    uses = *(layer.inputs if joins else layer.inputs[:1]), layer.outputs[0]
    before, after = (context.tensor(use.tensor) for use in (uses[0], uses[-1]))
    fewer_bytes = time_ms * _saved_share(context, uses)
    if joins or len(context.producers(uses[-1].tensor)) > 1:
        return 0.0, fewer_bytes
    if any(layer is each for each in context.cached(dla_use).transfers):
        return 0.0, time_ms
    same = before.layout == after.layout and is_known_layout(before.layout)
    return (time_ms if same and _KEEPS_ORDER.issuperset(layer.operations) else fewer_bytes), time_ms


def _saved_share(context: Context, uses: Sequence[TensorUse], max_bits: int = max(BITS.values())) -> float:
    """Return the share of a conversion's bytes that is saved if all its tensors have the narrowest type."""
    sizes = [use.size_bytes or 0 for use in uses]
    if not all(sizes):
        return 0.0
    bits = [BITS.get(context.tensor(use.tensor).data_type, 1) for use in uses]
    left = min(*bits, max_bits) * math.fsum(size / each for size, each in zip(sizes, bits, strict=True))
    return max(0.0, 1 - left / sum(sizes))


def removed_and_narrowed(
    context: Context,
    removed_layers: Iterable[LayerFacts],
    narrower: Iterable[tuple[LayerFacts, Sequence[TensorUse]]],
) -> Gain:
    """Return what a fix saves that removes layers and makes tensors of others quantized.

    Args:
        context: The engine.
        removed_layers: Conversions, whose time is saved; at least that of fewer bytes where the quantized
            tensors beside them may have several layouts, so that a change of the layout stays. Of a copy in
            floating point only what fewer bytes save, and nothing for certain.
        narrower: Layers, and those of their FP32 and FP16 tensors that get one byte per element.
    """
    found = list(removed_layers)
    ranges = [(each, _certain_ms(context, each, found), _possible_ms(context, each)) for each in found]
    bases = [GainBasis("removed-layers")] if ranges else []
    for layer, uses in narrower:
        low, high, basis = narrowed(
            context, layer, _narrowed_bytes(context, uses), _quantized_like(context, layer)
        )
        if high > 0:
            ranges.append((layer, low, high))
            bases.append(basis)
    return of_layers("estimate", ranges, *join_bases(bases))


def _possible_ms(context: Context, layer: LayerFacts) -> float:
    """Return the most time in ms that a conversion saves; what only copies stays, with fewer bytes."""
    time_ms = layer.avg_ms or 0.0
    if not _is_copy(context, layer):
        return time_ms
    fewer_bytes = time_ms * _saved_share(context, (layer.inputs[0], layer.outputs[0]), _QUANTIZED_BITS)
    return min(fewer_bytes, max(time_ms - context.cached(floor_ms), 0.0))


def _is_copy(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only copies a floating-point tensor or a part of it, such as one of a Split."""
    reformat = context.reformat_of.get(layer.index)
    return layer.precision in FLOATS and reformat is not None and reformat.change == "copy"


def _certain_ms(context: Context, layer: LayerFacts, removed_layers: Sequence[LayerFacts]) -> float:
    """Return the least time in ms that a conversion saves that goes together with others."""
    if _is_copy(context, layer) or not layer.inputs or not layer.outputs:
        return 0.0
    uses = [use for each in removed_layers for use in (*each.inputs[:1], *each.outputs[:1])]
    tensors = [context.tensor(use.tensor) for use in uses]
    beside = {tensor.layout for tensor in tensors if tensor.data_type in QUANTIZED}
    time_ms = layer.avg_ms or 0.0
    if len(beside) <= 1 and all(is_known_layout(tensor.layout) for tensor in tensors):
        return time_ms
    return time_ms * _saved_share(context, (layer.inputs[0], layer.outputs[0]), _QUANTIZED_BITS)


def _narrowed_bytes(context: Context, uses: Iterable[TensorUse]) -> float:
    """Return the bytes by which FP32 and FP16 tensors are larger than quantized ones."""
    types = [(use, context.tensor(use.tensor).data_type) for use in uses]
    return math.fsum(
        (use.size_bytes or 0) * (1 - 1 / _FLOAT_BYTES[name]) for use, name in types if name in _FLOAT_BYTES
    )


def _quantized_like(context: Context, layer: LayerFacts) -> Callable[[LayerFacts], bool]:
    """Return a test for layers of the same kind that read and write quantized tensors."""
    is_like, is_like_others = context.cached(_quantized_kinds)
    return is_like if context.is_convolution(layer) else is_like_others


def _quantized_kinds(context: Context) -> tuple[Callable[[LayerFacts], bool], Callable[[LayerFacts], bool]]:
    """Return the tests for convolutions and for other products, which keep no reference to the context."""
    products = [
        each
        for each in context.layers
        if each.precision in QUANTIZED
        and each.output_precision in QUANTIZED
        and is_conv_or_matmul(context, each)
    ]
    convolutions = {each.index for each in products if context.is_convolution(each)}
    others = {each.index for each in products} - convolutions
    return (lambda other: other.index in convolutions), (lambda other: other.index in others)

"""TRX507 fusion.copies."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence

from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, LayerFacts, built_in_rule
from trexreport.analyzer.rules.caches import appending, orders_cache
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED
from trexreport.analyzer.rules.copy_kinds import handles_heads, purpose_of_copy, reads_table, sums_up
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.moves import parts_beside
from trexreport.analyzer.rules.patterns import looks_up, only_copies, operations
from trexreport.analyzer.rules.phrases import EXTENT, LAYER
from trexreport.analyzer.rules.pixel_shuffles import shuffles_pixels
from trexreport.analyzer.rules.savings import untimed_by_bytes
from trexreport.numbers import format_shape

#: Types of a network's values; others are indices and shapes, which are small.
VALUES = FLOATS | QUANTIZED
#: Copies that each block repeats count together from this multiple of the share of one.
_REPEATED = 4
#: Small ones of any look are reported from this share of layer time on that they take together.
_SMALL_PERCENT = 5.0
#: What a model needs, such as pixel shuffles; from this share of layer time on another one may be worth it.
_NEEDED: Sequence[tuple[Callable[[Context, LayerFacts], bool], float]] = (
    (lambda _, layer: shuffles_pixels(layer), 10.0),
    (handles_heads, _SMALL_PERCENT),
)
#: Without times: a minimum share of the bytes that layers move, and of the largest extents.
_BYTES_PERCENT, _MUCH = 2.5, 0.5


@built_in_rule(
    "warning",
    many="{count} layers copy data{extent}, {Copied}.",
    thresholds=(
        min_share(0.5, "a copy, or a fourth of all of one look"),
        min_share(2, "all copies together", name="together_percent"),
    ),
    explains={"share": ("TRX205", "TRX601")},
    replaces=True,
)
@untimed_by_bytes
def copies(context: Context, *, share_percent: float, together_percent: float) -> list[Hit]:
    """A layer only copies data.

    Cost:
        Slices, concatenations, transposes, paddings and reshapes that TensorRT could not eliminate read and
        write their whole tensor and compute nothing. So does a Scatter, however few its new elements are.

    Recommendation:
        [if shifts: The shift of relative positions (pad, reshape, slice) follows from the model: add their
        scores by a plugin that reads each one at its offset, or train with positions that need no shift, such
        as rotary ones or a bias that the mask takes up.] [if folds-batch: A batch becomes channels where each
        item has weights of its own, in groups: if these are common weights times factors (as in StyleGAN),
        scale the channels before and behind the convolution instead, so that one convolution with the common
        weights keeps the batch.] [if plain-copies, unless shifts, unless joins, unless slices, unless
        transposes: Let the layers before and after it write and read the data where and as it is.] [if cache:
        A cache that is read as an input and copied to append to it: give it one buffer of the full length,
        and write only the new entries into it.] [10.15.., if cache: IKVCacheUpdateLayer does so.]
        [10.3..10.14, if cache: A plugin whose output is its input (preview feature ALIASED_PLUGIN_IO_10_03)
        does so.] [..10.2, if cache: A plugin of the attention with its cache does so.] [if orders-cache:
        Beams need no copies: let the attention read each cache by a table of their origins.] [if
        repeats-heads: Heads of K and V do not have to be repeated: multiply the queries of a group with its
        one head, as rows of one matrix, or use an attention that does so.] [if heads: Split heads before an
        attention, and join them behind it, by Reshape and Transpose alone, directly beside the products: then
        its kernel can read and write with strides. From TensorRT 10.14 on ONNX Attention states it.] [if
        slices, if also-plain, unless shifts, unless windows, unless at-io: Let the producer write its parts
        as separate outputs.] [if slices, if also-plain, if at-io: Of an input: let the preprocessing write
        the parts; every second pixel (Focus of YOLOv5) is what a convolution with twice the kernel and stride
        reads by itself.] [if joins, unless joins-alike, unless cache, unless shifts, unless windows: Make its
        inputs of one type and layout, so that their producers write into it in place.] [if joins-alike,
        unless cache, unless shifts, unless windows: Its inputs are of one type and layout already. Fewer and
        larger ones, as of one operation in place of several, leave less to join.] [if copies, unless joins:
        Copies belong to Concat and Split: where all parts have one type, layout and scale, and their channels
        fill the units of the layout, the layers beside write or read the joined tensor itself.] [if gathers,
        unless orders-cache: Where the places are constant, let the layer after it read all elements, with
        weights of zero for those that are left out.] [if scatters, unless cache, unless scatters-by-data: Put
        the parts together with one Concat or Where where their places are fixed.] [if scatters, unless cache,
        if scatters-by-data: In place of a Scatter a plugin can clear the tensor and write each element to its
        place, in the layout that the next layer reads; elements that are sorted by their places are written
        in order.] [if enlarges: A pixel shuffle is what the model needs. A transposed convolution in place of
        it and the convolution before it (ConvTranspose with the factor as stride) writes the same pixels at
        once: compare both, or enlarge later and fewer channels.] [if reduces: Fold it into the convolution
        after it, whose kernel and stride then are larger by the factor, with the same weights in another
        order.] [if windows: Windows of tokens follow from the model: blocks that keep their tokens in
        windows, or a plugin of the attention that reads them in place, save it.] [if transposes, if
        also-plain: Export the model in the layout in which it computes.] [if pads, unless reflects: Move it
        into the convolution or pooling after it (symmetric zeros).] [if reflects: A convolution pads with
        zeros only: train the model with them if it may use them.] [if reshapes, if at-io, if also-plain: Give
        the I/O tensor the other shape, or order of dimensions, instead.] [if only-casts: Remove a cast to the
        type that the data already has from the model.]

    False alarm:
        The next layer needs the data in that order and would read it much slower otherwise. Copies that each
        block repeats count together, with those of other extents, and so do small ones that together take a
        twentieth of layer time. Lookups in tables (Gather) are not reported (TRX511), nor is a Scatter of
        more elements than it writes, which sums up (TRX918), nor are copies that together take less than
        `together-percent`, nor pixel shuffles (DepthToSpace and SpaceToDepth), which a model needs, that take
        less than a tenth of layer time, nor those that split or join the heads of fused attentions and take
        less than a twentieth; others of both are information. Without a profile the share of moved bytes
        counts, and they are information; where the extents are not known, those that copy much less than
        other layers read are left out.

    Est. savings:
        An estimate: up to the time of the layer, which is removed; less if its neighbors then read or write
        with strides.
    """
    found = _pure_copies(context)
    needed: set[int] = set()
    for test, percent_of_time in _NEEDED:
        own = {each.index for each in found if test(context, each)}
        if context.is_significant((context.layers[each] for each in own), percent_of_time):
            needed |= own
        else:
            found = [each for each in found if each.index not in own]
    found = _without_small(context, found, share_percent)
    if context.total_ms and not context.is_significant(found, together_percent):
        return []
    parts = parts_beside(context, found)
    return [_hit(context, each, parts[each.index], is_needed=each.index in needed) for each in found]


def _pure_copies(context: Context) -> list[LayerFacts]:
    """Return the layers that only copy, with those that append to caches or order them."""
    # Those that read tables are lookups, and those that also transpose are copies where they read none.
    found = context.of_kinds(
        lambda each: only_copies(each) and ("Transpose" in each.operations or not looks_up(each))
    )
    found = [each for each in found if not reads_table(context, each) and not sums_up(context, each)]
    known = {each.index for each in found}
    # A kernel that turns the new keys and passes the whole cache on copies, too, and what orders its beams.
    found += [context.layers[each] for each in sorted(context.cached(appending) - known)]
    ordering = (each for each in context.of_kinds(looks_up) if orders_cache(context, each))
    return found + [each for each in ordering if each.index not in known]


def _without_small(context: Context, found: Sequence[LayerFacts], share_percent: float) -> list[LayerFacts]:
    """Return the copies that matter, alone, with those of their look or all small ones, and their like."""
    repeated = {
        layer.index
        for layers in group_by(found, _look).values()
        if _add_up(context, layers, share_percent)
        for layer in layers
    }
    small = [
        each for each in found if each.index not in repeated and not _matters(context, each, share_percent)
    ]
    left_out = {each.index for each in small}
    together = [each for each in small if each.avg_ms]
    if context.total_ms and context.is_significant(together, _SMALL_PERCENT):
        left_out -= {each.index for each in together}
    kept = {_kind(each) for each in found if context.total_ms and each.index not in left_out}
    return [each for each in found if each.index not in left_out or _kind(each) in kept]


def _hit(context: Context, layer: LayerFacts, parts: Sequence[LayerFacts], *, is_needed: bool) -> Hit:
    purpose, layers = purpose_of_copy(context, layer), (layer, *parts)
    return Hit(
        f"{LAYER} copies data{EXTENT}, {purpose}.",
        layers,
        of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in layers), "removed-layers"),
        {"Copied": purpose, **_traffic(layer)},
        severity="info" if is_needed else None,
    )


def _look(layer: LayerFacts) -> tuple[object, ...]:
    """Return what copies of a block that repeats have in common."""
    shapes = (tuple(use.dimensions) for use in (*layer.inputs, *layer.outputs))
    return layer.type, layer.precision, tuple(layer.operations), tuple(shapes)


def _kind(layer: LayerFacts) -> tuple[object, ...]:
    """Return what copies have in common that a network repeats at several resolutions.

    Those that move all elements are of any kind: it is their own.
    """
    uses = (*layer.inputs, *layer.outputs)
    sizes = [math.prod(use.dimensions) for use in uses]
    parts = tuple(
        (len(use.dimensions), size / (sizes[0] or 1)) for use, size in zip(uses, sizes, strict=True)
    )
    own = layer.index if len(set(sizes)) < 2 else -1
    return layer.type, layer.precision, tuple(layer.operations), parts, own


def _add_up(context: Context, layers: Sequence[LayerFacts], share_percent: float) -> bool:
    """Return whether copies of one look take several times the share that one alone must take."""
    return context.share_percent(context.time_ms(layers)) >= _REPEATED * max(share_percent, 1e-9)


def _matters(context: Context, layer: LayerFacts, share_percent: float) -> bool:
    """Return whether a layer takes a share of layer time; without a profile, of the bytes."""
    if context.total_ms:
        return context.share_percent(layer.avg_ms or 0.0) >= max(share_percent, 1e-9)
    if layer.precision not in VALUES or layer.structural:
        return False
    if layer.moved_bytes is None:
        return _known_extents(layer) >= _MUCH * context.cached(_largest_extents)
    return 100 * layer.moved_bytes >= max(share_percent, _BYTES_PERCENT) * context.cached(_all_bytes)


def _known_extents(layer: LayerFacts) -> int:
    """Return the largest product of the extents of a tensor of a layer that are known."""
    uses = (*layer.inputs, *layer.outputs)
    return max((math.prod(each for each in use.dimensions if each > 0) for use in uses), default=1)


def _largest_extents(context: Context) -> int:
    return max(map(_known_extents, context.layers), default=1)


def _all_bytes(context: Context) -> int:
    return sum(layer.moved_bytes or 0 for layer in context.layers)


def _traffic(layer: LayerFacts) -> dict[str, str]:
    evidence = {"Operations": " · ".join(operations(layer) or [layer.type])}
    if layer.inputs and layer.outputs:
        before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
        evidence["Shape"] = f"{format_shape(before)} → {format_shape(after)}"
    return evidence

"""TRX205 reformat.share-of-time."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.first_run import first_run
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import are_few_launches
from trexreport.analyzer.rules.limits import min_share, percent
from trexreport.analyzer.rules.move_kinds import (
    SEVERAL,
    are_last,
    around_normalizations,
    transpose_for_channels_last,
)
from trexreport.analyzer.rules.moves import KERNELS, PARTS, change_of, moves_by_kind
from trexreport.analyzer.rules.phrases import takes_time, timed
from trexreport.analyzer.rules.savings import untimed_as_info
from trexreport.numbers import counted, format_count, format_ms, format_percent, join_names, layer_label

#: Where only names are known no other rule reports one or two reformats.
_MIN_NAMED = 2
#: What other findings do not report counts from this part of the minimum share on, unless most of it are
#: kernels of the model's own nodes, which few changes remove.
_REST, _MOST = 0.5, 0.5


@built_in_rule(
    "warning",
    needs=(),
    rest_of="savings",
    explains={"share": ("TRX601",)},
    thresholds=(
        min_share(5, "all reformats"),
        Threshold("min_count", 3, 1, 1e6, "Minimum number of reformats.", former_name="least-count"),
        percent("bytes_percent", 20.0, "Minimum share of the bytes that layers move, without a profile."),
    ),
)
@untimed_as_info
def share_of_time(context: Context, *, share_percent: float, min_count: float, bytes_percent: float) -> Hits:
    """Reformats are a large part of the engine.

    Cost:
        Reformats compute nothing. [if converts: Many of them indicate that neighboring layers use different
        types and formats.]

    Recommendation:
        Begin with the slowest. [if channels-last-model: The export has channels last (NHWC: TensorFlow,
        Keras): export it in NCHW, or let the converter fold the transposes (tf2onnx: --inputs-as-nchw,
        --outputs-as-nchw), and feed NCHW.] [if copies, unless nested-copies, unless filled-copies: Copies
        belong to Concat and Split: the layers beside write or read the joined tensor itself where all parts
        have one type, layout and scale, and their channels fill the units of the layout.] [if filled-copies,
        unless nested-copies: Copies belong to Concat, whose parts have one type and layout already; what a
        Resize writes, or other layers read, too, as with skip connections of a U-Net, may be copied all the
        same: reduce the channels before joining, or add in place of joining.]
        [if nested-copies: Each concatenation
        holds the one before it, which is copied again (DenseNet): train with blocks of fewer and wider
        layers, or with one Concat at the end of a block (VoVNet).] [if shape-copies: Copies of inputs and
        outputs of a Reshape, Unsqueeze or MatMul come from changes of the shape that TensorRT can't make in
        place: leave out those that undo each other, and multiply tensors of three and four dimensions as they
        are.] [if at-norms: Normalizations have kernels in fewer types and layouts than convolutions and
        multiplications: give them the type of the layers around, as far as the accuracy allows, export them
        as one node (LayerNormalization), and try a newer TensorRT.] [if unfilled: Choose numbers of channels
        for these parts that are multiples of the unit: 32 in NC/32HW32, 8 in NHWC8.] [if converts, unless
        untyped, if from-inputs, if changes-types: Let the application write the input in the type inside
        (--inputIOFormats=fp16:chw, or the ONNX file of a strongly typed network), which is half of FP32.] [if
        converts, unless untyped, if from-inputs: Let the application write the input in the format inside
        (such as fp16:hwc8, with padded channels), which needs no reformat.] [if converts, unless untyped,
        unless to-outputs, unless from-inputs: The two layers beside a reformat run in different types or
        layouts: give both one type, and replace or move what has no kernel in the layout of the others.] [if
        converts, unless untyped, if to-outputs, if changes-types: Let the application read the type inside
        (--outputIOFormats, or the ONNX file of a strongly typed network).] [if converts, unless untyped, if
        to-outputs, unless changes-types: Let the application read the format inside (such as fp16:hwc8), if
        it does so on the GPU.] [if converts, unless untyped, if to-outputs, if several-outputs: Join several
        outputs with a Concat: one reformat then takes the place of many.] [if converts, if untyped: What
        reformats change is not known from names.] [if converts, if untyped, unless no-layer-information:
        Layer information of --profilingVerbosity=detailed shows it.] [if converts, if untyped, if
        no-layer-information: Layer information, which shows it, needs TensorRT 8.2 or later.] [if own-moves,
        unless last, unless channels-last-model: Kernels that only move data are Transpose, Slice and Concat
        nodes of the model: leave out those that undo each other, and export neighbors in one layout.] [if
        last: Leave what only arranges the results at the end of the network to the code that reads them, or
        give the model outputs in the order in which it computes them.]

    False alarm:
        A small engine at batch 1: each kernel takes a few microseconds whatever it does, so that few
        reformats are a large share; fewer than four as short as a launch are not reported. Kernels that only
        move data (Reshape, Transpose, Concat) count too and may be what the model needs. The pixel shuffle of
        a model that enlarges images (DepthToSpace; by name a Reshape, Transpose and Reshape in one kernel
        after a convolution, with at most two products behind it) is what the model needs, and does not count.
        Where a file contains only names these identify reformats; two that take time are enough, and what
        they change is not known. Without a profile the share of the bytes that layers read and write counts,
        and it is information; where not all bytes are known, as with a Myelin region that hides its
        operations, nothing is reported. What a first run may have lengthened (TRX915) does not count. TRX911
        reports conversions of a DLA. What findings on single places (TRX201 to TRX207, TRX301) report is not
        counted again; the rest has to reach half of `share-percent` then, and all of it where most are
        kernels of nodes of the model; below all of it it is information.

    Est. savings:
        An estimate: from 0, as the model may need them, up to their time. The rules on single places estimate
        more closely.
    """
    found = context.cached(moves_by_kind)
    is_named = any(not layer.type for members in found.values() for layer in members)
    every = [layer for members in found.values() for layer in members]
    stalled = context.cached(first_run).above
    kinds = {
        nouns: [each for each in members if each.index not in context.reported and each.index not in stalled]
        for nouns, members in found.items()
    }
    layers = slowest_first(layer for members in kinds.values() for layer in members)
    if (
        not layers
        or len(every) < (min(min_count, _MIN_NAMED) if is_named else min_count)
        or not context.is_significant(every, share_percent)
        or not context.is_significant(layers, share_percent * (_REST if _is_advised(context, kinds) else 1))
    ):
        return
    if are_few_launches(context, layers):
        return
    of_bytes = _share_of_bytes(context, layers)
    if not context.total_ms and 100 * of_bytes < max(bytes_percent, 1e-9):
        return
    parts = [
        counted(len(members), *nouns) + (timed(context, members) if nouns == PARTS else "")
        for nouns, members in kinds.items()
        if members
    ]
    move = "moves" if len(layers) == 1 else "move"
    amount = (
        takes_time(context, layers)
        if context.total_ms
        else f"{move} {format_percent(of_bytes)} of all bytes that layers read and write"
    )
    left = slowest_first(each for each in every if each.index in stalled)
    yield Hit(
        f"{join_names(parts)} {amount}.{_around(context, layers)}{_without(context, left)}",
        tuple(layers),
        of_layers("estimate", ((each, 0.0, each.avg_ms or 0.0) for each in layers), "removed-layers"),
        evidence=_by_change(context, layers) | ({"Identified": "by name"} if is_named else {}),
        severity=None if context.is_significant(layers, share_percent) else "info",
    )


def _around(context: Context, layers: Sequence[LayerFacts]) -> str:
    """Return how many of the layers are around normalizations, if several are."""
    norms = around_normalizations(context, layers)
    text = f" {format_count(len(norms))} of these{timed(context, norms)} are around normalizations."
    return text if len(norms) >= SEVERAL else ""


def _without(context: Context, left: Sequence[LayerFacts]) -> str:
    """Return which layers do not count, as a first run may have lengthened them."""
    text = f" Not counted{timed(context, left)}: {{}}, which a first run may lengthen."
    return text.format(_names(left)) if left else ""


def _names(layers: Sequence[LayerFacts]) -> str:
    """Return the name of the slowest layer, and the number of others."""
    others = f" and {format_count(len(layers) - 1)} more" if len(layers) > 1 else ""
    return layer_label(layers[0].name) + others


def _is_advised(context: Context, kinds: Mapping[tuple[str, str], Sequence[LayerFacts]]) -> bool:
    """Return whether most of the time is of more than the model's own Transpose, Slice and Concat nodes."""
    own = kinds.get(KERNELS, ())
    others = [each for nouns, members in kinds.items() if nouns != KERNELS for each in members]
    if transpose_for_channels_last(context, own) or are_last(context, own):
        return True
    return context.time_ms(others) >= _MOST * (context.time_ms(others) + context.time_ms(own))


def _share_of_bytes(context: Context, layers: Iterable[LayerFacts]) -> float:
    """Return which share of the bytes that all layers read and write these do; 0 if not all are known.

    A region whose operations no file lists moves more than the tensors at its ends.
    """
    running = [layer.moved_bytes for layer in context.layers if not layer.structural]
    if None in running or context.opaque:
        return 0.0
    return sum(layer.moved_bytes or 0 for layer in layers) / (sum(each or 0 for each in running) or 1)


def _by_change(context: Context, layers: Sequence[LayerFacts]) -> dict[str, str]:
    """Return count and time of the layers by what they change, the slowest first."""
    by_change = group_by(layers, lambda layer: change_of(context, layer).capitalize())
    times = {name: [each.avg_ms or 0.0 for each in members] for name, members in by_change.items()}
    ranked = sorted(times, key=lambda name: (-math.fsum(times[name]), -len(times[name]), name))
    return {
        name: f"{format_count(len(times[name]))}, {format_ms(math.fsum(times[name]))}"
        if context.total_ms
        else format_count(len(times[name]))
        for name in ranked
    }

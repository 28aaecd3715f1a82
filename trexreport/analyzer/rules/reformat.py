"""Rules on reformats: layers that change the type or the layout of their input and compute nothing.

Each reformat counts for one rule only, the most specific; see `reformat_places`. TRX205 sums up all.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import Reformat
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.reformat_borders import around_plugin, at_network_boundary
from trexreport.analyzer.rules.reformat_places import (
    ALL_PLACES,
    EACH_PLACE,
    describe_formats,
    describe_place,
    reformat_places,
)
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import describe_shape, for_time
from trexreport.numbers import counted, format_ms, format_percent

__all__ = [
    "around_plugin",
    "at_network_boundary",
    "chain",
    "layout_only",
    "round_trip",
    "share_of_time",
    "type_conversion",
]


@rule(
    "TRX201",
    "reformat.type-conversion",
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats convert the data type between layers.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def type_conversion(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat converts the data type between two layers.

    Cost:
        It reads and writes a whole tensor and computes nothing, because the layers on its sides run in
        different types.

    Advice:
        Find which side is the odd one. A layer that fell back to FP32 in an FP16 engine: allow it the lower
        type (no --layerPrecisions or FP32 constraint; in TensorRT 11 and with --stronglyTyped, no Cast to
        FP32 around it in the ONNX file). A float layer between quantized ones: give it Q/DQ too. Layers that
        have no kernel in the lower type keep their conversions.

    False alarm:
        Accuracy needs the wider type there. At inputs and outputs of the network it is TRX206's, beside
        plugins TRX207's, in a row with others TRX203's or TRX204's; what Q/DQ nodes left over is TRX301's.

    Bound:
        All the time of the reformat.
    """
    found = context.once(reformat_places).type_conversions
    if not context.may_matter(found, share_percent):
        return
    for layer in found:
        if context.may_matter([layer], place_percent):
            before, after = (context.facts(use.tensor) for use in (layer.inputs[0], layer.outputs[0]))
            too = "" if before.layout == after.layout else " and changes the layout"
            yield Hit(
                f"It converts {before.data_type} to {after.data_type}{too}{for_time(context, [layer])}.",
                (layer,),
                layer.avg_ms,
                describe_place(context, layer),
            )


@rule(
    "TRX202",
    "reformat.layout-only",
    "warning",
    needs=("layers", "profile"),
    many="{count} reformats change only the layout between layers.",
    section="reformats",
    subject="movement",
    thresholds=(ALL_PLACES, EACH_PLACE),
)
def layout_only(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A reformat changes only the layout between two layers.

    Cost:
        It reads and writes a whole tensor to arrange the same numbers differently, because the kernels on its
        sides read and write different layouts.

    Advice:
        Look at the side that wants the plain layout (linear, NCHW): operations without a vectorized kernel,
        such as pooling in FP32, resizing, transposing and reshaping. Replace or move them, or let them run
        in the type of their neighbors. A fresh timing cache and --builderOptimizationLevel=5 (since 8.6)
        let the builder weigh more combinations.

    False alarm:
        The builder has timed the reformat with the kernels on its sides and found the sum faster than kernels
        that share a layout. Then only another operation or shape helps.

    Bound:
        All the time of the reformat.
    """
    found = context.once(reformat_places).layout_changes
    if not context.may_matter(found, share_percent):
        return
    for layer in found:
        if context.may_matter([layer], place_percent):
            before, after = (context.facts(use.tensor).layout for use in (layer.inputs[0], layer.outputs[0]))
            yield Hit(
                f"It turns {before} into {after}{for_time(context, [layer])}.",
                (layer,),
                layer.avg_ms,
                describe_place(context, layer),
            )


@rule(
    "TRX203",
    "reformat.round-trip",
    "warning",
    many="{count} reformats undo another one.",
    section="reformats",
    subject="movement",
    thresholds=(EACH_PLACE,),
)
def round_trip(context: Context, *, place_percent: float) -> Iterator[Hit]:
    """A reformat turns its input back into what it was before another reformat.

    Cost:
        The same tensor is written again in a format in which it stands in memory already.

    Advice:
        Look for what stood between the two in the model: a Reshape, Transpose, Slice or Cast that became a
        no-op, or an output that is also used inside. Remove it there, or simplify the model (onnxsim,
        Polygraphy's `surgeon sanitize --fold-constants`). If nothing is left to remove, try another version
        of TensorRT and report it: the builder should have seen it.

    False alarm:
        FP32 → FP16 → FP32 rounds on purpose, and INT8 → FP16 → INT8 may change the scale, as before a
        concatenation of tensors with different scales.

    Bound:
        All the time of the second reformat, and of the first if nothing else reads its result.
    """
    for trip in context.once(reformat_places).round_trips:
        if not context.may_matter(trip, place_percent):
            continue
        undoing = trip[0]
        middle = undoing.inputs[0].format
        rest = "nothing else reads it" if len(trip) > 1 else "which exists already"
        yield Hit(
            f"It turns {middle} back into {undoing.outputs[0].format}{for_time(context, trip)}; {rest}.",
            trip,
            context.time_ms(trip),
            {"Shape": describe_shape(undoing.outputs[0].dimensions)},
        )


@rule(
    "TRX204",
    "reformat.chain",
    "warning",
    many="{count} times several reformats stand in a row.",
    section="reformats",
    subject="movement",
    thresholds=(EACH_PLACE,),
)
def chain(context: Context, *, place_percent: float) -> Iterator[Hit]:
    """Several reformats stand in a row.

    Cost:
        Each reads and writes the whole tensor; one alone could do the change of all.

    Advice:
        See what separates them: usually a no-op (Reshape, Squeeze, Identity) or a Cast of the model between
        two conversions by TensorRT. Remove the no-op or move it to the other side of the neighboring layer.
        Of a conversion followed by a Q node, the Q node can often read the tensor before the conversion.

    False alarm:
        A tensor that other layers read between two of them is needed; such reformats are not listed here.

    Bound:
        The time of all but the cheapest, as one that does the whole change takes at least as long as it.
    """
    for layers in context.once(reformat_places).chains:
        if not context.may_matter(layers, place_percent):
            continue
        times = [layer.avg_ms or 0.0 for layer in layers]
        yield Hit(
            f"{len(layers)} reformats stand in a row{for_time(context, layers)}.",
            tuple(layers),
            math.fsum(times) - min(times),
            {"Formats": describe_formats(layers), "Shape": describe_shape(layers[-1].outputs[0].dimensions)},
        )


@rule(
    "TRX205",
    "reformat.share-of-time",
    "warning",
    needs=("layers", "profile"),
    many="{count} engines spend much of their time on reformats.",
    section="reformats",
    subject="movement",
    thresholds=(
        Threshold("share_percent", 5, 0, 100, "Least share of the time of all reformats, in percent."),
        Threshold("least_count", 3, 1, 1e6, "Least number of reformats; of fewer, the other rules tell all."),
    ),
)
def share_of_time(context: Context, *, share_percent: float, least_count: float) -> Iterator[Hit]:
    """All reformats together take a large share of the time.

    Cost:
        Reformats compute nothing. Many of them show that neighboring layers disagree on types and layouts.

    Advice:
        Begin with the places that the other rules on reformats and on quantization name (TRX201 to TRX207,
        TRX301), the dearest first; the section on reformats lists all with what stands on their sides.

    False alarm:
        A small engine at batch 1: each kernel takes some microseconds whatever it does, so that few reformats
        are a large share. Kernels that only move data (Reshape, Transpose, Concat) count here too and may be
        what the model asks for.

    Bound:
        None of its own: the rules on single places bound what each could gain.
    """
    reformats = context.analysis.reformats
    layers = [context.layers[each.layer] for each in reformats]
    layers.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    time_ms = context.time_ms(layers)
    share = context.share_percent(time_ms)
    if len(reformats) < least_count or share < share_percent:
        return
    kernels = [each for each in reformats if each.kind == "kernel"]
    own = [each for each in reformats if each.kind != "kernel"]
    parts = [counted(len(own), "reformat")] if own else []
    moves = "moves" if len(kernels) == 1 else "move"
    parts += [f"{counted(len(kernels), 'kernel')} that only {moves} data"] if kernels else []
    takes = "takes" if len(reformats) == 1 else "take"
    yield Hit(
        f"{' and '.join(parts)} {takes} {format_ms(time_ms)}, {format_percent(share / 100)} of the time.",
        tuple(layers),
        evidence=_by_change(reformats),
    )


def _by_change(reformats: Sequence[Reformat]) -> dict[str, str]:
    """Return count and time of the reformats by what they change, the dearest first."""
    members: dict[str, list[float]] = {}
    for each in reformats:
        members.setdefault(each.change.capitalize(), []).append(each.time_ms or 0.0)
    ranked = sorted(members.items(), key=lambda item: (-math.fsum(item[1]), item[0]))
    return {change: f"{len(times)}, {format_ms(math.fsum(times))}" for change, times in ranked}

"""TRX301 quantization.unfused-qdq."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.analysis.gains import GainBasisCode
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, search
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain, percent
from trexreport.analyzer.rules.narrow_types import is_beside_float_attention
from trexreport.analyzer.rules.patterns import (
    changes_quantization,
    dequantizes_weights,
    is_conv_or_matmul,
    only_copies,
    only_quantizes,
    quantizes_and_back,
    quantizes_attention,
)
from trexreport.analyzer.rules.phrases import EXTENT, LAYER, timed
from trexreport.analyzer.rules.quantization.quantized_names import named_qdq
from trexreport.analyzer.rules.savings import if_worthwhile
from trexreport.model.data_format import BITS
from trexreport.numbers import counted, format_shape


@built_in_rule(
    "warning",
    needs=(),
    section="reformats",
    many="{count} layers only quantize or dequantize{extent}.",
    thresholds=(
        min_gain(0.5),
        percent("output_percent", 5.0, "Minimum share of layer time of one at an output of the engine."),
    ),
    explains={"share": ("TRX205", "TRX305", "TRX601")},
    replaces=True,
)
def unfused_qdq(context: Context, *, gain_percent: float, output_percent: float) -> list[Hit]:
    """A layer only quantizes or dequantizes.

    Cost:
        TensorRT fuses a Q node into the layer before it and a DQ node into the layer after it. A Q or DQ that
        is not fused is a pass over the whole tensor that computes nothing: a reformat of the origin QDQ, a
        Scale, Quantize or Dequantize layer, or a kernel that only scales, rounds and casts. So is a pair of
        them that no layer uses. Weights that a kernel of their own dequantizes are written and read again in
        floating point.

    Recommendation:
        [if pair: Remove this pair of Q and DQ nodes: no layer between them computes in the quantized type, so
        that it costs time and accuracy and saves nothing.] [if weights: Let the multiplication read the
        quantized weights itself: it does with the axis, the block size and the types that TensorRT has
        kernels for, such as INT4 in blocks beside FP16. Else store the weights in floating point.] [if
        dequantizes-cache: A cache that is dequantized whole in each step moves more bytes than one in FP16 or
        BF16, which the attention reads at once.] [if dequantizes-cache, if fp8-attention: Its kernels also
        read a cache in FP8, with Q/DQ nodes at the inputs of both multiplications.] [unless at-io, unless
        at-end, unless pair, unless weights, unless after-attention, unless dequantizes-cache: Look at its
        floating-point neighbor. A layer that can run quantized lacks Q/DQ on one of its inputs; a layer that
        cannot should have no Q/DQ around it, so that its neighbors stay in floating point too.] [if
        after-attention: Also put Q/DQ around both multiplications of the attention, so that its kernel may
        write the quantized type itself.] [if at-end: At an I/O tensor, leave the node out of the model, and
        let the application convert its data.] [if at-io, unless pair, unless weights, unless
        dequantizes-cache: Remove this Q or DQ node from the model, so that the I/O tensor has the quantized
        type; the application converts its data with the scale of that node, best where it writes or reads
        them anyway.]

    False alarm:
        At a floating-point I/O tensor it can be removed only if the application provides or reads quantized
        data: it is information, and a reformat there is left to reformat.at-io-tensor. Results that a program
        reads are dequantized somewhere: at an output only large ones are reported (`output-percent`), and
        without a profile nothing at I/O tensors. Calibrated engines (without Q/DQ nodes) place their
        conversions by measurement; this rule does not report them, nor what quantizes the result of a fused
        attention that has no quantized kernel. Where a file contains only names, layers that are only a Q or
        DQ node are found.

    Est. savings:
        An estimate: the time of the layer, which is removed; from 0 where it quantizes or dequantizes an I/O
        tensor, perhaps padded or moved before, as it remains if the application needs that type, where only
        names are known, and after a fused attention, which may have no kernel that writes the type. Of
        weights also what fewer bytes save in the multiplication that reads them, from 0, as they may be
        stored in floating point instead. Savings in other neighbors are not included.
    """
    inside: list[Hit] = []
    at_io: list[Hit] = []
    for layer in context.of_kinds(lambda each: "Round" in each.operations or changes_quantization(each)):
        if does := _does_for_nothing(context, layer):
            shape = format_shape(layer.outputs[0].dimensions)
            readers = _readers_of_weights(context, layer)
            saved = _gain(context, layer, "", readers)
            evidence = {"Shape": shape}
            inside.append(Hit(f"{LAYER} {does}{EXTENT}.", (layer,), saved, evidence, affected=tuple(readers)))
            continue
        if not _is_left_over(layer) or is_beside_float_attention(context, layer):
            continue
        side = _io_side(context, layer)
        if side and (context.is_reformat(layer) or not context.total_ms):
            continue
        if side == "output" and context.share_percent(layer.avg_ms or 0.0) < output_percent:
            continue
        verb = "quantizes" if layer.output_precision in QUANTIZED else "dequantizes"
        change = f"{layer.precision} to {layer.output_precision}"
        where = f" at an engine {side}" if side else ""
        hit = Hit(
            f"{LAYER} only {verb} {change}{where}{EXTENT}.",
            (layer,),
            _gain(context, layer, side),
            _floating_point_side(context, layer) | {"Shape": format_shape(layer.outputs[0].dimensions)},
            severity="info" if side or quantizes_attention(context, layer) else None,
        )
        (at_io if side else inside).append(hit)
    inside += _named_inside(context)
    groups = (inside, at_io, _named_at_ends(context))
    return [hit for group in groups for hit in if_worthwhile(context, group, gain_percent)]


def _does_for_nothing(context: Context, layer: LayerFacts) -> str:
    """Return what a layer does that no other layer needs, in words; empty for others."""
    if quantizes_and_back(layer):
        return f"quantizes {layer.precision} and dequantizes it at once"
    if dequantizes_weights(context, layer):
        return f"dequantizes {layer.precision} weights to {layer.output_precision}"
    return ""


def _readers_of_weights(context: Context, layer: LayerFacts) -> Sequence[LayerFacts]:
    """Return the products that read the weights which a layer dequantizes."""
    if not dequantizes_weights(context, layer):
        return ()
    return [each for each in context.successors(layer) if is_conv_or_matmul(context, each)]


def _named_inside(context: Context) -> Hits:
    """Yield the Q and DQ nodes inside the network of which only the names are known, as one place."""
    found, _ = named_qdq(context.layers)
    if found:
        one, many = "layer only quantizes or dequantizes", "layers only quantize or dequantize"
        yield _named(context, found, counted(len(found), one, many))


def _named_at_ends(context: Context) -> Hits:
    """Yield the nodes at the ends of the network of which only the names are known, as one place."""
    _, found = named_qdq(context.layers)
    if found:
        # The first and the last of a list without some layers are not the ends of the network.
        do = "quantize or dequantize" + ("" if context.lacks_layers else " at the ends of the network")
        hit = _named(context, found, counted(len(found), f"layer may only {do}", f"layers may only {do}"))
        yield dataclasses.replace(hit, evidence={**hit.evidence, "End": "of the network"}, severity="info")


def _named(context: Context, layers: Sequence[LayerFacts], what: str) -> Hit:
    found = slowest_first(layers)
    return Hit(
        f"By name, {what}{timed(context, found)}.",
        tuple(found),
        of_layers("estimate", ((layer, 0.0, layer.avg_ms or 0.0) for layer in found), "removed-layers"),
        {"Identified": "by name"},
    )


def _gain(context: Context, layer: LayerFacts, side: str, readers: Sequence[LayerFacts] = ()) -> Gain:
    def passes(other: LayerFacts) -> bool:
        return only_copies(other) or context.is_reformat(other)

    _, before = search([layer], context.predecessors, passes)
    reads_input = any(context.is_input(use.tensor) for each in before for use in each.inputs)
    may_stay = bool(side) or reads_input or quantizes_attention(context, layer)
    time_ms = layer.avg_ms or 0.0
    ranges = [(layer, 0.0 if may_stay else time_ms, time_ms)]
    bases: list[GainBasisCode] = ["removed-layers"]
    for reader in readers:
        if saved_ms := _with_quantized_weights(layer, reader):
            ranges.append((reader, 0.0, saved_ms))
            bases[1:] = ["less-traffic"]
    return of_layers("estimate", ranges, *bases)


def _with_quantized_weights(layer: LayerFacts, reader: LayerFacts) -> float:
    """Return what a product that reads the quantized weights saves at most in ms; 0 where others limit it."""
    if not reader.moved_bytes or (reader.roof is not None and reader.roof.bound != "memory"):
        return 0.0
    size = sum(use.size_bytes or 0 for use in layer.outputs)
    saved = 1 - BITS[layer.precision] / BITS[layer.output_precision]
    return (reader.avg_ms or 0.0) * size / reader.moved_bytes * saved


def _is_left_over(layer: LayerFacts) -> bool:
    """Return whether a layer is a Q or DQ node; reformats state it by their origin."""
    if not only_quantizes(layer):
        return False
    return layer.type not in {"Reformat", "MyelinReformat"} or layer.attributes.get("Origin") == "QDQ"


def _io_side(context: Context, layer: LayerFacts) -> str:
    if layer.output_precision in QUANTIZED and any(context.is_input(use.tensor) for use in layer.inputs):
        return "input"
    if layer.output_precision in FLOATS and any(context.is_output(use.tensor) for use in layer.outputs):
        return "output"
    return ""


def _floating_point_side(context: Context, layer: LayerFacts) -> dict[str, str]:
    """Return the types of the layers on the floating-point side, as evidence."""
    before = layer.output_precision in QUANTIZED
    step = context.predecessors if before else context.successors
    types = dict.fromkeys(
        f"{other.type} {other.output_precision if before else other.precision}".strip()
        for other in step(layer, context.is_reformat)
    )
    return {"Floating-point side": ", ".join(types)} if types else {}

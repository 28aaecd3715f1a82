"""TRX419 precision.fp32-tail."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import LOW_PRECISIONS, search
from trexreport.analyzer.rules.expected import narrowed
from trexreport.analyzer.rules.gains import join_bases, of_layers
from trexreport.analyzer.rules.io_formats import formats_inside
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.limits import min_gain, min_share
from trexreport.analyzer.rules.patterns import (
    is_conv_or_matmul,
    is_pointwise_or_move,
    only_copies,
)
from trexreport.analyzer.rules.phrases import LAYER, layer_time
from trexreport.analyzer.rules.precision.precision_use import computed_types
from trexreport.analyzer.rules.savings import if_worthwhile

#: What may lie between the last product and the outputs, whose time the bytes decide.
_MOVING = frozenset({"Resize", "TopK", "ArgMax", "Pooling"})

#: A kernel that does nothing else is a conversion, of which TRX201 and TRX206 know more.
_CASTS = frozenset({"Cast"})


@built_in_rule(
    "warning",
    needs=("layers", "profile"),
    thresholds=(min_share(3.0, "all these layers together"), min_gain(1.0)),
    explains={"layers": ("TRX201", "TRX206", "TRX401")},
)
def fp32_tail(context: Context, *, share_percent: float, gain_percent: float) -> Hits:
    """The last layers of an engine of lower precision move FP32.

    Cost:
        The last convolution or matrix multiplication computes in a lower precision, and it or a kernel behind
        it writes FP32, which the layers behind that read and write: twice the bytes of FP16. These layers are
        pointwise, or move, resize or choose elements, so that the bytes take the time.

    Recommendation:
        [if typed: Let the model compute its end in FP16, with a Cast behind its last layer if the application
        needs FP32.] [if upsampled: Take the maximum over classes (ArgMax) before the image is enlarged.]
        [unless typed, if float-outputs: Allow FP16 for these layers, and request FP16 for the output
        (--outputIOFormats={Proposed output formats|fp16:chw}): the builder otherwise keeps FP32 up to it.]
        [unless typed, unless float-outputs: Allow FP16 for these layers.] [if float-outputs: An output in
        FP16 has half the bytes to copy to the host, too.] [if chooses: Choose from scores in FP16, without a
        cast in the model; a mask can be a part of the product's bias.] [if quantized: Q/DQ nodes behind the
        last product let what follows move 8 bits, if the results allow it.]

    False alarm:
        The results need the range or the digits of FP32. Tails with a softmax or another reduction are left
        out, as are products whose result is the output itself, and layers about as short as a launch.

    Est. savings:
        An estimate: from 0 up to what half of their FP32 bytes saves, as near to the roofline as other layers
        of the engine come; where their bytes do not explain their time, no more than these take.
    """
    behind: dict[int, LayerFacts] = {}
    widening = []
    for layer in (*context.products, *context.of_kinds(is_pointwise_or_move)):
        if layer.output_precision == "FP32" and _computes_lower(context, layer):
            found = _behind(context, layer)
            widening += [layer] if found else []
            behind |= {each.index: each for each in found}
    if context.is_significant([*widening, *behind.values()], share_percent):
        yield from if_worthwhile(context, [_hit(context, widening, list(behind.values()))], gain_percent)


def _computes_lower(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product computes in a lower precision, or a kernel reads it and not only casts."""
    if is_conv_or_matmul(context, layer):
        return bool(computed_types(context, layer) & LOW_PRECISIONS)
    only_casts = context.is_reformat(layer) and _CASTS.issuperset(layer.operations)
    return layer.precision in LOW_PRECISIONS and not only_casts


def _hit(context: Context, widening: Sequence[LayerFacts], behind: Sequence[LayerFacts]) -> Hit:
    tail = [*widening, *behind]
    saved = [narrowed(context, each, _wide_bytes(context, each) / 2, _writes_less) for each in tail]
    parts = [
        (layer, 0.0, min(high, _most_ms(context, layer)))
        for layer, (_, high, _) in zip(tail, saved, strict=True)
    ]
    multiply = all(is_conv_or_matmul(context, each) for each in widening)
    several = f"{len(widening)} {'products' if multiply else 'layers'} write"
    writes = f"{LAYER} writes" if len(widening) == 1 else several
    moves = "layer moves" if len(behind) == 1 else "layers move"
    return Hit(
        f"{writes} FP32, which {len(behind)} {moves} up to the output; together they take "
        f"{layer_time(context, tail)}.",
        tuple(tail),
        of_layers("estimate", parts, *join_bases([basis for *_, basis in saved])),
        {"Types": f"{widening[0].precision} → FP32"} | formats_inside(context, "output", {"FP16"}),
    )


def _most_ms(context: Context, layer: LayerFacts) -> float:
    """Return what the FP32 bytes that become fewer take at most, which may be little of a layer's time."""
    if layer.roof is None or layer.roof.bound != "latency" or not layer.moved_bytes:
        return layer.avg_ms or 0.0
    return layer.roof.roof_ms * _wide_bytes(context, layer) / 2 / layer.moved_bytes


def _writes_less(other: LayerFacts) -> bool:
    """Return whether a layer writes fewer bits than FP32, as the tail would."""
    return other.output_precision != "FP32"


def _wide_bytes(context: Context, layer: LayerFacts) -> int:
    uses = (*layer.inputs, *layer.outputs)
    return sum(use.size_bytes or 0 for use in uses if context.tensor(use.tensor).data_type == "FP32")


def _behind(context: Context, layer: LayerFacts) -> list[LayerFacts]:
    """Return the layers from one to the outputs, if they move its FP32 result; none otherwise."""
    last, behind = search([layer], context.successors, lambda other: _moves_fp32(context, other))
    # What follows the choice of a class computes with its index.
    indices = [each for each in last if each.precision in ("INT32", "INT64")]
    if any(not _moves_fp32(context, each) for each in last if each not in indices):
        return []
    longer = [each for each in behind if each.avg_ms and not is_mostly_launch(context, each)]
    written = (use.tensor for each in (*behind, *indices) for use in each.outputs)
    return longer if any(map(context.is_output, written)) else []


def _moves_fp32(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer reads FP32 and moves, resizes, converts or chooses its elements."""
    moves = layer.type in _MOVING or is_pointwise_or_move(layer) or only_copies(layer)
    return layer.precision == "FP32" and (moves or context.is_reformat(layer))

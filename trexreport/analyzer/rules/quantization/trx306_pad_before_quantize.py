"""TRX306 quantization.pad-before-quantize."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, search
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.limits import min_gain
from trexreport.analyzer.rules.patterns import only_quantizes
from trexreport.analyzer.rules.phrases import LAYER, timed
from trexreport.analyzer.rules.savings import worthwhile
from trexreport.model.data_format import BITS
from trexreport.numbers import format_shape
from trexreport.regex import regex

_PAD_TYPES = frozenset({"Padding", "Pad"})
#: Layers that TensorRT makes of an ONNX Pad.
_MAY_PAD = frozenset({"Slice", "Shuffle", "kgen", "fusion", "Myelin", ""})
_PAD_NAME = regex(r"(?:^|[/_. +:])(?:Constant|Zero|Reflection)?Pad(?:2d|ding)?(?:_\d+)?(?:$|[/_. +\]])")


@built_in_rule(
    "warning",
    many="{count} Pads run in floating point before their result is quantized.",
    thresholds=(min_gain(0.5),),
    explains={
        "layers": ("TRX301", "TRX303", "TRX201", "TRX202", "TRX507"),
        "share": ("TRX205", "TRX304", "TRX305"),
    },
)
@worthwhile
def pad_before_quantize(context: Context) -> Hits:
    """A Pad runs in floating point, and its result is quantized after it.

    Cost:
        The Pad copies a tensor of two or four times the bytes, the quantization after it is a layer of its
        own, and the convolution cannot take over the padding.

    Recommendation:
        Quantize before the Pad: move the Q/DQ pair in front of it. [unless reflects: Or remove the pair
        between Pad and convolution and state the padding as the convolution's own (`pads` of Conv), if the
        Pad's constant is 0, which is quantized to 0.]

    False alarm:
        The Pad's constant is not 0, or it reflects the border: then the convolution cannot take it over, but
        Q/DQ can still be placed before it.

    Est. savings:
        An estimate: the share of the Pad's time by which its tensor becomes narrower, up to the time of the
        Pad and of the quantization, as the convolution may do both. An input of the engine in floating point
        remains to be quantized: then up to the time of the Pad.
    """
    for layer in context.of_kinds(_may_pad):
        if not _pads(context, layer):
            continue
        after = [
            other
            for other in context.successors(
                layer, lambda each: context.is_reformat(each) and not only_quantizes(each)
            )
            if only_quantizes(other) and other.output_precision in QUANTIZED
        ]
        if not after:
            continue
        both = (layer, *after)
        yield Hit(
            f"{LAYER} pads an {layer.precision} tensor that is quantized after it{timed(context, both)}.",
            both,
            _gain(context, layer, after),
            {"Shape": format_shape(layer.outputs[0].dimensions), "Quantized by": after[0].type},
        )


def _gain(context: Context, pad: LayerFacts, quantizations: Sequence[LayerFacts]) -> Gain:
    pad_ms = pad.avg_ms or 0.0
    ranges = [(pad, pad_ms * (1 - BITS["INT8"] / BITS[pad.precision]), pad_ms)]
    _, before = search([pad], context.predecessors, context.is_reformat)
    if not any(context.is_input(use.tensor) for each in (pad, *before) for use in each.inputs):
        ranges += [(each, 0.0, each.avg_ms or 0.0) for each in quantizations]
    return of_layers("estimate", ranges, "less-traffic")


def _may_pad(layer: LayerFacts) -> bool:
    """Return whether a layer is of a type that pads, reads a floating-point tensor and writes one."""
    is_of_type = layer.type in _PAD_TYPES or layer.type in _MAY_PAD
    return is_of_type and layer.precision in FLOATS and bool(layer.output_precision)


def _pads(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer that may pad does, by its type or names, and the result is larger."""
    before, after = layer.inputs[0].dimensions, layer.outputs[0].dimensions
    is_larger = len(before) == len(after) and all(one <= two for one, two in zip(before, after, strict=True))
    if not is_larger or list(before) == list(after) or context.is_convolution(layer):
        return False
    if layer.type in _PAD_TYPES:
        return True
    return any(_PAD_NAME.search(name) for name in (layer.name, *layer.origins))

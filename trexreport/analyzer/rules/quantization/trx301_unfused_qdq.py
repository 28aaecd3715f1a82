"""TRX301 quantization.unfused-qdq."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    only_quantizes,
)
from trexreport.analyzer.rules.phrases import describe_shape, for_time
from trexreport.analyzer.rules.rule import Hit, rule
from trexreport.analyzer.rules.savings import least_gain, worthwhile


@rule(
    "TRX301",
    "quantization.unfused-qdq",
    "warning",
    section="reformats",
    subject="movement",
    many="{count} layers do nothing but quantize or dequantize.",
    thresholds=(least_gain(0.5),),
)
def unfused_qdq(context: Context, *, gain_percent: float) -> list[Hit]:
    """A layer does nothing but quantize or dequantize.

    Cost:
        TensorRT fuses a Q into the layer before it and a DQ into the layer behind it. One that is left over
        is a pass over the whole tensor that computes nothing.

    Advice:
        Look at what stands on its float side. A layer that can run quantized lacks Q/DQ on one of its
        inputs; a layer that cannot should have no Q/DQ around it, so that its neighbors stay float too. Use
        one scale per tensor for activations, share it between branches that meet, and place Q/DQ before the
        quantized operation, not behind it. Such layers are reformats of the origin QDQ, Scale, Quantize or
        Dequantize layers, or kernels that only scale, round and cast.

    False alarm:
        At a network input that is float and a network output that shall be one goes only if the caller
        passes or takes quantized data: it is information, and a reformat there is left to
        reformat.at-network-boundary. Calibrated engines (without Q/DQ nodes) place their conversions by
        measurement; they are not meant here.

    Bound:
        All the time of the layer.
    """
    inside: list[Hit] = []
    border: list[Hit] = []
    for layer in context.layers:
        if not _is_left_over(layer):
            continue
        at = _border(context, layer)
        if at and context.is_reformat(layer):
            continue
        verb = "quantizes" if layer.output_precision in QUANTIZED else "dequantizes"
        change = f"{layer.precision} to {layer.output_precision}"
        where = f" at a network {at}" if at else ""
        hit = Hit(
            f"It only {verb} {change}{where}{for_time(context, [layer])}.",
            (layer,),
            layer.avg_ms,
            _float_side(context, layer) | {"Shape": describe_shape(layer.outputs[0].dimensions)},
            severity="info" if at else None,
        )
        (border if at else inside).append(hit)
    return worthwhile(context, inside, gain_percent) + worthwhile(context, border, gain_percent)


def _is_left_over(layer: LayerFacts) -> bool:
    """Tell whether a layer is a Q or DQ node; reformats only say so by their origin."""
    if not only_quantizes(layer):
        return False
    return layer.type not in {"Reformat", "MyelinReformat"} or layer.attributes.get("Origin") == "QDQ"


def _border(context: Context, layer: LayerFacts) -> str:
    if layer.output_precision in QUANTIZED and any(context.is_input(use.tensor) for use in layer.inputs):
        return "input"
    if layer.output_precision in FLOATS and any(context.is_output(use.tensor) for use in layer.outputs):
        return "output"
    return ""


def _float_side(context: Context, layer: LayerFacts) -> dict[str, str]:
    """Name the types of the layers on the side that is not quantized."""
    before = layer.output_precision in QUANTIZED
    step = context.sources if before else context.targets
    types = dict.fromkeys(
        f"{other.type} {other.output_precision if before else other.precision}".strip()
        for other in step(layer, context.is_reformat)
    )
    return {"Float side": ", ".join(types)} if types else {}

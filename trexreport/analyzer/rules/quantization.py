"""Rules on quantization: where it begins, ends and is interrupted."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    changes_quantization,
    is_product,
    only_quantizes,
)
from trexreport.analyzer.rules.quantization_islands import float_island
from trexreport.analyzer.rules.quantization_residual import mixed_residual_add
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.weighing import least_gain, worthwhile
from trexreport.analyzer.rules.wording import describe_shape, for_time
from trexreport.numbers import counted, format_count, format_ms, format_percent

__all__ = [
    "float_island",
    "float_time",
    "mixed_residual_add",
    "precision_boundaries",
    "unfused_qdq",
]


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


@rule(
    "TRX304",
    "quantization.float-time",
    "warning",
    needs=("layers", "profile"),
    section="precision",
    subject="precision",
    many="{count} quantized engines run mostly in float.",
    thresholds=(Threshold("share_percent", 40.0, 0, 100, "Float layers' least share of the time."),),
)
def float_time(context: Context, *, share_percent: float) -> list[Hit]:
    """An engine with quantized layers spends much of its time in float.

    Cost:
        A quantized layer moves half or a quarter of the bytes and has twice to four times the arithmetic of
        a float one; what stays float bounds what quantization can gain.

    Advice:
        Look at the dearest convolutions and matrix products in float first: give their inputs and weights
        Q/DQ nodes if the accuracy allows. Types, groups or channel counts without a quantized kernel, and
        Q/DQ on one input only, leave a layer float. Without Q/DQ nodes (TensorRT 10 and older, calibration)
        TensorRT picks the faster type by itself: `--fp16` beside `--int8` keeps the rest from being FP32.

    False alarm:
        Only a part of the network was meant to be quantized. What opaque layers (Myelin, ForeignNode,
        plugins) compute in is not known and not counted.

    Bound:
        Half the time of the convolutions and matrix products in FP16 and BF16, as those in INT8 and FP8 are
        at most twice as fast (FP4 may be faster still); all the time of those in FP32.
    """
    counted = [layer for layer in context.layers if layer.avg_ms and not _is_unclear(context, layer)]
    if not any(layer.precision in QUANTIZED and not context.is_reformat(layer) for layer in counted):
        return []
    floats = [layer for layer in counted if layer.precision in FLOATS and not context.is_reformat(layer)]
    time_ms = context.time_ms(floats)
    if context.share_percent(time_ms) < share_percent:
        return []
    products = [layer for layer in floats if is_product(context, layer)]
    products.sort(key=lambda layer: -(layer.avg_ms or 0.0))
    message = f"Float layers run{for_time(context, floats)}"
    what = f"{format_count(len(products))} convolutions and matrix products"
    part = f"of it {format_ms(context.time_ms(products))} in {what}"
    gain = math.fsum((each.avg_ms or 0) * (1.0 if each.precision == "FP32" else 0.5) for each in products)
    quantized = context.time_ms(each for each in counted if each.precision in QUANTIZED)
    return [
        Hit(
            f"{message}, {part}.",
            tuple(products),
            gain if products else None,
            {"Quantized layers": f"{format_ms(quantized)}, {format_percent(quantized / context.total_ms)}"},
        )
    ]


def _is_unclear(context: Context, layer: LayerFacts) -> bool:
    return layer.structural or context.is_opaque(layer) or context.is_plugin(layer)


@rule(
    "TRX305",
    "quantization.precision-boundaries",
    "info",
    section="precision",
    subject="movement",
    many="{count} engines change between quantized and float types.",
    thresholds=(
        Threshold("least_count", 4, 1, 1_000_000, "Fewer changes are not told of."),
        Threshold("share_percent", 1.0, 0, 100, "Least share of the time of the conversions."),
    ),
)
def precision_boundaries(context: Context, *, least_count: float, share_percent: float) -> Iterator[Hit]:
    """The data changes between quantized and float types many times.

    Cost:
        Each change costs accuracy, forces a tensor of the wider type into memory, and takes a kernel of its
        own where no layer does it on the way.

    Advice:
        Quantize whole stretches of the network rather than single layers: a boundary is worth its cost only
        if what lies behind it gains more. The graph colored by precision shows where types alternate.

    False alarm:
        One boundary at each float input and output of the network has to be.

    Bound:
        None here: the conversions count with the rules on unfused Q/DQ, islands of float and reformats.
    """
    changing = [layer for layer in context.layers if changes_quantization(layer)]
    apart = [layer for layer in changing if only_quantizes(layer)]
    time_ms = context.time_ms(apart)
    if len(changing) < least_count or (context.total_ms and context.share_percent(time_ms) < share_percent):
        return
    inside = len(changing) - len(apart)
    parts = []
    if apart:
        parts.append(f"{counted(len(apart), 'time')} in layers of their own{for_time(context, apart)}")
    if inside:
        parts.append(f"{counted(inside, 'time')} within a layer")
    yield Hit(
        f"Data changes between quantized and float {counted(len(changing), 'time')}: {'; '.join(parts)}.",
        tuple(sorted(changing, key=lambda layer: -(layer.avg_ms or 0.0))),
        None,
        {"To quantized": format_count(sum(layer.output_precision in QUANTIZED for layer in changing))},
    )

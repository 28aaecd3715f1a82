"""TRX304 quantization.float-time."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import FLOATS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import (
    is_product,
)
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import format_count, format_ms, format_percent


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

"""TRX405 precision.all-fp32."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.patterns import is_product
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.precision.precision_use import saved_in, used_types
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted


@rule(
    "TRX405",
    "precision.all-fp32",
    "warning",
    needs=("layers", "profile"),
    many="{count} engines compute in FP32 alone.",
    section="precision",
    subject="precision",
    thresholds=(Threshold("share_percent", 20, 0, 100, "Least share of the time of all, in percent."),),
)
def all_fp32(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """All convolutions and matrix products are in FP32 on a GPU whose tensor cores take FP16.

    Cost:
        FP16 and BF16 halve the bytes of weights and tensors, and tensor cores multiply them at twice the
        rate of TF32 and many times that of FP32.

    Advice:
        TensorRT 8 to 10: build with --fp16, or --bf16 (from 9 on, compute capability 8.0), where the range
        matters; layers that lose accuracy can stay in FP32 (--layerPrecisions). TensorRT 11 and
        --stronglyTyped: convert the ONNX file (ModelOpt's AutoCast). Compare the outputs with Polygraphy.

    False alarm:
        The results need more than FP16's 11 bits and TF32's; or the weights overflow FP16, and the GPU is
        older than BF16.

    Bound:
        Half the time of the convolutions and matrix products, for their halved bytes, or if larger the part
        by which the GPU's peak in FP16 exceeds the one in use; half where the peaks are not known. Other
        layers gain too, which is not counted.
    """
    capability = context.least_capability
    if capability is None or capability < _FP16_SINCE or context.asked_precisions & LOW_PRECISIONS:
        return
    if any(context.is_opaque(layer) for layer in context.layers) or used_types(context) & LOW_PRECISIONS:
        return
    found = [layer for layer in context.layers if is_product(context, layer) and layer.avg_ms]
    if not found or not context.may_matter(found, share_percent):
        return
    found.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    gains = [saved_in(context, layer, "FP16") for layer in found]
    halves = [(layer.avg_ms or 0.0) / 2 for layer in found]
    work = counted(len(found), "product computes", "products compute")
    yield Hit(
        f"{work} in FP32{for_time(context, found)}, nothing in FP16 or BF16.",
        tuple(found),
        math.fsum(half if gain is None else gain for gain, half in zip(gains, halves, strict=True)),
        {"TF32": "used" if context.uses_tf32 else "not used"},
    )


#: Compute capability times ten from which on tensor cores multiply a type.
_FP16_SINCE, _TF32_SINCE = 70, 80

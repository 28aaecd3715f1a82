"""TRX405 precision.all-fp32."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.gains import estimate
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.precision import precision_rule
from trexreport.analyzer.rules.precision.precision_use import product_types, saved_in
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import counted

#: Minimum compute capability, times ten, with Tensor Cores for the type.
_FP16_SINCE = 70


@precision_rule(
    "warning",
    needs=("layers", "profile"),
    subject="precision",
    thresholds=(min_share(20, "all these layers together"),),
)
def all_fp32(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """All convolutions and matrix multiplications compute in FP32 on a GPU with FP16 Tensor Cores.

    Cost:
        FP16 and BF16 halve the bytes of weights and tensors, and Tensor Cores multiply them at twice the rate
        of TF32 and many times that of FP32.

    Recommendation:
        [..10, unless typed: Build with --fp16; layers that lose accuracy can stay in FP32.] [8.4..10,
        unless typed: --layerPrecisions names such layers.] [9.3..10, unless typed: --bf16 keeps the range
        of FP32 (compute capability 8.0).] [if typed: Convert the ONNX file (ModelOpt's AutoCast).] Compare
        the outputs with Polygraphy.

    False alarm:
        The results need more than the 11 bits of FP16 and TF32; or the weights overflow FP16, and the GPU
        does not support BF16.

    Est. savings:
        Half the time of the convolutions and matrix multiplications, for their halved bytes, or the speedup
        of the GPU's FP16 peak over the current one if that is larger; half where the peaks are not known.
        Savings in other layers are not included.
    """
    capability = context.min_compute_capability
    if capability is None or capability < _FP16_SINCE or context.requested_precisions & LOW_PRECISIONS:
        return
    is_opaque = any(context.is_opaque(layer) for layer in context.layers)
    if (is_opaque and not context.allows_only_fp32) or context.cached(product_types) & LOW_PRECISIONS:
        return
    found = [layer for layer in context.layers if layer.avg_ms and _multiplies(context, layer)]
    found = context.slowest(found, share_percent)
    if not found:
        return
    gains = [saved_in(context, layer, "FP16") for layer in found]
    halves = [(layer.avg_ms or 0.0) / 2 for layer in found]
    work = counted(len(found), "layer computes", "layers compute")
    yield Hit(
        f"{work} in FP32, none in FP16 or BF16{timed(context, found)}.",
        tuple(found),
        estimate(
            0.0,
            math.fsum(half if gain is None else gain for gain, half in zip(gains, halves, strict=True)),
            "published",
        ),
        {"TF32": "used" if context.uses_tf32 else "not used"},
    )


def _multiplies(context: Context, layer: LayerFacts) -> bool:
    return is_conv_or_matmul(context, layer) or context.is_opaque(layer)

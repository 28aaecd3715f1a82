"""TRX405 precision.all-fp32."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.precision import precision_rule
from trexreport.analyzer.rules.precision.precision_use import computed_types, product_types
from trexreport.analyzer.rules.precision.speedups import in_half_precision
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import counted

#: Minimum compute capability, times ten, with Tensor Cores for the type.
_FP16_SINCE = 70


@precision_rule(
    "warning",
    needs=("layers", "profile"),
    thresholds=(min_share(20, "all these layers together"),),
    explains={"layers": ("TRX101", "TRX403"), "between": ("TRX202",), "share": ("TRX601",)},
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
        An estimate for all layers that compute in FP32, from published speedups of FP16: convolutions and
        matrix multiplications become 1.5 to 6 times as fast, others 1.3 to 2.2, each above the time of the
        engine's fastest kernel. A reformat of an FP32 input or output may come in addition.
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
    work = counted(len(found), "layer computes", "layers compute")
    yield Hit(
        f"{work} in FP32, none in FP16 or BF16{timed(context, found)}.",
        tuple(found),
        in_half_precision(context, [*found, *_others(context, found)]),
        {"TF32": "used" if context.uses_tf32 else "not used"},
        affected=tuple(layer for layer in context.layers if layer.type == "Pooling" or is_pointwise(layer)),
    )


def _others(context: Context, found: Sequence[LayerFacts]) -> list[LayerFacts]:
    """Return the other layers that compute in FP32; they also move fewer bytes in FP16."""
    known = {layer.index for layer in found}
    return [
        layer
        for layer in context.layers
        if layer.avg_ms and layer.index not in known and "FP32" in computed_types(context, layer)
    ]


def _multiplies(context: Context, layer: LayerFacts) -> bool:
    return is_conv_or_matmul(context, layer) or context.is_opaque(layer)

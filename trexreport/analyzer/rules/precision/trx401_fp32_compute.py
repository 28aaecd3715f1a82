"""TRX401 precision.fp32-compute."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, QUANTIZED, Context
from trexreport.analyzer.rules.patterns import is_product
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.precision.precision_use import (
    saved_in,
    used_types,
)
from trexreport.analyzer.rules.rule import Hit, Threshold, rule

#: What a layer is computed in instead, the first that may be used.
_PREFERRED = ("FP16", "BF16", "FP8", "INT8", "FP4", "INT4")
#: Moving data in FP32 is no computing; whoever writes the data decides.
_MOVING_TYPES = frozenset({"Shuffle", "Slice", "Concat", "Concatenation", "Gather", "Copy", "Cast", "Select"})
#: What needs the range or the digits of FP32 more than others do; Myelin keeps it there by itself.
_SENSITIVE_TYPES = frozenset({"SoftMax", "Normalization", "Reduce", "RaggedSoftMax", "LRN", "CumSum"})
_SENSITIVE_OPERATIONS = frozenset(
    {"Mean", "Sum", "Maxr", "Reduce", "Sqrt", "Rsqrt", "Exp", "Log", "Pow", "Div", "Softmax"}
)


@rule(
    "TRX401",
    "precision.fp32-compute",
    "warning",
    needs=("layers", "profile"),
    many="{count} layers compute in FP32 in an engine of lower precision.",
    section="precision",
    subject="precision",
    thresholds=(
        Threshold("share_percent", 1, 0, 100, "Least share of the time of all places, in percent."),
        Threshold("place_percent", 0.1, 0, 100, "Least share of the time of one place, in percent."),
    ),
)
def fp32_compute(context: Context, *, share_percent: float, place_percent: float) -> Iterator[Hit]:
    """A layer computes in FP32 in an engine of lower precision.

    Cost:
        FP32 moves twice the bytes of FP16 and multiplies up to sixteen times as slowly (in TF32 twice);
        conversions on its sides may come on top.

    Advice:
        TensorRT 8 to 10 with --fp16: see whether --layerPrecisions, --layerOutputTypes or the code pins the
        layer to FP32, whether its neighbors or the network's output force the type, and whether it has an
        FP16 kernel at all. In a quantized engine allow FP16 beside INT8. TensorRT 11 and --stronglyTyped
        compute in the type that the ONNX file states: convert the model (ModelOpt's AutoCast, or a Cast).

    False alarm:
        FP32 where FP16 overflows or loses digits: softmax, normalizations and reductions are information
        only; those that Myelin fused itself are left out, as are data movement, plugins and opaque layers.
        What is no product and stands alone between quantized layers is TRX303's.

    Bound:
        The bytes that the lower type saves, as a part of the time; for convolutions and matrix products, if
        larger, the part by which the type's peak exceeds the one in use. Unknown for these without the GPU's
        peaks.
    """
    expected = _expected(context)
    if expected is None:
        return
    found = [layer for layer in context.layers if _computes_in_fp32(context, layer)]
    if not context.may_matter(found, share_percent):
        return
    for layer in found:
        if not context.may_matter([layer], place_percent):
            continue
        yield Hit(
            f"It computes in FP32{for_time(context, [layer])}, though {expected.reason}.",
            (layer,),
            saved_in(context, layer, expected.type),
            {"Layer": layer.type, "Types": f"{layer.precision} → {layer.output_precision}"},
            severity="info" if layer.type in _SENSITIVE_TYPES else None,
        )


@dataclass(frozen=True)
class _Expected:
    """The type in which layers could be expected to compute, and why."""

    type: str
    reason: str


def _expected(context: Context) -> _Expected | None:
    """Return what an engine computes in instead of FP32, None where FP32 is no surprise."""
    asked = context.asked_precisions & LOW_PRECISIONS
    if asked:
        # Where no lower precision is used at all, other rules tell the cause.
        if not asked & used_types(context):
            return None
        chosen = next(each for each in _PREFERRED if each in asked)
        return _Expected(chosen, f"the builder may use {chosen}")
    products = [layer for layer in context.layers if is_product(context, layer)]
    low = [layer for layer in products if layer.precision in LOW_PRECISIONS]
    if not low or context.time_ms(low) < context.time_ms(products) / 2:
        return None
    chosen = next(each for each in _PREFERRED if any(layer.precision == each for layer in low))
    return _Expected(chosen, "most convolutions and matrix products compute in lower precision")


def _computes_in_fp32(context: Context, layer: LayerFacts) -> bool:
    if layer.precision != "FP32" or layer.structural or layer.type in _MOVING_TYPES:
        return False
    if context.is_reformat(layer) or context.is_plugin(layer) or context.is_opaque(layer):
        return False
    types = {context.facts(use.tensor).data_type for use in layer.inputs}
    if types & LOW_PRECISIONS or not _SENSITIVE_OPERATIONS.isdisjoint(layer.operations):
        return False
    return is_product(context, layer) or not _is_between_quantized(context, layer)


def _is_between_quantized(context: Context, layer: LayerFacts) -> bool:
    neighbors = (context.sources(layer, context.is_reformat), context.targets(layer, context.is_reformat))
    return all(any(each.precision in QUANTIZED for each in side) for side in neighbors)

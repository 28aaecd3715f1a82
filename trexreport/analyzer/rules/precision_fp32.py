"""Rules on engines that were not allowed any lower precision than FP32."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.patterns import is_product
from trexreport.analyzer.rules.precision_use import saved_in, speed_up, used_types
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.analyzer.rules.wording import for_time
from trexreport.numbers import counted

#: Compute capability times ten from which on tensor cores multiply a type.
_FP16_SINCE, _TF32_SINCE = 70, 80
#: Where TF32 is no faster than this, as on GeForce boards, it is not worth telling.
_FASTER = 1.1
_FEW_ROWS = 8


@rule(
    "TRX403",
    "precision.tf32-off",
    "info",
    needs=("layers", "profile"),
    many="{count} engines compute in FP32 without TF32.",
    section="precision",
    subject="precision",
    thresholds=(Threshold("share_percent", 5, 0, 100, "Least share of the time of all, in percent."),),
)
def tf32_off(context: Context, *, share_percent: float) -> Iterator[Hit]:
    """Convolutions and matrix products in FP32 do without TF32.

    Cost:
        Since Ampere tensor cores multiply FP32 numbers rounded to TF32 (the range of FP32, 10 bits of
        fraction), on data-center GPUs about eight times as fast as ordinary cores multiply FP32.

    Advice:
        Build without --noTF32; in code leave BuilderFlag.TF32 set, which is the default (Torch-TensorRT:
        disable_tf32=False), and do not set NVIDIA_TF32_OVERRIDE=0. Kernels with "tf32" or "s1688" in their
        names show that it is used.

    False alarm:
        The results need all 23 bits. Or TF32 is allowed, and these shapes are too small or odd for it: it is
        a warning only where the command has --noTF32. Where TF32 is no faster (GeForce), nothing is said.

    Bound:
        The time times the part by which the GPU's peak in TF32 exceeds that in FP32; unknown without the
        GPU's peaks.
    """
    capability = context.least_capability
    if capability is None or capability < _TF32_SINCE or context.uses_tf32:
        return
    if context.asked_precisions & LOW_PRECISIONS:
        return
    found = [layer for layer in context.layers if _multiplies_in_fp32(context, layer)]
    if not found or not context.may_matter(found, share_percent):
        return
    faster = speed_up(context, found[0], "TF32")
    if faster is not None and faster < _FASTER:
        return
    found.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    forbidden = any("--noTF32" in command.split() for command in context.analysis.commands)
    why = "the engine was built with --noTF32" if forbidden else "no kernel uses TF32"
    yield Hit(
        f"{counted(len(found), 'product computes', 'products compute')} in FP32"
        f"{for_time(context, found)}, as {why}.",
        tuple(found),
        None if faster is None else context.time_ms(found) * (1 - 1 / faster),
        {"Kernels": _kernels(found)},
        severity="warning" if forbidden else None,
    )


def _multiplies_in_fp32(context: Context, layer: LayerFacts) -> bool:
    """Tell whether a layer surely multiplies in FP32 what tensor cores could multiply in TF32."""
    if not is_product(context, layer) or layer.precision != "FP32":
        return False
    kernel = context.kernel(layer)
    if kernel.tensor_cores is not False or kernel.is_depthwise or kernel.is_matrix_vector:
        return False
    return layer.work is None or (layer.work.groups == 1 and layer.work.m >= _FEW_ROWS)


def _kernels(layers: Sequence[LayerFacts]) -> str:
    names = list(dict.fromkeys(layer.tactic for layer in layers))
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")


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

"""TRX403 precision.tf32-off."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context
from trexreport.analyzer.rules.patterns import is_product
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.precision.precision_use import speed_up
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted

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


#: Compute capability times ten from which on tensor cores multiply a type.
_FP16_SINCE, _TF32_SINCE = 70, 80


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

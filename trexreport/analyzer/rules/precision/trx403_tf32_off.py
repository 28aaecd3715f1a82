"""TRX403 precision.tf32-off."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.context import LOW_PRECISIONS
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import timed
from trexreport.analyzer.rules.precision.precision_use import speed_up
from trexreport.analyzer.rules.precision.speedups import in_tf32
from trexreport.analyzer.rules.tensor_cores import FEW_ROWS, is_faster_there
from trexreport.numbers import counted

#: Minimum compute capability, times ten, with Tensor Cores for the type.
_TF32_SINCE = 80


@built_in_rule(
    "info",
    needs=("layers", "profile"),
    thresholds=(min_share(5, "all these layers together"),),
)
def tf32_off(context: Context, *, share_percent: float) -> Hits:
    """Convolutions and matrix multiplications compute in FP32 without TF32.

    Cost:
        Since Ampere, Tensor Cores multiply FP32 numbers rounded to TF32 (the range of FP32, 10 mantissa
        bits), on data center GPUs about eight times faster than CUDA cores multiply FP32.

    Recommendation:
        Build without --noTF32; in code keep BuilderFlag.TF32 set, which is the default (Torch-TensorRT:
        disable_tf32=False), and do not set NVIDIA_TF32_OVERRIDE=0. Kernels with "tf32" or "s1688" in their
        names use it.

    False alarm:
        The results need all 23 mantissa bits. Or TF32 is allowed, and these shapes are too small or
        unsuitable for it: it is a warning only where the command has --noTF32. Where TF32 is no faster
        (GeForce) nothing is reported.

    Est. savings:
        An estimate from published speedups of TF32 on Tensor Cores over FP32 on CUDA cores, up to that of
        this GPU's peaks; not estimated without the peaks.
    """
    capability = context.min_compute_capability
    if capability is None or capability < _TF32_SINCE or context.uses_tf32:
        return
    if context.requested_precisions & LOW_PRECISIONS:
        return
    found = [layer for layer in context.products if _multiplies_in_fp32(context, layer)]
    found = context.slowest(found, share_percent)
    if not found:
        return
    if is_faster_there(context, "TF32") is False:
        return
    faster = speed_up(context, found[0], "TF32")
    disabled = any("--noTF32" in command.split() for command in context.analysis.commands)
    why = "the engine was built with --noTF32" if disabled else "no kernel uses TF32"
    yield Hit(
        f"{counted(len(found), 'layer computes', 'layers compute')} in FP32 on CUDA cores because {why}"
        f"{timed(context, found)}.",
        tuple(found),
        None if faster is None else in_tf32(context, found, faster),
        {"Kernels": _kernels(found)},
        severity="warning" if disabled else None,
    )


def _multiplies_in_fp32(context: Context, layer: LayerFacts) -> bool:
    """Return whether a product certainly multiplies in FP32 what Tensor Cores could multiply in TF32."""
    if layer.precision != "FP32":
        return False
    kernel = context.kernel(layer)
    if kernel.tensor_cores is not False or kernel.is_depthwise or kernel.is_matrix_vector:
        return False
    return layer.work is None or (layer.work.groups == 1 and layer.work.m >= FEW_ROWS)


def _kernels(layers: Sequence[LayerFacts]) -> str:
    names = list(dict.fromkeys(layer.tactic for layer in layers))
    return names[0] + (f" and {len(names) - 1} more" if len(names) > 1 else "")

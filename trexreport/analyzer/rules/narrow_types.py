"""In which narrow floating-point types TensorRT may multiply on the GPU of an engine."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.earlier_gpus import must_run_on_ampere

#: Minimum compute capability, times ten, with Tensor Cores for a type.
_FP8_SINCE, _FP4_SINCE = 89, 100
#: The first version with convolutions in FP8, and the GPU that it has them for (Hopper).
_FP8_CONVOLUTIONS, _FP8_CONVOLUTIONS_SINCE = (10, 2), 90


def may_use_fp8(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    """Return whether the engine may multiply in FP8; None if the compute capability is not known."""
    if must_run_on_ampere(context):
        return False
    if (stated := context.stated_compute_capability) is not None:
        return stated >= _FP8_SINCE
    return True if (context.min_compute_capability or 0) >= _FP8_SINCE else None


def may_multiply_in_fp8(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether TensorRT may compute layers in FP8; convolutions only newer ones on Hopper and later."""
    may_be = may_use_fp8(context, layers)
    if not may_be or any(map(context.is_matmul, layers)):
        return may_be
    if context.version is not None and context.version < _FP8_CONVOLUTIONS:
        return False
    return (context.stated_compute_capability or 0) >= _FP8_CONVOLUTIONS_SINCE or None


def may_use_fp4(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether the engine is known to be for a GPU that multiplies in FP4."""
    known = context.stated_compute_capability or context.min_compute_capability or 0
    return known >= _FP4_SINCE and not must_run_on_ampere(context)

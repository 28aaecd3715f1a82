"""In which narrow floating-point types TensorRT may multiply on the GPU of an engine."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.earlier_gpus import must_run_on_ampere
from trexreport.analyzer.rules.patterns import quantized_attention
from trexreport.model.named_types import possible_types

#: Minimum compute capability, times ten, with Tensor Cores for a type.
_BF16_SINCE, _FP8_SINCE, _FP4_SINCE = 80, 89, 100
#: NvInferRuntimeBase.h of 8.6 says that FP8 is not supported yet, whatever the flag; releases of 9 were for
#: language models alone.
_FP8_VERSION = (10, 0)
#: B300 and GB300 have a small part of the INT8 rate of B200: https://www.nvidia.com/en-us/data-center/hgx/
_SLOW_INT8 = 103
#: This version added convolutions in FP8 for Ada, with the limits that it has on Hopper. Source: release
#: notes of 10.3.0, in translation (https://blog.csdn.net/qq_43298381/article/details/143976221). Since when
#: Hopper has them is not known. For later GPUs no source was read.
_FP8_CONVOLUTIONS = (10, 3)
_HOPPER = 90
#: This version added fused attentions in FP8 for Ada, the next one those of heads of more than 64 elements.
#: Since when Hopper has them is not known, so that it is not advised before.
#: https://docs.nvidia.com/deeplearning/tensorrt/latest/getting-started/release-notes-10/10.6.0.html
_FP8_ATTENTIONS = (10, 6)
#: The most that fused attentions in INT8 take. Source: TensorRT's developer guide, on fused attentions.
_INT8_TOKENS = 512


def may_use_bf16(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    """Return whether the GPU multiplies in BF16; None if that is not known."""
    if (stated := context.stated_compute_capability) is not None:
        return stated >= _BF16_SINCE
    return True if (context.min_compute_capability or 0) >= _BF16_SINCE else None


def may_use_fp8(context: Context, _: Sequence[LayerFacts]) -> bool | None:
    """Return whether the engine may multiply in FP8, by version and GPU; None if the latter is not known."""
    if must_run_on_ampere(context) or (context.version is not None and context.version < _FP8_VERSION):
        return False
    if (stated := context.stated_compute_capability) is not None:
        return stated >= _FP8_SINCE
    return True if (context.min_compute_capability or 0) >= _FP8_SINCE else None


def may_multiply_in_fp8(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether TensorRT may compute layers in FP8; None for convolutions where that is not known."""
    may_be = may_use_fp8(context, layers)
    if not may_be or any(map(context.is_matmul, layers)):
        return may_be
    version = context.version
    if version is None or version >= _FP8_CONVOLUTIONS:
        return None if version is None else True
    is_hopper = (context.min_compute_capability or 0) >= _HOPPER
    return None if is_hopper else False


def may_attend_in_fp8(context: Context, layers: Sequence[LayerFacts]) -> bool | None:
    """Return whether TensorRT has fused attentions in FP8 for the engine; None where that is not known."""
    may_be, version = may_use_fp8(context, layers), context.version
    return may_be and (None if version is None else version >= _FP8_ATTENTIONS)


def may_attend_quantized(context: Context, layer: LayerFacts) -> bool:
    """Return whether TensorRT may have a quantized kernel for a fused attention of a quantized engine."""
    if context.cached(_uses_int8):
        return layer.work is None or max(layer.work.m, layer.work.n) <= _INT8_TOKENS
    return may_attend_in_fp8(context, [layer]) is not False


def is_beside_float_attention(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer only quantizes the result of a fused attention that has no quantized kernel."""
    attention = quantized_attention(context, layer)
    return attention is not None and not may_attend_quantized(context, attention)


def _uses_int8(context: Context) -> bool:
    return any(each.precision == "INT8" for each in context.layers)


def computes_int8_slowly(context: Context) -> bool:
    """Return whether the GPU is known to compute INT8 slower than FP16."""
    return context.stated_compute_capability == _SLOW_INT8


def lacks_int8(context: Context) -> bool:
    """Return whether the GPU is known to be one on which TensorRT has no INT8."""
    stated = context.stated_compute_capability
    return stated is not None and not possible_types(["INT8"], f"{stated // 10}.{stated % 10}")


def may_use_fp4(context: Context, _: Sequence[LayerFacts]) -> bool:
    """Return whether the engine is known to be for a GPU that multiplies in FP4."""
    known = context.stated_compute_capability or context.min_compute_capability or 0
    return known >= _FP4_SINCE and not must_run_on_ampere(context)

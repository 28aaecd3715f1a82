"""Whether Tensor Cores could multiply what a layer multiplies on CUDA cores, and whether they are faster."""

from __future__ import annotations

import math

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import LOW_PRECISIONS, Context

#: Minimum compute capability, times ten, with which Tensor Cores support a type.
#: Source: CUDA C++ Programming Guide, "Compute Capabilities"; INT8 since Xavier's 7.2.
_SINCE = {"FP16": 70, "BF16": 80, "TF32": 80, "INT8": 72, "FP8": 89}
#: GPUs without Tensor Cores whose CUDA cores compute FP16 at twice the rate of FP32: Tegra X1 (Jetson Nano),
#: P100 and Tegra X2. Source: its table "Throughput of Native Arithmetic Instructions".
_FAST_FP16_WITHOUT = frozenset({53, 60, 62})
#: The first version that supports compute capability 7.0 and later alone. Source: its support matrix.
_FAST_FP16_ALONE = (10, 0)
#: Compute capabilities, times ten, of data center GPUs alone, whose TF32 peak is several times that of FP32.
_FAST_TF32 = frozenset({80, 90, 100, 103})
#: Minimum speedup of TF32 over FP32; GeForce boards have less.
_FASTER = 1.1
#: Fewer rows than the smallest tile of a Tensor Core instruction.
FEW_ROWS = 8


def lacks_tensor_cores(context: Context) -> bool | None:
    """Return whether the GPU has no Tensor Cores for FP16; None if no file states it.

    Kernels of an earlier GPU run on later ones: they show a GPU with Tensor Cores, and never one without.
    TensorRT 10 supports no GPU without fast FP16.
    """
    at_least = context.min_compute_capability
    if at_least is not None and at_least >= _SINCE["FP16"]:
        return False
    if context.stated_compute_capability is not None:
        return True
    return False if context.version is not None and context.version >= _FAST_FP16_ALONE else None


def has_fast_half(context: Context) -> bool:
    """Return whether a GPU is one without Tensor Cores that computes FP16 faster than FP32."""
    return context.stated_compute_capability in _FAST_FP16_WITHOUT


def computes_half_slowly(context: Context) -> bool:
    """Return whether the GPU is known to compute FP16 no faster than FP32."""
    return lacks_tensor_cores(context) is True and not has_fast_half(context)


def has_few_rows(context: Context, layer: LayerFacts) -> bool:
    """Return whether so few rows use the weights that reading the weights takes the time."""
    if context.kernel(layer).is_matrix_vector:
        return True
    rows = layer.work.m if layer.work is not None else _rows(context, layer)
    return rows is not None and rows < FEW_ROWS


def _rows(context: Context, layer: LayerFacts) -> int | None:
    """Return the rows that a layer of unknown extents writes: its output without the channels."""
    dimensions = list(layer.outputs[0].dimensions) if layer.outputs else []
    if not dimensions or min(dimensions) < 0:
        return None
    channels_second = context.is_convolution(layer) or layer.type == "FullyConnected"
    del dimensions[1 if channels_second and len(dimensions) > 1 else -1]
    return math.prod(dimensions)


def is_faster_there(context: Context, multiplied: str) -> bool | None:
    """Return whether Tensor Cores multiply a type faster than CUDA cores; None if the GPU is unknown."""
    if multiplied != "TF32":
        return True
    gpu = context.analysis.roofline.gpu
    if gpu is not None and gpu.vector_tflops.get("FP32"):
        return gpu.tensor_tflops.get("TF32", 0.0) >= _FASTER * gpu.vector_tflops["FP32"]
    stated = context.stated_compute_capability
    return True if stated in _FAST_TF32 else None


def type_for_tensor_cores(context: Context, layer: LayerFacts) -> str:
    """Return the type in which this GPU's Tensor Cores support the layer, or an empty text if unsure."""
    multiplied = layer.precision
    if multiplied == "FP32":
        # Other rules report FP32 where another type was requested or TF32 is not used at all.
        if context.requested_precisions & LOW_PRECISIONS or not context.uses_tf32:
            return ""
        multiplied = "TF32"
    since = _SINCE.get(multiplied)
    if since is None or context.min_compute_capability is None or context.min_compute_capability < since:
        return ""
    gpu = context.analysis.roofline.gpu
    # Some boards of an architecture with Tensor Cores do not have them.
    if gpu is not None and multiplied not in gpu.tensor_tflops:
        return ""
    return "" if is_faster_there(context, multiplied) is False else multiplied

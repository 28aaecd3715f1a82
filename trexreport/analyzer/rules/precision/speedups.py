"""How much faster layers were in a lower precision, as published.

FP16 over FP32 and INT8 over FP16 compare NVIDIA's engines of ResNet-18 on an A100 (trt-engine-explorer, batch
32, https://github.com/NVIDIA/TensorRT/tree/main/tools/experimental/trt-engine-explorer) layer by layer: the
time above that of the engine's fastest kernel. TF32 over FP32:
https://developer.nvidia.com/blog/accelerating-ai-training-with-tf32-tensor-cores/.
"""

from __future__ import annotations

import math

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Gain, LayerFacts
from trexreport.analyzer.rules.context import HALVES, LOW_PRECISIONS, QUANTIZED
from trexreport.analyzer.rules.expected import by_same_work, faster, floor_ms, narrowed
from trexreport.analyzer.rules.gains import join_bases, of_layers
from trexreport.analyzer.rules.memory.weights import MAX_ROWS
from trexreport.analyzer.rules.patterns import is_conv_or_matmul, is_pointwise
from trexreport.analyzer.rules.precision.precision_use import speed_up, used_types
from trexreport.analyzer.rules.roof_share import is_memory_bound

_WALKTHROUGH = "ResNet-18 of NVIDIA's trt-engine-explorer on an A100"
_TF32_BLOG = "NVIDIA on TF32 Tensor Cores"
#: Multiplications in FP32 or TF32: the least, and the greatest on CUDA cores, and where the GPU's peaks are
#: not known; TF32 is half as fast as FP16 on some boards and a quarter as fast on others. Other layers.
_FP16_LEAST, _FP16_MOST, _FP16_MOST_UNKNOWN = 1.5, 6.0, 4.0
_FP16_OTHERS = 1.3, 2.2
#: In TF32 on Tensor Cores; of layers with all their channels 2.3 at most.
_FP16_MOST_OVER_TF32 = 3.0
#: What memory bounds moves half of the bytes, whatever the kernel is.
_HALF_THE_BYTES = 2.0
_INT8_OVER_FP16 = 1.2, 2.0
_TF32 = 2.0, 6.0
#: A speedup may exceed that of the peaks a little, as the kernels are others.
_BEYOND_PEAKS = 1.4


def in_half_precision(context: Context, layers: list[LayerFacts]) -> Gain | None:
    """Return what FP16 or BF16 instead of FP32 saves."""
    few_rows = [layer for layer in layers if _has_few_rows(context, layer)]
    ranges, bases = [], []
    for layer in few_rows:
        low, high, basis = narrowed(context, layer, _halved_bytes(context, layer), _is_narrower)
        ranges.append((layer, low, min(high, (layer.avg_ms or 0.0) / 2)))
        bases.append(basis)
    others = [layer for layer in layers if not _has_few_rows(context, layer)]
    rest = faster(context, others, lambda layer: _half_factors(context, layer), _WALKTHROUGH)
    if rest is not None:
        ranges += [(context.layers[part.layer], part.low_ms, part.high_ms) for part in rest.parts]
        bases += rest.bases
    return of_layers("estimate", ranges, *join_bases(bases)) if ranges else None


def _has_few_rows(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer multiplies few rows, which no published network does, so that bytes decide."""
    if layer.work is not None:
        return layer.work.m <= MAX_ROWS
    if not is_conv_or_matmul(context, layer) or context.is_convolution(layer) or not layer.outputs:
        return False
    # Weights that are an input of the file are read all the same.
    return 0 < math.prod(layer.outputs[0].dimensions[:-1]) <= MAX_ROWS


def _halved_bytes(context: Context, layer: LayerFacts) -> float:
    uses = (*layer.inputs, *layer.outputs)
    wide = sum((each.size_bytes or 0) for each in uses if context.tensor(each.tensor).data_type == "FP32")
    held = (layer.weights_bytes or 0) + (layer.work.hidden_weights_bytes if layer.work else 0)
    return (wide + held) / 2


def _is_quantized(layer: LayerFacts) -> bool:
    return layer.precision in QUANTIZED


def _is_narrower(layer: LayerFacts) -> bool:
    return layer.precision in LOW_PRECISIONS


def in_tf32(context: Context, layers: list[LayerFacts], peaks: float) -> Gain | None:
    """Return what TF32 on Tensor Cores saves of multiplications on CUDA cores.

    Args:
        context: The engine.
        layers: The multiplications.
        peaks: The peak of TF32 divided by that of FP32.
    """
    factors = min(_TF32[0], peaks), min(_TF32[1], peaks)
    return faster(context, layers, lambda _: factors, _TF32_BLOG)


def quantized(context: Context, layers: list[LayerFacts]) -> Gain | None:
    """Return what INT8 or FP8 saves: as layers with the same work show, by the peaks, or as published."""
    ranges, bases = [], []
    others: list[LayerFacts] = []
    by_peaks: list[LayerFacts] = []
    peaks = _peaks_over_half(context)
    for layer in layers:
        shown = by_same_work(context, layer, _is_quantized)
        if shown is None:
            has_peaks = peaks is not None and layer.roof is not None and layer.precision in HALVES
            (by_peaks if has_peaks else others).append(layer)
        else:
            ranges.append((layer, *shown[:2]))
            bases.append(shown[2])
    published = faster(context, others, lambda layer: _quantized_factors(context, layer), _WALKTHROUGH)
    for rest in filter(None, (published, eight_bits(context, by_peaks, peaks))):
        ranges += [(context.layers[part.layer], part.low_ms, part.high_ms) for part in rest.parts]
        bases += rest.bases
    return of_layers("estimate", ranges, *join_bases(bases)) if ranges else None


def _peaks_over_half(context: Context) -> float | None:
    """Return the GPU's peak in the fastest quantized type that the engine uses, divided by that of FP16."""
    gpu = context.analysis.roofline.gpu
    known = gpu.tensor_tflops if gpu else {}
    used = [known[each] for each in context.cached(used_types) & QUANTIZED if each in known]
    return max(used) / known["FP16"] if used and known.get("FP16") else None


def eight_bits(context: Context, layers: list[LayerFacts], peaks: float | None) -> Gain | None:
    """Return what INT8 or FP8 instead of FP16 or BF16 saves.

    Where its roofline is known a layer comes as near to that of the type and of half of the bytes; where
    arithmetic does not bound it perhaps nothing, as it may write the type that it writes now. Elsewhere it
    becomes faster as the peaks allow, or as published; from 0, as nothing says what bounds it.

    Args:
        context: The engine.
        layers: Those that are quantized.
        peaks: The peak of the type divided by that of FP16; None if it is not known.
    """
    floor = context.cached(floor_ms)
    high = _INT8_OVER_FP16[1]
    ranges: list[tuple[LayerFacts, float, float]] = []
    bases: list[GainBasis] = []
    for layer in layers:
        shown = _by_peaks(context, layer, peaks) if peaks is not None else None
        factors = shown or (1.0, high if peaks is None else min(high, peaks))
        above = max((layer.avg_ms or 0.0) - floor, 0.0)
        ranges.append((layer, above * (1 - 1 / factors[0]), above * (1 - 1 / factors[1])))
        bases.append(
            GainBasis("published", *factors, (), _WALKTHROUGH)
            if peaks is None
            else GainBasis("peaks", *factors)
        )
    return of_layers("estimate", ranges, *join_bases(bases)) if ranges else None


def _by_peaks(context: Context, layer: LayerFacts, peaks: float) -> tuple[float, float] | None:
    """Return the least and the greatest speedup of a layer by its roofline with half of the bits."""
    gpu, roof = context.analysis.roofline.gpu, layer.roof
    if gpu is None or roof is None or not roof.peak_tflops or not roof.intensity:
        return None
    compute_ms = (layer.flops or 0) / (roof.peak_tflops * 1e9)
    memory_ms = (layer.flops or 0) / roof.intensity / (gpu.bandwidth_gbs * 1e6)
    most = max(compute_ms, memory_ms) / max(compute_ms / peaks, memory_ms / 2)
    least = _INT8_OVER_FP16[0] if roof.bound == "compute" else 1.0
    return min(least, most), most


def _half_factors(context: Context, layer: LayerFacts) -> tuple[float, float]:
    least, most = _published_half_factors(context, layer)
    # Quantized layers of this engine show what FP16 does not exceed.
    shown = by_same_work(context, layer, _is_quantized)
    if shown is not None and layer.avg_ms:
        limits = (layer.avg_ms / max(layer.avg_ms - saved_ms, layer.avg_ms / most) for saved_ms in shown[:2])
        least, most = map(min, (least, most), limits)
    return least, most


def _published_half_factors(context: Context, layer: LayerFacts) -> tuple[float, float]:
    if not is_conv_or_matmul(context, layer):
        least, most = _FP16_OTHERS
        return least, min(most, _HALF_THE_BYTES) if is_memory_bound(layer) or is_pointwise(layer) else most
    if is_memory_bound(layer):
        return _FP16_LEAST, _HALF_THE_BYTES
    kernel = context.kernel(layer)
    peaks = None if kernel.tensor_cores is None else speed_up(context, layer, "FP16")
    if peaks is None:
        return _FP16_LEAST, _FP16_MOST if kernel.tensor_cores is False else _FP16_MOST_UNKNOWN
    # Half the bytes make memory-bound layers twice as fast, whatever the peaks are.
    most = _FP16_MOST_OVER_TF32 if kernel.tensor_cores else _FP16_MOST
    return _FP16_LEAST, min(most, _BEYOND_PEAKS * max(peaks, 2.0))


def _quantized_factors(context: Context, layer: LayerFacts) -> tuple[float, float]:
    low, high = _INT8_OVER_FP16
    if layer.precision != "FP32":
        return low, high
    halved = _half_factors(context, layer)
    return low * halved[0], high * halved[1]

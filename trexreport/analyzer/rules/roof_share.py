"""How near a layer comes to what memory allows."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.expected import TYPICAL_SHARES
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.analyzer.rules.patterns import movers

#: A layer above this share of its roofline cannot become much faster without moving fewer bytes.
AT_ROOF = 0.8
#: A layer longer than a launch that stays below this share is limited by its kernel.
_FAR = 0.25
#: A kernel that takes this many times as long as on the slowest units of the GPU is a bad one, whatever its
#: type: NVIDIA/TensorRT-RTX-EP-ABI issue 8 has deconvolutions of 1,000 times. It must be long enough that
#: neither a launch nor a lack of thread blocks explains that.
_TIMES_TOO_LONG, _LONG_MS = 10.0, 0.02
#: As many times as long as at the best rates of other kernels, which may be those of Tensor Cores in FP8.
_TIMES_OF_BEST = 300.0
#: FLOP that every GPU with Tensor Cores computes while it moves a byte, in any type.
_SLOWEST_PER_BYTE = 32.0
#: Movers with fewer bytes than this part of a layer's show no rate for it: the cache may hold them.
_COMPARABLE = 0.5


def share_of_memory_roof(context: Context, layer: LayerFacts) -> float:
    """Return the time that a layer's bytes take at full bandwidth, as a share of its time; 0 if not known.

    Without the GPU's peaks the fastest layer of the engine that only moves data shows the bandwidth.
    """
    if layer.roof is not None and layer.avg_ms:
        return layer.roof.roof_ms / layer.avg_ms if layer.roof.roof == "memory" else 0.0
    if not layer.bandwidth_gbs or not layer.moved_bytes:
        return 0.0
    moving = (
        each.bandwidth_gbs
        for each in context.cached(movers)
        if each.index != layer.index and (each.moved_bytes or 0) >= _COMPARABLE * (layer.moved_bytes or 0)
    )
    fastest = max((gbs for gbs in moving if gbs), default=None)
    return layer.bandwidth_gbs / fastest if fastest else 0.0


def is_far_from_roof(context: Context, layer: LayerFacts) -> bool:
    """Return whether a kernel reaches a small part of the bandwidth that is not explained by its launch."""
    if layer.roof is None or layer.roof.roof != "memory" or is_mostly_launch(context, layer):
        return False
    return share_of_memory_roof(context, layer) < _FAR


def cuda_cores_ms(context: Context, layer: LayerFacts) -> float:
    """Return the roofline time of a layer without Tensor Cores, in FP32; 0 if it is not known."""
    gpu = context.analysis.roofline.gpu
    if layer.roof is None or gpu is None:
        return 0.0
    peak = gpu.vector_tflops.get("FP32")
    product_ms = layer.work.macs * 2 / (peak * 1e9) if layer.work and peak else 0.0
    return max(layer.roof.roof_ms, product_ms)


def is_far_off(context: Context, layer: LayerFacts) -> bool:
    """Return whether neither type, bytes nor operations explain a tenth of a layer's time, but its kernel.

    Without the GPU that is known of deconvolutions alone, of which TensorRT has such kernels: TRX109 reports
    them. Of others no rule would.
    """
    own_ms, times = cuda_cores_ms(context, layer), _TIMES_TOO_LONG
    is_unknown = layer.roof is None and context.analysis.roofline.gpu is None
    if is_unknown and layer.work is not None and layer.work.kind == "deconvolution":
        own_ms, times = best_ms(context, layer), _TIMES_OF_BEST
    return own_ms >= _LONG_MS and (layer.avg_ms or 0.0) >= times * own_ms


def best_ms(context: Context, layer: LayerFacts) -> float:
    """Return the time of a layer's work at the best rates of kernels of this engine; 0 if it is not known."""
    tflops, gbs = context.cached(_best_rates)
    if layer.work is None or not layer.moved_bytes or not tflops or not gbs:
        return 0.0
    return max(2 * layer.work.macs / (tflops * 1e9), layer.moved_bytes / (gbs * 1e6))


def _best_rates(context: Context) -> tuple[float, float]:
    """Return the highest rates of products in TFLOP/s, and of all layers in GB/s."""
    tflops = (each.work.tflops or 0.0 for each in context.layers if each.work)
    return max(tflops, default=0.0), max((each.bandwidth_gbs or 0.0 for each in context.layers), default=0.0)


def near_roof(context: Context, layers: Sequence[LayerFacts]) -> Gain:
    """Return what layers that are far off save with a kernel that is as near to the roofline as others."""
    least, most = 1 / _TIMES_TOO_LONG, TYPICAL_SHARES[1]
    parts = []
    for each in layers:
        time_ms, own_ms = each.avg_ms or 0.0, cuda_cores_ms(context, each)
        parts.append((each, time_ms - own_ms / least, time_ms - own_ms / most))
    return of_layers("estimate", parts, GainBasis("roof", least, most))


def is_memory_bound(layer: LayerFacts) -> bool:
    """Return whether the bandwidth explains most of a layer's time."""
    return layer.roof is not None and layer.roof.bound == "memory"


def bytes_bound_everywhere(layer: LayerFacts, padding: float = 0.0) -> bool:
    """Return whether on every GPU with Tensor Cores a layer's bytes take longer than its multiplications.

    Args:
        layer: A product.
        padding: Part of its multiplications that is added to those that count.
    """
    computed = (layer.flops or 0) / (1 - padding)
    return 0 < computed < _SLOWEST_PER_BYTE * (layer.moved_bytes or 0)

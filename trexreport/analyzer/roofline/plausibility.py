"""Decide whether a layer is faster than its GPU: unusual, or impossible.

A measured speed above a roof is *unusual* where a reason for it exists: data in a cache is faster than device
memory, a kernel may leave out bytes or operations that shapes and attributes count (structured sparsity,
Winograd convolution), and a board may run above its stated clock. It is *impossible* where none of them
explains it; then time, shapes or attributes are wrong, or they are another GPU's. The limit is the product of

* the dense peak of the type that the kernel multiplies, or the highest peak of the GPU where the name of the
  kernel does not say it;
* 2 for structured sparsity, which Tensor Cores have from compute capability 8.0 on ("NVIDIA A100 Tensor Core
  GPU Architecture"), unless the name is that of a dense kernel;
* 4 for fast convolutions: F(4x4, 3x3) needs a quarter of the products (Lavin and Gray, "Fast Algorithms for
  Convolutional Neural Networks", 2016, section 4), unless the name is that of another algorithm;
* 4 for operations of CUDA cores, as they do up to four times as many in FP16 as in FP32 (78 against 19.5
  TFLOP/s of an A100);
* 1.5 for clocks above that of the table, as `choose_gpu` accepts.

Bytes: an SM moves at most 128 bytes in one clock between its L1 cache and its registers, and does at least
128 FP32 operations in it (tuning guides of Volta to Blackwell), so that a GPU moves at most one byte for each
of its FP32 operations. That limit holds for layers that must touch all of their bytes, which those with a
known number of operations do; others may alias, gather or skip.

On the captures of 12 engines of six GPUs the fastest layers reach 105% of a peak of operations and 307% of
the memory bandwidth; the limits are at least 150% and 1,000%.
"""

from __future__ import annotations

from functools import lru_cache

from trexreport.analyzer.analysis import Gpu
from trexreport.analyzer.analysis.roofline import LayerRoof, SpeedExcess
from trexreport.analyzer.kernels import read_kernel
from trexreport.analyzer.roofline.costs import LayerCost, min_bytes
from trexreport.analyzer.roofline.table import TENSOR_KEYS, built_in_table
from trexreport.model import Layer

_SPARSITY, _FAST_CONVOLUTION, _PACKED, _CLOCK = 2.0, 4.0, 4.0, 1.5
_BYTES_PER_FP32_OPERATION = 1.0
_SPARSE_SINCE = 8.0
_FAST_NAMES = ("winograd", "wngd", "fft")
_LIBRARIES = frozenset({"xmma", "cutlass", "cudnn", "cublas"})


class SpeedLimits:
    """How fast the layers of an engine can be on its GPU.

    Args:
        gpu: None if it is not known: then only what no GPU of the table does is impossible.
    """

    def __init__(self, gpu: Gpu | None) -> None:
        self._gpu = gpu
        self._max_bytes = _max_bytes(gpu)
        # Layers run few different kernels.
        self._max_tflops: dict[tuple[str, bool, bool], float] = {}

    def find_excess(self, layer: Layer, cost: LayerCost, roof: LayerRoof | None) -> SpeedExcess | None:
        """Return why a layer is faster than the GPU's peaks, or None where it is not.

        Args:
            layer: The layer.
            cost: Its time, bytes and operations.
            roof: The layer against the GPU's peaks; None if that is not known.
        """
        if not cost.avg_ms or cost.avg_ms < 0:
            return None
        if self._is_impossible(layer, cost, cost.avg_ms / 1e3):
            return "impossible"
        if roof is None or roof.roof_ms <= cost.avg_ms:
            return None
        return "above-peak" if roof.roof == "compute" else "above-bandwidth"

    def _is_impossible(self, layer: Layer, cost: LayerCost, seconds: float) -> bool:
        if not cost.flops:
            return False
        work = cost.work
        kind = layer.tactic, work is not None, bool(work and work.kernel)
        if kind not in self._max_tflops:
            self._max_tflops[kind] = _max_tflops(self._gpu, *kind)
        if cost.flops / seconds / 1e12 > self._max_tflops[kind]:
            return True
        moved = min_bytes(layer, cost)
        return moved is not None and moved / seconds > self._max_bytes


def _max_tflops(gpu: Gpu | None, tactic: str, multiplies: bool, convolves: bool) -> float:
    """Return the 10^12 operations per second that a kernel can't exceed on this GPU.

    Args:
        gpu: None if it is not known.
        tactic: Name of the kernel.
        multiplies: It does a known number of multiply-accumulate operations.
        convolves: They are those of a convolution.
    """
    if gpu is None:
        return _CLOCK * _SPARSITY * _highest_peaks()[0]
    vector = _PACKED * gpu.vector_tflops.get("FP32", 0.0)
    if not multiplies:
        return _at_full_clock(gpu, vector)
    kernel = read_kernel(tactic)
    named = [tflops for name, tflops in _all_peaks(gpu) if name.partition("/")[0] == kernel.math_type]
    if kernel.math_type == "FP32":
        named += [gpu.tensor_tflops.get("TF32", 0.0)]
    is_read = kernel.family in _LIBRARIES
    peak = max(named) if named and is_read else max([vector, *gpu.tensor_tflops.values()])
    if not is_read or any(name in tactic.lower() for name in _FAST_NAMES):
        peak *= _FAST_CONVOLUTION if convolves else 1.0
    if _has_sparsity(gpu) and not (is_read and "sparse" not in tactic.lower()):
        peak *= _SPARSITY
    return _at_full_clock(gpu, peak)


def _max_bytes(gpu: Gpu | None) -> float:
    """Return the bytes per second that no kernel of the GPU exceeds."""
    if gpu is None:
        return _CLOCK * _BYTES_PER_FP32_OPERATION * _highest_peaks()[1] * 1e12
    return _at_full_clock(gpu, _BYTES_PER_FP32_OPERATION * gpu.vector_tflops.get("FP32", 0.0)) * 1e12


def _at_full_clock(gpu: Gpu, rate: float) -> float:
    """Return a rate at the highest clock that the GPU may have run at, infinite where the rate is unknown."""
    return _CLOCK * rate / min(1.0, gpu.clock_scale) if rate else float("inf")


def _all_peaks(gpu: Gpu) -> list[tuple[str, float]]:
    return [*gpu.tensor_tflops.items(), *gpu.vector_tflops.items()]


def _has_sparsity(gpu: Gpu) -> bool:
    try:
        return float(gpu.compute_capability) >= _SPARSE_SINCE
    except ValueError:
        return True


@lru_cache(maxsize=1)
def _highest_peaks() -> tuple[float, float]:
    """Return the highest dense peak of Tensor Cores and of FP32 in the table, 10^12 operations per second."""
    boards = built_in_table().boards
    tensor = max(board.peaks.get(key, 0.0) for board in boards for key in TENSOR_KEYS)
    return tensor, max(board.peaks.get("fp32", 0.0) for board in boards)

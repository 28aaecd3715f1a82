"""Which peak of a GPU applies to a layer, and the GPUs of the table with their peaks."""

from __future__ import annotations

from functools import lru_cache

from trexreport.analyzer.analysis import Gpu
from trexreport.analyzer.kernels import read_kernel
from trexreport.analyzer.roofline.matching import gpu_of_table
from trexreport.analyzer.roofline.table import built_in_table


def product_types(tactic: str, precision: str, *, allows_tf32: bool = True) -> list[str]:
    """Return the types whose peak may apply to a matrix product; the first that a GPU has does.

    Args:
        tactic: Name of the kernel, which may state the type that it multiplies and how it accumulates.
        precision: What the layer reads, where the kernel's name does not state it.
        allows_tf32: FP32 layers may run in TF32, as TensorRT's default is.
    """
    kernel = read_kernel(tactic)
    multiplied = kernel.math_type or precision
    if multiplied == "TF32" or (multiplied == "FP32" and allows_tf32):
        return ["TF32", "FP32"]
    return [f"{multiplied}/FP16", multiplied] if kernel.accumulator in ("FP16", "") else [multiplied]


def product_peak(gpu: Gpu, types: list[str]) -> tuple[str, float | None]:
    """Return type and 10^12 operations per second of matrix products; None if no peak of these is known."""
    for name in types:
        peak = gpu.tensor_tflops.get(name) or gpu.vector_tflops.get(name)
        if peak:
            return name, peak
    return "", None


@lru_cache(maxsize=1)
def known_gpus() -> tuple[Gpu, ...]:
    """Return the GPUs of the table that comes with the package, at boost clock."""
    return tuple(gpu_of_table(board) for board in built_in_table().boards)

"""What Nsight Compute counted of the kernels of an engine, by layer."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.lazy_dataclass import bulk_facts, dataclass


@bulk_facts
class LayerCounters:
    """What Nsight Compute counted in the kernels of a layer, for one query.

    Attributes:
        dram_bytes: Read from and written to device memory.
        tensor_operations: Of the Tensor Cores.
        tensor_active_percent: Part of the time in which they worked, of the kernel with the largest.
        bytes_percent: `dram_bytes` as a part of the bytes that the layer must move by its tensors; None where
            that is not known.
        operations_percent: `tensor_operations` as a part of the operations by shapes; None where one of them
            is not known, or where no Tensor Core worked.
    """

    layer: int
    kernels: int
    dram_bytes: float | None
    tensor_operations: float | None
    tensor_active_percent: float | None
    bytes_percent: float | None
    operations_percent: float | None = None


@dataclass(frozen=True)
class CountersFacts:
    """What Nsight Compute counted in the kernels of an engine.

    Attributes:
        kernels: Runs of kernels that were counted; `matched` of them belong to a known layer.
        layers: Those with counts, by index.
        median_percent, low_percent, high_percent: Median, 10th and 90th percentile of `bytes_percent`: the
            error of the modeled bytes; None without any.
        compared: Layers with both.
        is_other: The counts contradict the other files: they are of another engine or GPU.
        total_percent: Measured bytes of these layers together, as a part of those by their tensors.
        operations_compared, operations_percent: Layers with measured and modeled operations, and the measured
            ones of all of them as a part of the modeled ones.
    """

    file: str
    kernels: int
    matched: int
    layers: Sequence[LayerCounters]
    compared: int
    median_percent: float | None
    low_percent: float | None
    high_percent: float | None
    is_other: bool = False
    total_percent: float | None = None
    operations_compared: int = 0
    operations_percent: float | None = None

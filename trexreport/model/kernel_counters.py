"""What Nsight Compute counted in runs of kernels."""

from __future__ import annotations

from collections.abc import Mapping

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: What no count of a kernel can exceed. Several passes, in which a kernel does not take the same time, may
#: make a part of more than the whole.
LARGEST_COUNTS: Mapping[str, float] = {
    "dram_bytes": 1e30,
    "tensor_operations": 1e30,
    "tensor_active_percent": 110.0,
}


@bulk_facts
class CountedKernel:
    """One run of a kernel under Nsight Compute; None where a quantity was not collected.

    Attributes:
        dram_bytes: Read from and written to device memory.
        tensor_operations: Of the Tensor Cores.
        tensor_active_percent: Part of the time in which they worked.
    """

    name: str
    dram_bytes: float | None = None
    tensor_operations: float | None = None
    tensor_active_percent: float | None = None


@dataclass(frozen=True)
class KernelCounters:
    """The kernels of a report of Nsight Compute, in the order in which they ran.

    Attributes:
        file: Name of the file that they were read from.
        compute_capability: Of the GPU, times ten; None if it is not stated, or of several GPUs.
        impossible: How many rows and counts no kernel can have, which are unknown.
        first_impossible: Where the first of them is, such as "dram__bytes.sum of ID 3".
        lacking: How many numbers of kernels before the last one have no row.
    """

    file: str = ""
    kernels: tuple[CountedKernel, ...] = ()
    compute_capability: int | None = None
    impossible: int = 0
    first_impossible: str = ""
    lacking: int = 0

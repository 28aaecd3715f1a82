"""How fast the layers could run at best on this GPU."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: How the GPU was found: named by the user, by the name of the device, or derived from its properties.
GpuMatch = Literal["user", "name", "derived"]
#: A property of a GPU that its table and a capture both state.
GpuProperty = Literal["SMs", "memory", "bus width"]
#: Which of the two roofs is the lower one.
Roof = Literal["compute", "memory"]
#: What bounds a layer: that roof, or neither.
Bound = Literal["compute", "memory", "latency"]
#: Why a layer is faster than the roofs. Its bytes: in a cache, or not all moved. Its operations: fewer than
#: counted (sparsity, Winograd), or a higher clock. "impossible" is more than any of that explains.
SpeedExcess = Literal["above-bandwidth", "above-peak", "impossible"]
#: Why there is no roofline.
ObstacleCode = Literal[
    "gpu-not-stated",
    "gpu-ambiguous",
    "gpu-unknown",
    "gpu-incomplete",
    "gpu-contradicted",
    "nothing-measured",
    "unknown-extents",
    "contradictory-files",
    "times-are-sums",
]


@dataclass(frozen=True)
class Gpu:
    """The peak rates of the GPU.

    Attributes:
        name: Of the table's entry, such as "A100 80GB PCIe".
        chosen_by: How the entry was found.
        device: Name of the device as the capture states it; empty where it does not.
        agreed: Which stated properties agree with the entry.
        tensor_tflops: Data type to 10^12 dense operations per second of the Tensor Cores, at `clock_scale`.
            "FP16/FP16" is for FP16 products with FP16 accumulation, where that is faster than with FP32.
        vector_tflops: The same of the CUDA cores, for everything but matrix products.
        bandwidth_gbs: 10^9 bytes per second of device memory.
        l2_bytes: Size of the L2 cache; None if not known.
        clock_scale: The clock the capture states over the clock that the table's peaks are for; 1 if unknown.
        bandwidth_scale: The bandwidth at the memory clock that the capture states over that of the table; 1
            where it is not lower.
        source: Where the figures are from.
        derived: How the peaks were derived; empty where they are published.
        whole_sms: Of the whole GPU of this name, memory and bus, where the capture states fewer SMs.
        is_certain: False where the table itself marks a figure as uncertain.
    """

    name: str
    chosen_by: GpuMatch
    tensor_tflops: Mapping[str, float]
    vector_tflops: Mapping[str, float]
    bandwidth_gbs: float
    device: str = ""
    agreed: Sequence[GpuProperty] = ()
    l2_bytes: int | None = None
    sms: int | None = None
    compute_capability: str = ""
    clock_scale: float = 1.0
    bandwidth_scale: float = 1.0
    source: str = ""
    derived: str = ""
    whole_sms: int | None = None
    is_certain: bool = True


@dataclass(frozen=True)
class RooflineObstacle:
    """Why there is no roofline.

    Attributes:
        code: The reason.
        device: Name of the device as the capture states it.
        names: The GPUs that the device may be ("gpu-ambiguous"), or the properties that the capture does not
            state ("gpu-incomplete"), or states and no GPU of that name has ("gpu-contradicted").
    """

    code: ObstacleCode
    device: str = ""
    names: Sequence[str] = ()


@bulk_facts
class LayerRoof:
    """A layer against the roof.

    Attributes:
        roof: Which of the two roofs is the lower one.
        bound: What bounds the layer: "latency" where the roof explains too little of its time
            (`trexreport.analyzer.roofline.classes`); None without a time.
        peak_tflops: The peak that it was measured against; None where it has no operations or their number is
            unknown, but surely so small that memory is the limit.
        peak_type: What that peak is for, as `Gpu.tensor_tflops` and `vector_tflops` name it; else empty.
        intensity: Operations per byte that it has to move; None where the operations are unknown.
        roof_ms: The minimum time that the GPU needs for the layer's operations and bytes.
        reached_percent: roof_ms over the measured time. It may exceed 100 where tensors stay in the cache.
        headroom_ms: Measured time minus roof_ms, at least 0; None without a time.
        fits_l2: All that it moves fits into the L2 cache, so the memory roof is not firm; None if the size of
            the cache is not known.
    """

    roof: Roof
    bound: Bound | None
    peak_tflops: float | None
    peak_type: str
    intensity: float | None
    roof_ms: float
    reached_percent: float | None
    headroom_ms: float | None
    fits_l2: bool | None


@dataclass(frozen=True)
class RoofGroup:
    """Layers of one type against the roof; only layers with a roof and a time count.

    Attributes:
        count: Layers counted; `left_out` have no roof or no time.
        roof_ms: Of each layer at most its time, as tensors may stay in the cache.
        near_limit_ms: Time of layers that 10% more or less time would put into, or take out of, the
            latency-bound ones.
    """

    name: str
    count: int
    left_out: int
    time_ms: float
    roof_ms: float
    headroom_ms: float
    compute_bound_ms: float
    memory_bound_ms: float
    latency_bound_ms: float
    near_limit_ms: float


@dataclass(frozen=True)
class Roofline:
    """All layers against the peaks of the GPU.

    Attributes:
        gpu: None if it is not known.
        obstacle: Why there is no roofline; None if there is one.
        by_type: Most headroom first.
        total: All layers with a roof and a time; None without any.
        explained_percent: Layers of which the roof is a smaller part of their time are latency-bound.
        launch_ms: About what the launch of a kernel takes in this run; None if no layer shows it.
    """

    gpu: Gpu | None = None
    obstacle: RooflineObstacle | None = None
    by_type: Sequence[RoofGroup] = ()
    total: RoofGroup | None = None
    explained_percent: float | None = None
    launch_ms: float | None = None

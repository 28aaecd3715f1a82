"""How fast the layers could be at most on this GPU."""

from __future__ import annotations

from dataclasses import dataclass, field


@dataclass
class Gpu:
    """What the GPU can do at most.

    Attributes:
        name: Of the table's entry, such as "A100 80GB PCIe".
        chosen_by: How the entry was found, as a phrase for a reader.
        tensor_tflops: Data type to 10^12 dense operations a second of the tensor cores, at `clock_scale`.
            "FP16/FP16" is for FP16 products that are added in FP16, where that is faster than in FP32.
        vector_tflops: The same of the ordinary cores, for all that is no matrix product.
        bandwidth_gbs: 10^9 bytes a second of device memory.
        l2_bytes: Size of the second-level cache; None if not known.
        clock_scale: The clock the capture states over the clock that the table's peaks are for; 1 if unknown.
        source: Where the figures are from.
        is_certain: False where the table itself calls a figure unsure.
    """

    name: str
    chosen_by: str
    tensor_tflops: dict[str, float]
    vector_tflops: dict[str, float]
    bandwidth_gbs: float
    l2_bytes: int | None = None
    sms: int | None = None
    compute_capability: str = ""
    clock_scale: float = 1.0
    source: str = ""
    is_certain: bool = True


@dataclass(slots=True)
class LayerRoof:
    """A layer against the roof.

    Attributes:
        bound: "compute" or "memory": which of the two roofs is the lower one.
        peak_tflops: The peak that it was measured against; None where its operations are none or unknown, but
            surely so few that memory sets the pace.
        peak_type: What that peak is for, as `Gpu.tensor_tflops` and `vector_tflops` name it; else empty.
        intensity: Operations per byte that it has to move; None where the operations are unknown.
        roof_ms: The least time that the GPU needs for the layer's operations and bytes.
        reached_percent: roof_ms over the measured time. It may exceed 100 where tensors stay in the cache.
        headroom_ms: Measured time minus roof_ms, at least 0; None without a time.
        fits_l2: All that it moves fits into the second-level cache, so the memory roof is not firm.
    """

    bound: str
    peak_tflops: float | None
    peak_type: str
    intensity: float | None
    roof_ms: float
    reached_percent: float | None
    headroom_ms: float | None
    fits_l2: bool


@dataclass
class RoofGroup:
    """Layers of one type against the roof; only layers with a roof and a time count.

    Attributes:
        count: Layers counted; `left_out` have no roof or no time.
    """

    name: str
    count: int
    left_out: int
    time_ms: float
    roof_ms: float
    headroom_ms: float
    memory_bound_ms: float


@dataclass
class Roofline:
    """All layers against what the GPU can do at most.

    Attributes:
        gpu: None if it is not known.
        reason: Why there is no roofline, with what to do; empty if there is one.
        by_type: Most headroom first.
        total: All layers with a roof and a time; None without any.
    """

    gpu: Gpu | None = None
    reason: str = ""
    by_type: list[RoofGroup] = field(default_factory=list)
    total: RoofGroup | None = None

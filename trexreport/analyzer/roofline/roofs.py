"""Compute the roofline: each layer's time against the peaks of the GPU.

The roof of a layer is the longer of two times: its operations at the peak of the units that do them, and
its bytes at the bandwidth of the memory (Williams, Waterman and Patterson, "Roofline", 2009).

Which peak: convolutions, matrix products and attention are compared with the Tensor Cores, for the type that
the kernel multiplies, else the type that the layer reads; so one that does not run on Tensor Cores shows what
it would gain there. FP32 counts as TF32 where the GPU has it, since TensorRT allows TF32 unless it is built
with --noTF32. FP16 accumulation has a peak of its own on GeForce boards; where the kernel's
name does not say how it accumulates, the higher peak counts, so that no roof is too low. All other
operations are compared with the FP32 rate of the CUDA cores.

Which bytes: inputs, outputs, weights and constants, each once, and the estimate of hidden weights. A
convolution whose stride is wider than its kernel leaves elements of its input out; layers that gather or
slice may do so too: as much as they write is taken.

A layer has no roof where bytes are unknown or none, or where it may hide a matrix product of unknown size.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence

from trexreport.analyzer.analysis import NOT_STATED, Gpu, LayerFacts, RooflineObstacle
from trexreport.analyzer.analysis.roofline import LayerRoof, ObstacleCode, Roof, RoofGroup, Roofline
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.kernels import read_kernel
from trexreport.analyzer.operations import may_multiply
from trexreport.analyzer.roofline.classes import EXPLAINED_PERCENT, Limits, find_bound, is_near_limit
from trexreport.analyzer.roofline.costs import LayerCost, min_bytes
from trexreport.analyzer.roofline.peaks import product_peak, product_types
from trexreport.model import Layer
from trexreport.regex import regex

_MS_PER_S = 1e3
#: Layers that may hold anything at all.
_OPAQUE_TYPES = frozenset(
    {"", "Myelin", "ForeignNode", "Loop", "Condition", "RNNv2", "Einsum", "conv_act_pool"}
)
_OPAQUE_PREFIXES = ("Plugin", "fusion", "attention")
#: Kernels that load one or two elements at a time.
_UNALIGNED = regex(r"_align[12](?![0-9])", re.ASCII)


class RoofModel:
    """The peaks that layers are measured against.

    Args:
        gpu: What `choose_gpu` returned; without a GPU no layer has a roof.
        allows_tf32: FP32 layers may run in TF32, as TensorRT's default is.
        launch_ms: What `launch_time` returned.
        explained_percent: Below this part of a layer's time its roof does not explain it.

    Attributes:
        gpu: None if it is not known; then `obstacle` says why.
    """

    def __init__(
        self,
        gpu: Gpu | RooflineObstacle,
        *,
        allows_tf32: bool = True,
        launch_ms: float | None = None,
        explained_percent: float = EXPLAINED_PERCENT,
    ) -> None:
        self.gpu = gpu if isinstance(gpu, Gpu) else None
        self.obstacle = gpu if isinstance(gpu, RooflineObstacle) else None
        self._allows_tf32 = allows_tf32
        # Layers run few different kernels.
        self._product_peaks: dict[tuple[str, str], tuple[str, float | None]] = {}
        self.launch_ms = launch_ms
        self.explained_percent = explained_percent

    def roof(self, layer: Layer, cost: LayerCost) -> LayerRoof | None:
        """Return a layer's roof, or None where it is not known."""
        gpu = self.gpu
        if gpu is None:
            return None
        moved = min_bytes(layer, cost)
        if not moved or (cost.flops is None and _may_hide_a_product(layer)):
            return None
        peak_type, peak = self._peak(gpu, layer, cost) if cost.flops else ("", None)
        if peak is None and cost.work is not None:
            return None  # the other roof may be the lower one
        memory_ms = moved / (gpu.bandwidth_gbs * 1e9) * _MS_PER_S
        compute_ms = cost.flops / (peak * 1e12) * _MS_PER_S if peak and cost.flops else 0.0
        roof: Roof = "compute" if compute_ms > memory_ms else "memory"
        roof_ms = max(memory_ms, compute_ms)
        is_unaligned = _UNALIGNED.search(layer.tactic) is not None
        limits = Limits(roof, roof_ms, _cuda_cores_ms(gpu, layer, cost), self.launch_ms, is_unaligned)
        return LayerRoof(
            roof,
            find_bound(limits, cost.avg_ms, self.explained_percent),
            peak,
            peak_type,
            None if cost.flops is None else cost.flops / moved,
            roof_ms,
            100 * roof_ms / cost.avg_ms if cost.avg_ms else None,
            None if cost.avg_ms is None else max(0.0, cost.avg_ms - roof_ms),
            None if gpu.l2_bytes is None else moved <= gpu.l2_bytes,
        )

    def _peak(self, gpu: Gpu, layer: Layer, cost: LayerCost) -> tuple[str, float | None]:
        """Return data type and 10^12 operations per second, or None if the GPU's peak for it is not known."""
        if cost.work is None:
            return "FP32", gpu.vector_tflops.get("FP32")
        kind = layer.tactic, layer.precision
        found = self._product_peaks.get(kind)
        if found is None:
            types = product_types(*kind, allows_tf32=self._allows_tf32)
            found = self._product_peaks[kind] = product_peak(gpu, types)
        return found


def _cuda_cores_ms(gpu: Gpu, layer: Layer, cost: LayerCost) -> float:
    """Return the time of a multiplication that runs on CUDA cores at their peak, 0 for others."""
    kernel = read_kernel(layer.tactic)
    if cost.work is None or not cost.flops or kernel.tensor_cores is not False:
        return 0.0
    peak = gpu.vector_tflops.get(kernel.math_type or layer.precision)
    return cost.flops / (peak * 1e12) * _MS_PER_S if peak else 0.0


def _why_nothing(layers: Sequence[LayerFacts]) -> ObstacleCode:
    """Return why no layer has a roof and a time."""
    uses = (use for layer in layers if layer.avg_ms for use in (*layer.inputs, *layer.outputs))
    return "unknown-extents" if any(-1 in use.dimensions for use in uses) else "nothing-measured"


def sum_roofline(layers: Sequence[LayerFacts], model: RoofModel) -> Roofline:
    """Return the sums of the layers' roofs.

    Args:
        layers: With their roofs.
        model: That they are from.
    """
    if model.gpu is None:
        return Roofline(obstacle=model.obstacle, launch_ms=model.launch_ms)
    counted = [layer for layer in layers if layer.avg_ms or not layer.structural]
    by_type = group_by(counted, lambda layer: layer.type or NOT_STATED)
    groups = [
        group for name, members in by_type.items() if (group := _sum(name, members, model.explained_percent))
    ]
    total = _sum("all", counted, model.explained_percent)
    return Roofline(
        gpu=model.gpu,
        obstacle=None if total else RooflineObstacle(_why_nothing(counted)),
        by_type=sorted(groups, key=lambda group: (-group.headroom_ms, group.name)),
        total=total,
        explained_percent=model.explained_percent,
        launch_ms=model.launch_ms,
    )


def _may_hide_a_product(layer: Layer) -> bool:
    return (
        layer.type in _OPAQUE_TYPES
        or layer.type.startswith(_OPAQUE_PREFIXES)
        or may_multiply(layer)
        or layer.operations[-1:] == ("Etc",)
    )


def _sum(name: str, layers: Iterable[LayerFacts], explained_percent: float) -> RoofGroup | None:
    """Return the sums over the layers that have a roof and a time; None if none has."""
    listed = list(layers)
    held = [
        (layer.avg_ms, layer.roof)
        for layer in listed
        if layer.roof and layer.avg_ms is not None and layer.excess != "impossible"
    ]
    if not held:
        return None
    return RoofGroup(
        name=name,
        count=len(held),
        left_out=len(listed) - len(held),
        time_ms=math.fsum(time_ms for time_ms, _ in held),
        roof_ms=math.fsum(min(time_ms, roof.roof_ms) for time_ms, roof in held),
        headroom_ms=math.fsum(roof.headroom_ms or 0.0 for _, roof in held),
        compute_bound_ms=math.fsum(time_ms for time_ms, roof in held if roof.bound == "compute"),
        memory_bound_ms=math.fsum(time_ms for time_ms, roof in held if roof.bound == "memory"),
        latency_bound_ms=math.fsum(time_ms for time_ms, roof in held if roof.bound == "latency"),
        near_limit_ms=math.fsum(
            time_ms
            for time_ms, roof in held
            if time_ms and is_near_limit(roof.roof_ms, time_ms, explained_percent)
        ),
    )

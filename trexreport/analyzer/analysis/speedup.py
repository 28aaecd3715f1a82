"""What a lower precision should save, what it saves, and what lies between, as plain values."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Literal

from trexreport.analyzer.analysis.verdict import Metric
from trexreport.lazy_dataclass import bulk_facts, dataclass

#: What the expected time of a layer rests on: its roofline time in both precisions; the GPU's peaks and the
#: bytes; the bytes alone. "none": its time in the higher precision, as nothing shows another one.
SpeedupBasis = Literal["roofline", "peaks", "bytes", "none"]
#: Why there is no expected time: layers were not measured; the engines ran on two GPUs; the convolutions and
#: matrix products of one do not state their types; nothing of the measured layers shows one.
SpeedupObstacle = Literal["no-layer-times", "different-gpus", "no-types", "no-basis"]
#: What makes measured time differ from expected time.
GapKind = Literal[
    "fallback",
    "other-fallback",
    "residual-adds",
    "wider-tensors",
    "qdq",
    "reformats",
    "slower-layers",
    "less-speedup",
    "more-speedup",
    "fused-or-split",
    "added-layers",
    "removed-layers",
    "missing-rows",
    "outside-layers",
    "not-explained",
]
#: What may be the cause at a layer, as far as the files show it.
SpeedupReason = Literal[
    "missing-qdq",
    "strongly-typed",
    "grouped-channels",
    "unaligned-channels",
    "faster-tactic",
    "residual-add",
    "engine-io",
    "beside-wider",
    "wider-tensors",
    "layout",
    "cuda-cores",
    "left-cuda-cores",
    "latency-bound",
    "less-of-roofline",
    "more-of-roofline",
    "within-noise",
    "no-expectation",
    "not-measured",
]

#: Few products are less than this part of all.
_FEW = 0.5


@bulk_facts
class SpeedupPlace:
    """Layers that do the same part of the model, and their part of a gap.

    Attributes:
        name: Of the slowest layer in the engine of the lower precision, else in the other one.
        layers: Indices in the engine of the lower precision.
        reference_layers: Indices in the engine of the higher precision.
        cost_ms: Measured minus expected time; negative where it is faster than expected.
        reasons: What may be the cause; empty where nothing shows it.
        nodes: ONNX nodes of the layers; of conversions without any, those of the layers that they serve.
        sources: Source lines of these nodes.
    """

    name: str
    layers: Sequence[int]
    reference_layers: Sequence[int]
    cost_ms: float
    reasons: Sequence[SpeedupReason]
    nodes: Sequence[str]
    sources: Sequence[str]


@dataclass(frozen=True)
class SpeedupGap:
    """A part of the difference between measured and expected time.

    Attributes:
        cost_ms: The sum of its places; negative where it is faster than expected.
        places: The largest first; empty of what belongs to no layer.
    """

    kind: GapKind
    cost_ms: float
    places: Sequence[SpeedupPlace] = ()


@dataclass(frozen=True)
class ExpectedSpeedup:
    """The speedup that a lower precision should bring, the measured one, and what lies between.

    The engine of the higher precision is the reference, whichever of the two is the baseline.

    Attributes:
        engine: Name of the engine of the lower precision.
        reference: Name of the other.
        precision: The narrowest type in which convolutions and matrix products compute in that engine.
        reference_precision: The type in which most of their time is spent in the other; empty if unknown.
        products: Convolutions and matrix products of the engine of the lower precision.
        products_in_precision: How many of them compute in `precision`.
        reformats, reference_reformats: Layers that change only type or layout, Q/DQ included.
        metric: Which times these are. Times outside of layers are compared only where they are known.
        reference_ms: Measured time in the higher precision.
        expected_ms: Time that the lower precision should take; None if nothing shows it.
        measured_ms: Time that it takes.
        expected_speedup, measured_speedup: `reference_ms` by these times; None if not known.
        basis_ms: What the expectation rests on, to the layer time in the higher precision that it concerns.
        gpu: The GPU whose peaks were used; empty if it is not known.
        launch_ms: Time of a kernel's launch in the reference, which no precision changes; None if no layer
            shows it.
        gaps: Their costs add up to `measured_ms` minus `expected_ms`; what is not explained is the last.
        obstacle: Why there is no expectation; None if there is one.
    """

    engine: str
    reference: str
    precision: str
    reference_precision: str
    products: int
    products_in_precision: int
    reformats: int
    reference_reformats: int
    metric: Metric = ""
    reference_ms: float | None = None
    expected_ms: float | None = None
    measured_ms: float | None = None
    expected_speedup: float | None = None
    measured_speedup: float | None = None
    basis_ms: Mapping[SpeedupBasis, float] = field(default_factory=dict)
    gpu: str = ""
    launch_ms: float | None = None
    gaps: Sequence[SpeedupGap] = ()
    obstacle: SpeedupObstacle | None = None

    @property
    def has_few_products(self) -> bool:
        """Whether so few products compute in the lower precision that this is the first thing to say."""
        return self.products_in_precision < _FEW * self.products

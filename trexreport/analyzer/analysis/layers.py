"""What is known of single layers and tensors, and of groups of them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from trexreport.analyzer.analysis.roofline import LayerRoof


@dataclass(slots=True)
class TensorUse:
    """A tensor as one layer reads or writes it; `tensor` is an index into `Analysis.tensors`."""

    tensor: int
    dimensions: list[int]
    format: str
    size_bytes: int | None


@dataclass(slots=True)
class TensorFacts:
    """One value that flows through the engine.

    Attributes:
        version: Counts the values that pass through one name; 0 is what stood there before any write.
        role: "input", "output", "activation" or "constant".
        producers, consumers: Indices of layers; what a loop carries over is produced by its last writer.
        alias_of: Index of the tensor whose memory it shares (a no-op's output its input's, and what a loop
            reads first its last value's), which itself shares none; else None.
    """

    name: str
    version: int
    dimensions: list[int]
    format: str
    data_type: str
    layout: str
    size_bytes: int | None
    role: str
    producers: list[int] = field(default_factory=list)
    consumers: list[int] = field(default_factory=list)
    alias_of: int | None = None


@dataclass(slots=True)
class Operation:
    """The multiply-accumulate work of a convolution or matrix multiplication.

    Attributes:
        macs: Multiply-accumulate operations; one is two floating-point operations.
        m, n, k: Extents as an (implicit) matrix multiplication: M x K by K x N.
        batch: How many such products; `macs` counts them all.
        hidden_weights_bytes: Estimate of weights that the kernel holds but the file does not state.
        intensity: Floating-point operations per byte moved, hidden weights included.
        tflops: Achieved 10^12 operations a second; None without a time.
    """

    kind: str
    macs: int
    m: int
    n: int
    k: int
    groups: int = 1
    kernel: list[int] = field(default_factory=list)
    intensity: float | None = None
    tflops: float | None = None
    batch: int = 1
    hidden_weights_bytes: int = 0


@dataclass(slots=True)
class LayerFacts:
    """One layer with all that is known of it.

    Attributes:
        key: Unique name, used for links.
        structural: No computation of the network: no-op, constant, synchronization.
        origins: Layers of the original model.
        operations: Decoded from the name of a generated kernel.
        avg_ms: Mean over the profiled iterations.
        share_percent: Of the sum of all layers' times.
        spread_ms: [10th, 50th, 90th, 99th percentile] where the profile has every iteration.
        moved_bytes: Inputs, outputs, weights and constants as stated, together; None if any is unknown.
        bandwidth_gbs: moved_bytes and the estimate of hidden weights by time, 10^9 bytes a second.
        flops: Floating-point (or integer) operations; None if not known.
        roof: How fast it could be at most; None if that is not known.
    """

    index: int
    key: str
    name: str
    type: str
    subtype: str
    precision: str
    output_precision: str
    tactic: str
    stream: int | None
    structural: bool
    origins: list[str]
    operations: list[str]
    avg_ms: float | None
    median_ms: float | None
    share_percent: float | None
    spread_ms: list[float] | None
    inputs: list[TensorUse]
    outputs: list[TensorUse]
    input_bytes: int | None
    output_bytes: int | None
    weights_bytes: int | None
    weights_count: int
    moved_bytes: int | None
    bandwidth_gbs: float | None
    work: Operation | None
    attributes: dict[str, Any]
    flops: int | None = None
    roof: LayerRoof | None = None


@dataclass
class Group:
    """Layers that share a property.

    Attributes:
        count: Layers in it, structural ones left out unless the group is about them.
        time_ms: Sum of their times; None if none was measured.
    """

    name: str
    count: int
    time_ms: float | None
    share_percent: float | None


@dataclass
class TypeAndPrecision:
    """The layers of one type whose first input has one precision."""

    type: str
    precision: str
    group: Group


@dataclass
class Reformat:
    """A layer that only changes how data lies in memory, or its type.

    Attributes:
        kind: "reformat" for a layer of that type, "kernel" for a Myelin kernel that only moves or converts.
        change: "data type", "layout", "data type and layout" or "copy".
        producers, consumers: Indices of the layers that it stands between.
    """

    layer: int
    kind: str
    origin: str
    before: str
    after: str
    change: str
    time_ms: float | None
    moved_bytes: int | None
    producers: list[int]
    consumers: list[int]


@dataclass
class ReformatOrigin:
    """The reformats that were inserted for one reason."""

    name: str
    kind: str
    count: int
    time_ms: float | None
    share_percent: float | None


def slowest_first(layers: Iterable[LayerFacts]) -> list[LayerFacts]:
    """Return layers by average time, the slowest first; equal ones and those without a time by index."""
    return sorted(layers, key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))

"""What is known of single layers and tensors, and of groups of them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import attrgetter
from typing import Any, Literal, Protocol

from trexreport.analyzer.analysis.roofline import LayerRoof, SpeedExcess
from trexreport.lazy_dataclass import bulk_facts, dataclass

#: What a tensor is for.
TensorRole = Literal["input", "output", "activation", "constant"]
#: Which work is counted.
OperationKind = Literal["convolution", "deconvolution", "matrix multiplication", "attention"]
#: A layer of type Reformat, or a Myelin kernel that only moves or converts data.
ReformatKind = Literal["reformat", "kernel"]
#: What a reformat changes; "not stated": no type, and the files do not state the layouts.
ReformatChange = Literal["data type", "layout", "data type and layout", "copy", "not stated"]


@bulk_facts
class TensorUse:
    """A tensor as one layer reads or writes it; `tensor` is an index into `Analysis.tensors`."""

    tensor: int
    dimensions: Sequence[int]
    format: str
    size_bytes: int | None


@bulk_facts
class TensorFacts:
    """One value that flows through the engine.

    Attributes:
        version: Counts the values that pass through one name; 0 is the value before any write.
        role: "input", "output", "activation" or "constant".
        producers, consumers: Indices of layers; what a loop carries over is produced by its last writer.
        alias_of: Index of the tensor whose memory it shares (a no-op's output its input's, and what a loop
            reads first its last value's), which itself shares none; else None.
    """

    name: str
    version: int
    dimensions: Sequence[int]
    format: str
    data_type: str
    layout: str
    size_bytes: int | None
    role: TensorRole
    producers: Sequence[int] = ()
    consumers: Sequence[int] = ()
    alias_of: int | None = None


@bulk_facts
class Operation:
    """The multiply-accumulate work of a convolution or matrix multiplication.

    Attributes:
        macs: Multiply-accumulate operations; one is two floating-point operations.
        m, n, k: Extents as an (implicit) matrix multiplication: M x K by K x N.
        kernel: Extents of the filter of a convolution; else empty.
        intensity: Floating-point operations per byte moved, hidden weights included.
        tflops: Achieved 10^12 operations per second; None without a time.
        batch: Number of such products; `macs` counts them all.
        hidden_weights_bytes: Estimate of weights that the kernel holds but the file does not state.
    """

    kind: OperationKind
    macs: int
    m: int
    n: int
    k: int
    groups: int = 1
    kernel: Sequence[int] = ()
    intensity: float | None = None
    tflops: float | None = None
    batch: int = 1
    hidden_weights_bytes: int = 0


class NamedLayer(Protocol):
    """A layer of which at least name and type are known."""

    @property
    def name(self) -> str:
        """How TensorRT calls it."""

    @property
    def type(self) -> str:
        """Empty if it is not known."""


#: As many different times are in order by chance in one of 20,000 profiles.
_MIN_SORTED = 8


@bulk_facts
class LayerFacts:
    """One layer with all that is known of it.

    Attributes:
        key: Unique name, used for links.
        structural: No computation of the network: no-op, constant, synchronization.
        origins: Layers of the original model.
        operations: Decoded from the name of a generated kernel.
        avg_ms: Mean over the profiled iterations.
        share_percent: Of the total layer time.
        spread_ms: [10th, 50th, 90th, 99th percentile] where the profile has every iteration.
        moved_bytes: Inputs, outputs, weights and constants as stated, together, of a table the rows that a
            lookup reads at most; None if any is unknown.
        bandwidth_gbs: moved_bytes and the estimate of hidden weights by time, 10^9 bytes per second.
        work: Its multiply-accumulate operations; None where it has none or their number is unknown.
        flops: Floating-point (or integer) operations; None if not known.
        roof: How fast it could run at best; None if that is not known.
        excess: Why it is faster than that: unusual, or "impossible", and then its speeds are unknown; None
            where it is not faster.
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
    origins: Sequence[str]
    operations: Sequence[str]
    avg_ms: float | None
    median_ms: float | None
    share_percent: float | None
    spread_ms: Sequence[float] | None
    inputs: Sequence[TensorUse]
    outputs: Sequence[TensorUse]
    input_bytes: int | None
    output_bytes: int | None
    weights_bytes: int | None
    weights_count: int | None
    moved_bytes: int | None
    bandwidth_gbs: float | None
    work: Operation | None
    attributes: Mapping[str, Any]
    flops: int | None = None
    roof: LayerRoof | None = None
    excess: SpeedExcess | None = None


@dataclass(frozen=True)
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


@dataclass(frozen=True)
class LayersAlike:
    """Layers with a time that do the same at the same place of modules that repeat.

    Attributes:
        name: What they are called, with a star for each number that differs, and the module if that does not
            name it.
        layers: Their indices, in execution order.
        share_percent: Of the total layer time.
        reached_percent: Their roofline time over their time; None unless it is known of all.
    """

    name: str
    layers: Sequence[int]
    time_ms: float
    share_percent: float | None
    reached_percent: float | None


@dataclass(frozen=True)
class TypeAndPrecision:
    """The layers of one type whose first input has one precision."""

    type: str
    precision: str
    group: Group


@dataclass(frozen=True)
class Multiplications:
    """The convolutions and matrix products of an engine together.

    Attributes:
        layers: Number of layers that are one.
        counted: Number of those whose operations are known.
        macs: Multiply-accumulate operations of the counted ones.
        tflops: Achieved 10^12 operations per second of the counted ones with a time; None without any.
        uncounted_percent: Share of the total layer time of the others; None without any that was measured.
    """

    layers: int = 0
    counted: int = 0
    macs: int = 0
    tflops: float | None = None
    uncounted_percent: float | None = None


@dataclass(frozen=True)
class Reformat:
    """A layer that only changes the layout or the type of data.

    Attributes:
        kind: "reformat" for a layer of that type, "kernel" for a Myelin kernel that only moves or converts.
        change: "data type", "layout", "data type and layout", "copy" or "not stated".
        producers, consumers: Indices of the layers before and after it.
    """

    layer: int
    kind: ReformatKind
    origin: str
    before: str
    after: str
    change: ReformatChange
    time_ms: float | None
    moved_bytes: int | None
    producers: Sequence[int]
    consumers: Sequence[int]


@dataclass(frozen=True)
class ReformatOrigin:
    """The reformats that were inserted for one reason."""

    name: str
    kind: ReformatKind
    count: int
    time_ms: float | None
    share_percent: float | None


def slowest_first(layers: Iterable[LayerFacts]) -> list[LayerFacts]:
    """Return layers by average time, the slowest first; equal ones and those without a time by index."""
    by_index = sorted(layers, key=attrgetter("index"))
    return sorted(by_index, key=lambda layer: -(layer.avg_ms or 0.0))


def is_order_known(layers: Sequence[LayerFacts]) -> bool:
    """Return whether layers are in execution order: not where a table without tensors is sorted by time."""
    times = [layer.avg_ms for layer in layers if layer.avg_ms is not None]
    if len(set(times)) < _MIN_SORTED or any(layer.inputs or layer.outputs for layer in layers):
        return True
    return times not in (sorted(times), sorted(times, reverse=True))

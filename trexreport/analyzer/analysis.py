"""The result of analysing one engine: everything that a report says, as plain values.

Units stand in the names: `_ms` milliseconds, `_bytes` bytes, `_percent` 0 to 100. None means "not measured"
or "not known"; it is never replaced by 0.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from typing import Any

#: Raised by one whenever a reader of the JSON form would have to change.
SCHEMA_VERSION = 2

#: What a group is called whose layers do not have the property.
NOT_STATED = "not stated"


@dataclass
class TensorUse:
    """A tensor as one layer reads or writes it; `tensor` is an index into `Analysis.tensors`."""

    tensor: int
    dimensions: list[int]
    format: str
    size_bytes: int | None


@dataclass
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


@dataclass
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


@dataclass
class LayerFacts:
    """One layer with all that is known of it.

    Attributes:
        key: Unique name, used for links.
        structural: No computation of the network: no-op, constant, synchronisation.
        origins: Layers of the original model.
        operations: Decoded from the name of a generated kernel.
        time_ms: Mean over the profiled iterations.
        share_percent: Of the sum of all layers' times.
        spread_ms: [10th, 50th, 90th, 99th percentile] where the profile has every iteration.
        moved_bytes: Inputs, outputs, weights and constants as stated, together; None if any is unknown.
        bandwidth_gbs: moved_bytes and the estimate of hidden weights by time, 10^9 bytes a second.
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
    time_ms: float | None
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
class Percentiles:
    """A distribution in milliseconds.

    Attributes:
        source: Where the figures are from.
        count: How many values, if known.
        percentiles: Percentage, as a text such as "99.9", to milliseconds, in ascending order.
    """

    source: str
    count: int | None
    min_ms: float
    mean_ms: float
    median_ms: float
    max_ms: float
    percentiles: dict[str, float] = field(default_factory=dict)

    @property
    def p99_ms(self) -> float | None:
        """The 99th percentile, if it is known."""
        return self.percentiles.get("99")


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


@dataclass
class BindingFacts:
    """An input or output of the engine."""

    name: str
    mode: str
    dimensions: list[int]
    format: str
    size_bytes: int | None
    shape_range: list[list[int]] | None = None


@dataclass
class Identity:
    """What the engine is and what it ran on; empty texts where no file says it."""

    name: str
    model: str
    gpu: str
    tensorrt_version: str
    precisions: str
    shapes: str
    batch: int | None
    synthetic: bool
    names_only: bool
    optimization_profile: int
    optimization_profiles: list[int]


@dataclass
class Latency:
    """The time of the whole engine beside the sum of its layers.

    Attributes:
        end_to_end: As trtexec reports it, else from the query times.
        throughput_qps: Queries a second.
        layer_sum_ms: Sum of the layers' mean times.
        is_held_back_by_host: Queuing the work takes about as long as the GPU computes.
        gap_reasons: Why the sum and the end-to-end time differ, one sentence each.
    """

    end_to_end: Percentiles | None = None
    gpu_compute: Percentiles | None = None
    enqueue: Percentiles | None = None
    h2d: Percentiles | None = None
    d2h: Percentiles | None = None
    throughput_qps: float | None = None
    layer_sum_ms: float | None = None
    profiled_layers: int = 0
    profiled_iterations: int | None = None
    gap_percent: float | None = None
    gap_reasons: list[str] = field(default_factory=list)
    is_held_back_by_host: bool = False


@dataclass
class Stability:
    """How far the single queries can be trusted.

    Attributes:
        variation_percent: Standard deviation of GPU compute time over its mean.
        can_judge: There are enough queries to say how steady the times are.
        is_steady: They vary little enough to trust small differences.
        drift_percent: Median of the last tenth of the queries over that of the first, minus one.
        times_ms: Queries in order, thinned out to at most 1,200 with the extremes kept.
        positions: The query number of each of `times_ms`.
        histogram_edges_ms, histogram_counts: The distribution; the last bin also holds all above it.
    """

    queries: int
    variation_percent: float
    drift_percent: float
    percentiles: Percentiles
    positions: list[int]
    times_ms: list[float]
    histogram_edges_ms: list[float]
    histogram_counts: list[int]
    outliers: int
    can_judge: bool
    is_steady: bool


@dataclass
class Memory:
    """Bytes by what they are for; each tensor counts once.

    Attributes:
        weights_bytes: Constant data of the layers and constant tensors; at least this where
            `weights_unknown` > 0.
        constants_bytes: The part of `weights_bytes` that stands in the file as tensors that no layer writes.
        layers_without_weights: Myelin kernels, of which TensorRT does not say what weights they own.
        activations_bytes: All tensors between layers, each once, though they share memory in time.
        bindings_unknown, activations_unknown: Tensors of unknown size, which the sums beside them leave out.
        peak_live_bytes: The most that is needed at one time if memory is reused perfectly; at least this
            where `activations_unknown` > 0, as is each of `live_bytes`.
        peak_layer: Index of the layer at which that is.
        stated: Figures that TensorRT's own log gives, as texts.
    """

    weights_bytes: int
    weights_unknown: int
    constants_bytes: int
    constants: int
    layers_without_weights: int
    weights_by_type: list[Group]
    bindings_bytes: int
    bindings: int
    bindings_unknown: int
    activations_bytes: int
    activations: int
    activations_unknown: int
    peak_live_bytes: int
    peak_layer: int | None
    live_bytes: list[int]
    padding_bytes: int
    stated: dict[str, str]


@dataclass
class SourceFacts:
    """A file that the analysis was made from."""

    role: str
    name: str
    size_bytes: int
    sha256: str


@dataclass
class Note:
    """Something that was missing, odd or repaired; `affects` names sections of the report."""

    severity: str
    slug: str
    message: str
    source: str
    affects: list[str]
    hint: str


@dataclass
class Analysis:
    """Everything that a report says of one engine.

    Attributes:
        sentences: Section of the report to the one sentence that sums it up.
        measurement_warnings: What trtexec itself warned of, and what is known of its version's figures.
        amounts: Figure of memory to its wording, which says where a part of it is unknown.
        settings: Title to key and value, in trtexec's own words.
    """

    identity: Identity
    latency: Latency
    stability: Stability | None
    memory: Memory
    by_type: list[Group]
    by_precision: list[Group]
    by_output_precision: list[Group]
    by_type_and_precision: list[TypeAndPrecision]
    by_tactic: list[Group]
    by_stream: list[Group]
    reformats: list[Reformat]
    reformats_by_origin: list[ReformatOrigin]
    bindings: list[BindingFacts]
    layers: list[LayerFacts]
    tensors: list[TensorFacts]
    settings: dict[str, dict[str, str]]
    commands: list[str]
    sources: list[SourceFacts]
    notes: list[Note]
    measurement_warnings: list[str]
    amounts: dict[str, str]
    sentences: dict[str, str]
    generator: str = "trexreport"
    schema_version: int = SCHEMA_VERSION


def as_json(value: Any) -> Any:
    """Return the value as dictionaries, lists, texts, numbers and None, ready for `json.dumps`."""
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {each.name: as_json(getattr(value, each.name)) for each in dataclasses.fields(value)}
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    return value

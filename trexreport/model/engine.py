"""An engine: its layers in execution order, their tensors and what was measured of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any, Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass
from trexreport.model.accuracy import AccuracyResults
from trexreport.model.capture import InputWarning, Source
from trexreport.model.contradiction import Contradiction
from trexreport.model.data_format import BITS, DataFormat
from trexreport.model.execution import Execution
from trexreport.model.gpu import GpuSamples
from trexreport.model.kernel_counters import KernelCounters
from trexreport.model.kernel_trace import KernelTrace
from trexreport.model.measured_log import MeasuredLog
from trexreport.model.measurement import Measurement, QueryTimes, Setup, ShapeRange
from trexreport.model.onnx import OnnxModel
from trexreport.model.tactics import BuildTactics

#: Layer types that carry no computation of the network.
STRUCTURAL_TYPES = frozenset({"NoOp", "Constant", "signal", "wait", "shape_call"})

#: Data types of indices, masks and sizes rather than of what a network computes with.
_INDEX_TYPES = frozenset({"BOOL", "INT32", "INT64", "UINT8", "UINT16", "UINT32", "UINT64"})


@bulk_facts
class Tensor:
    """A tensor as one layer reads or writes it.

    Attributes:
        name: The file's own name.
        dimensions: Extents; -1 where it is dynamic.
        format: Data type and layout.
        location: "Device", "Host" or empty.
        version: Counts the writes of this name in execution order: 0 before any layer has written it,
            1 after the first write, and so on. Name and version together name one value.
    """

    name: str
    dimensions: tuple[int, ...]
    format: DataFormat
    location: str = ""
    version: int = 0

    @property
    def size_bytes(self) -> int | None:
        """Bytes in memory with the padding of its layout, or None if not known."""
        return self.format.size_bytes(self.dimensions)


def _computing_type(tensors: tuple[Tensor, ...]) -> str:
    for tensor in tensors:
        if tensor.format.data_type not in _INDEX_TYPES:
            return tensor.format.data_type
    return tensors[0].format.data_type if tensors else ""


@bulk_facts
class Weights:
    """Constant data that a layer owns.

    Attributes:
        role: "weights", "bias" or "constant".
        data_type: Canonical name, or "unknown".
        count: Number of elements, or None if it is unknown.
    """

    role: str
    data_type: str
    count: int | None

    @property
    def size_bytes(self) -> int | None:
        """Bytes, or None if the data type or the count is unknown."""
        bits = BITS.get(self.data_type)
        return None if bits is None or self.count is None else -(-self.count * bits // 8)


@bulk_facts
class LayerTime:
    """What the profiler reported of one layer, in milliseconds.

    Attributes:
        avg_ms: Average over the profiled iterations.
        median_ms: None where the writer is too old to write it.
        total_ms: Sum over the profiled iterations.
        share_percent: The file's own percentage.
        samples_ms: Each iteration's time, where the file has them.
    """

    avg_ms: float
    median_ms: float | None = None
    total_ms: float | None = None
    share_percent: float | None = None
    samples_ms: tuple[float, ...] = ()


@bulk_facts
class Layer:
    """One layer of the engine.

    Attributes:
        index: Position in execution order, from 0, among the layers of the chosen optimization profile.
        key: Unique name: the layer's own, made unique where a name occurs twice.
        name: The file's own name, never altered.
        type: What it computes: the file's ParameterType, else its LayerType; empty if names only.
        subtype: The file's LayerType.
        constants: Constant tensors listed beside the inputs (Myelin).
        weights: Constant data that the layer owns.
        tactic: Kernel name, or empty.
        stream: Index of the stream that it runs on, if the file says so.
        origins: Names of the ONNX (or other framework) layers that it was built from.
        operations: What a generated kernel computes according to its name, such as ("Cast", "Mul", "Add").
        attributes: The file's whole record of it.
        time: The profiler's figures, or None if it was not profiled.
    """

    index: int
    key: str
    name: str
    type: str = ""
    subtype: str = ""
    inputs: tuple[Tensor, ...] = ()
    outputs: tuple[Tensor, ...] = ()
    constants: tuple[Tensor, ...] = ()
    weights: tuple[Weights, ...] = ()
    tactic: str = ""
    stream: int | None = None
    origins: tuple[str, ...] = ()
    operations: tuple[str, ...] = ()
    attributes: Mapping[str, Any] = field(default_factory=dict, repr=False)
    time: LayerTime | None = None

    @property
    def precision(self) -> str:
        """Data type of the first input that is not an index or mask, else of the first; empty without any."""
        return _computing_type(self.inputs)

    @property
    def output_precision(self) -> str:
        """Likewise, of the outputs."""
        return _computing_type(self.outputs)

    @property
    def is_structural(self) -> bool:
        """True for no-ops, constants, synchronization and shape calls."""
        return self.type in STRUCTURAL_TYPES


#: The role of an I/O tensor; "unknown" if the file lists it, but no layer reads or writes it.
BindingMode = Literal["input", "output", "unknown"]


@dataclass(frozen=True)
class Binding:
    """An input or output of the whole engine.

    Attributes:
        mode: "input", "output" or "unknown" (in the file's list, but no layer reads or writes it).
        tensor: As the layers see it; None if no layer does and the file gives no shape.
        shape_range: (minimum, optimum, maximum) dimensions of the optimization profile, where a file says.
        is_listed: False if a list of inputs and outputs lacks it, and it may be another name of one of them.
    """

    name: str
    mode: BindingMode
    tensor: Tensor | None = None
    shape_range: ShapeRange | None = None
    is_listed: bool = True


@dataclass(frozen=True)
class FileFacts:
    """What one file states by itself, before the files of a capture are joined.

    Attributes:
        file: Its name.
        run: Which measurement of the queries it holds or describes, from 1; None for none or any.
        queries: The times of its queries.
        layer_times: Name and time of each layer in it, in its order.
        paths: Those of "model" and "engine" that a manifest states.
        is_build: It describes the build, and what it measured is not shown.
    """

    file: str
    role: str
    run: int | None = None
    setup: Setup = field(default_factory=Setup)
    measurement: Measurement = field(default_factory=Measurement)
    queries: QueryTimes | None = None
    layer_times: tuple[tuple[str, LayerTime | None], ...] = ()
    paths: Mapping[str, str] = field(default_factory=dict)
    is_build: bool = False


@dataclass(frozen=True)
class Engine:
    """Everything that was read of one engine.

    Attributes:
        name: For titles; from the file names unless given.
        names_only: The plan was built without detailed verbosity: layers have names and nothing else.
        optimization_profiles: Indices found in the file.
        optimization_profile: The one that `layers` belong to.
        profiled_iterations: The profile file's count, if it has one.
        times_are_sums: Times of layers are sums over an unknown number of runs: only their shares are known.
        unlisted_ms: Average time of the layers whose rows the profile lacks.
        more_runs: Further measurements like `queries`; there are none without that one.
        sittings: How many captures these are from.
        gpu: What the GPU did during the measurement, if it was watched.
        execution: Where a framework that uses engines runs the nodes of its model, if a file states it.
        onnx: The model that the engine was built from, if it is known.
        kernels: What Nsight Systems recorded of its kernels, if it did.
        counters: What Nsight Compute counted in its kernels, if it did.
        accuracy: How far its values are from those of a reference, if that is known.
        tactics: What the builder timed for each layer, if a verbose log of the build states it.
        engine_metadata: Top-level keys of the graph file that are not layers or bindings.
        files: What each file states by itself.
        contradictions: Where files state what can't both be true.
        logs: What each of several logs measured, or each run of one, if logs are all that there is.
        other_logs: What the logs and runs state that are not shown.
    """

    name: str
    layers: tuple[Layer, ...]
    bindings: tuple[Binding, ...] = ()
    names_only: bool = False
    optimization_profiles: tuple[int, ...] = (0,)
    optimization_profile: int = 0
    profiled_iterations: int | None = None
    times_are_sums: bool = False
    unlisted_ms: float = 0.0
    measurement: Measurement = field(default_factory=Measurement)
    queries: QueryTimes | None = None
    more_runs: tuple[QueryTimes, ...] = ()
    sittings: int = 1
    gpu: GpuSamples | None = None
    execution: Execution | None = None
    onnx: OnnxModel | None = field(default=None, repr=False)
    kernels: KernelTrace | None = field(default=None, repr=False)
    counters: KernelCounters | None = field(default=None, repr=False)
    accuracy: AccuracyResults | None = field(default=None, repr=False)
    tactics: BuildTactics | None = field(default=None, repr=False)
    setup: Setup = field(default_factory=Setup)
    engine_metadata: Mapping[str, Any] = field(default_factory=dict)
    sources: tuple[Source, ...] = ()
    notes: tuple[InputWarning, ...] = ()
    files: tuple[FileFacts, ...] = field(default=(), repr=False)
    contradictions: tuple[Contradiction, ...] = ()
    logs: tuple[MeasuredLog, ...] = ()
    other_logs: tuple[Engine, ...] = ()

    @property
    def is_profiled(self) -> bool:
        """True if at least one layer has a measured time."""
        return any(layer.time is not None for layer in self.layers)

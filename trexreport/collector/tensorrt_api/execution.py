"""Load an engine and make a context of it ready to run: profile, shapes, memory, inputs."""

from __future__ import annotations

import math
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from trexreport.collector.tensorrt_api.bindings import (
    Console,
    RunFailedError,
    checked,
    load_plugins,
    major_version,
)
from trexreport.collector.tensorrt_api.building import shapes_text
from trexreport.collector.tensorrt_api.configuring import set_streaming_budget
from trexreport.collector.tensorrt_api.cuda import Cuda
from trexreport.collector.tensorrt_api.options import Dimensions, Request
from trexreport.lazy_dataclass import dataclass

if TYPE_CHECKING:
    import numpy as np


_MIB = 2**20
#: Bits of TensorRT's data types, by name.
BITS = {
    "FLOAT": 32,
    "HALF": 16,
    "BF16": 16,
    "FP8": 8,
    "FP4": 4,
    "E8M0": 8,
    "INT64": 64,
    "INT32": 32,
    "INT8": 8,
    "UINT8": 8,
    "INT4": 4,
    "BOOL": 8,
}
_RANDOM = frozenset({"FLOAT", "HALF", "BF16"})
_ONES = {"INT64": "int64", "INT32": "int32", "INT8": "int8", "UINT8": "uint8", "BOOL": "uint8"}
_SEED = 0


@dataclass(frozen=True)
class Buffer:
    """Memory of one input or output.

    Attributes:
        device: Address for TensorRT: on the device, but for shapes, which it reads on the host.
        host: Address of as many page-locked bytes, for transfers; 0 if there are none.
    """

    name: str
    is_input: bool
    size_bytes: int
    device: int
    host: int = 0


def load_engine(trt: Any, logger: Any, console: Console, request: Request) -> Any:
    """Return the engine in a file.

    Raises:
        RunFailedError: It can't be read, or is not for this TensorRT or GPU; the log says why.
    """
    path = request.texts["loadEngine"]
    try:
        data = Path(path).read_bytes()
    except OSError:
        raise RunFailedError(f"Error opening engine file: {path}") from None
    runtime = trt.Runtime(logger)
    load_plugins(trt, logger, runtime.get_plugin_registry(), request.plugins)
    if {"vc", "versionCompatible"} & request.switches:
        # Such a plan brings a runtime of its own version, which is code.
        runtime.engine_host_code_allowed = True
    if request.build.dla_core is not None:
        runtime.DLA_core = request.build.dla_core
    begin = time.monotonic()
    engine = checked(runtime.deserialize_cuda_engine(data), "The engine can't be loaded.")
    console.info(f"Engine deserialized in {time.monotonic() - begin:g} sec.")
    if request.build.streaming is not None:
        limit = set_streaming_budget(trt, engine, request.build.streaming)
        console.info(f"Weight streaming is enabled with a device memory limit of {limit} bytes.")
    return engine


class Execution:
    """A context of an engine with everything set that a query needs.

    Attributes:
        trt: TensorRT's module.
        context: TensorRT's.
        stream: CUDA's.
        buffers: All inputs and outputs that live on the device.
        shapes: Dimensions of the inputs.
        kept: What must live as long as the context, for TensorRT has only its address.
    """

    def __init__(self, trt: Any, cuda: Cuda, engine: Any, request: Request, console: Console) -> None:
        self.trt, self.cuda, self.engine = trt, cuda, engine
        self.request, self.console = request, console
        self.kept: list[Any] = []
        self.stream = cuda.new_stream()
        self.context = checked(engine.create_execution_context(), "Out of memory: no execution context.")
        newer = hasattr(engine, "device_memory_size_v2")
        size = engine.device_memory_size_v2 if newer else engine.device_memory_size
        console.info(f"Created execution context with device memory size: {size / _MIB:g} MiB")
        self.shapes: dict[str, Dimensions] = {}
        self.buffers: list[Buffer] = []
        self._set_shapes()
        self._allocate()

    @property
    def _names(self) -> list[str]:
        return [self.engine.get_tensor_name(index) for index in range(self.engine.num_io_tensors)]

    def run(self) -> None:
        """Enqueue one query.

        Raises:
            RunFailedError: TensorRT refuses; the log says why.
        """
        checked(self.context.execute_async_v3(int(self.stream)), "A query could not be enqueued.")

    def wait(self) -> None:
        """Wait until the stream has done everything."""
        self.cuda("cudaStreamSynchronize", self.stream)

    def _set_shapes(self) -> None:
        """Choose the optimization profile and give each input its dimensions."""
        engine, context = self.engine, self.context
        index = self.request.optimization_profile
        if index >= engine.num_optimization_profiles:
            raise RunFailedError(
                f"The engine has no optimization profile {index}; it has {engine.num_optimization_profiles}."
            )
        checked(
            context.set_optimization_profile_async(index, int(self.stream)),
            f"Optimization profile {index} can't be used.",
        )
        self.wait()
        unknown = set(self.request.shapes) - set(self._names)
        if unknown:
            raise RunFailedError(f"Cannot find input tensor with name {min(unknown)}.")
        for name in filter(self._is_input, self._names):
            if self._is_on_host(name):
                self._set_values(name)
            else:
                self._set_dimensions(name, index)
        missing = list(context.infer_shapes())
        if missing:
            raise RunFailedError(f"The shapes do not suffice: {', '.join(missing)} is not known.")

    def _is_input(self, name: str) -> bool:
        return bool(self.engine.get_tensor_mode(name) == self.trt.TensorIOMode.INPUT)

    def _is_on_host(self, name: str) -> bool:
        """Return whether a tensor holds sizes of other tensors, which TensorRT handles on the host."""
        return bool(self.engine.get_tensor_location(name) == self.trt.TensorLocation.HOST)

    def _set_dimensions(self, name: str, profile: int) -> None:
        dimensions = tuple(self.engine.get_tensor_shape(name))
        if -1 in dimensions:
            optimum = tuple(self.engine.get_tensor_profile_shape(name, profile)[1])
            dimensions = self.request.shapes.get(name, optimum)
            shown = shapes_text({name: dimensions})
            checked(
                self.context.set_input_shape(name, dimensions),
                f"The shape {shown} does not satisfy any optimization profiles.",
            )
        elif self.request.shapes.get(name, dimensions) != dimensions:
            raise RunFailedError(f"Static dimension mismatch: {shapes_text({name: dimensions})} is fixed.")
        self.shapes[name] = dimensions

    def _set_values(self, name: str) -> None:
        """Give an input whose values are sizes of other tensors these values; it stays on the host."""
        import numpy as np

        kind = np.int64 if self._type_name(name) == "INT64" else np.int32
        values = self.request.shapes.get(name)
        if values is None:
            raise RunFailedError(f"Input {name} holds shapes; give its values with --shapes={name}:….")
        self._keep_on_host(name, np.asarray(values, dtype=kind))
        self.shapes[name] = values

    def _keep_on_host(self, name: str, array: Any) -> None:
        self.kept.append(array)
        checked(self.context.set_tensor_address(name, array.ctypes.data), f"{name} has no memory.")

    def _allocate(self) -> None:
        """Give each input and output memory, and the inputs content."""
        import numpy as np

        on_host = self.request.transfers(major_version(self.trt))
        for name in self._names:
            is_input = self._is_input(name)
            if self._is_on_host(name):
                if not is_input:
                    size = int(self.context.get_max_output_size(name))
                    self._keep_on_host(name, np.zeros(max(1, size), np.uint8))
                continue
            size = self._input_bytes(name) if is_input else int(self.context.get_max_output_size(name))
            # An empty tensor needs an address all the same.
            device = int(self.cuda("cudaMalloc", max(1, size)))
            host = int(self.cuda("cudaMallocHost", max(1, size))) if on_host else 0
            self.buffers.append(Buffer(name, is_input, size, device, host))
            checked(self.context.set_tensor_address(name, device), f"{name} has no memory.")
            if is_input:
                self._fill(self.buffers[-1])

    def _input_bytes(self, name: str) -> int:
        """Return the bytes of an input, with the padding of a vectorized format."""
        engine, dimensions = self.engine, list(self.shapes[name])
        axis = engine.get_tensor_vectorized_dim(name)
        if 0 <= axis < len(dimensions):
            width = engine.get_tensor_components_per_element(name)
            dimensions[axis] = -(-dimensions[axis] // width) * width
        return math.ceil(math.prod(dimensions) * self._bits(name) / 8)

    def _type_name(self, name: str) -> str:
        return str(getattr(self.engine.get_tensor_dtype(name), "name", ""))

    def _bits(self, name: str) -> int:
        kind = self._type_name(name)
        if kind not in BITS:
            raise RunFailedError(f"Input {name} is of a data type that is not known here: {kind}.")
        return BITS[kind]

    def _fill(self, buffer: Buffer) -> None:
        """Give an input its content: that of the user's file, else made up."""
        import numpy as np

        name, file = buffer.name, self.request.inputs.get(buffer.name)
        if file is None:
            data, content = made_up(self._type_name(name), buffer.size_bytes)
        else:
            try:
                data, content = np.fromfile(file, dtype=np.uint8), f"values loaded from {file}"
            except OSError as error:
                raise RunFailedError(f"Could not open file {file}: {error.strerror}.") from None
            if data.nbytes != buffer.size_bytes:
                raise RunFailedError(
                    f"{file} has {data.nbytes} bytes, and input {name} needs {buffer.size_bytes}."
                )
        self.console.info(f"Using {content} for input {name}")
        if data.nbytes:
            self.cuda.copy(buffer.device, data.ctypes.data, data.nbytes, "cudaMemcpyHostToDevice")
            if buffer.host:
                self.cuda.copy(buffer.host, data.ctypes.data, data.nbytes, "cudaMemcpyHostToHost")


def made_up(kind: str, size_bytes: int) -> tuple[np.ndarray, str]:
    """Return an array of the right size for a data type, and what it holds.

    Random numbers between -1 and 1, for zeros take less power than data do. Whole numbers are ones: indices
    in range and masks that let everything through. Numbers of 8 bits and less are zeros, for at random some
    of them are none.
    """
    import numpy as np

    count = size_bytes * 8 // BITS[kind]
    if kind in _ONES:
        return np.ones(count, _ONES[kind]), "ones"
    if kind not in _RANDOM:
        return np.zeros(size_bytes, np.uint8), "zeros"
    values = np.random.default_rng(_SEED).uniform(-1, 1, count).astype(np.float32)
    if kind == "HALF":
        return values.astype(np.float16), "random values"
    if kind == "BF16":  # the upper half of a float
        return (values.view(np.uint32) >> 16).astype(np.uint16), "random values"
    return values, "random values"

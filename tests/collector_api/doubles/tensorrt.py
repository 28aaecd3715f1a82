# ruff: noqa: A002, ARG002, F821, G004 - the names are those of the bindings, enumerations made from the table
"""A double of TensorRT's Python bindings, of the version that TENSORRT_DOUBLE names.

It has the names in `tensorrt_names.toml` and refuses every other, also those that only other versions have.
What its engine says of itself is that of a sample. TENSORRT_DOUBLE_FAULT makes something fail.
"""

import enum
import json
import os
import signal
import time

from gpu_double import FAULT, GPU, VERSION, layer_times, model_of, note_use, sample_file
from tensorrt_names import release, table

__version__ = VERSION + (".72" if VERSION.startswith("10.16") else "")
_CLASSES = table("classes", VERSION)
_DIMENSIONS = {
    "resnet18-int8-before": ({"input": (32, 3, 224, 224)}, {"output": (32, 1000)}),
    "transformer-trt10-myelin": (
        {"input_ids": (1, 512), "attention_mask": (1, 512)},
        {"logits": (1, 512, 32000)},
    ),
    "detector-trt11": ({"images": (-1, 3, 640, 640)}, {"boxes": (-1, 300, 4)}),
}
_TYPES = {"input_ids": "INT64", "attention_mask": "INT64"}


def _enum(name, members):
    class _TensorRtEnum(enum.Enum):
        def __int__(self):
            return self.value

    values = {each: index if value is None else value for index, (each, value) in enumerate(members.items())}
    return _TensorRtEnum(name, values)


for _name, _members in table("enums", VERSION).items():
    globals()[_name.rpartition(".")[2]] = _enum(_name.rpartition(".")[2], _members)


class _Limited:
    """Has the names of the table and no others."""

    def __getattribute__(self, name):
        _check(type(self).__name__, name)
        return object.__getattribute__(self, name)

    def __setattr__(self, name, value):
        _check(type(self).__name__, name)
        object.__setattr__(self, name, value)


def _check(class_name, name):
    if name.startswith("_"):
        return
    if name not in _CLASSES[class_name]:
        raise AttributeError(f"{class_name} of TensorRT {VERSION} has no {name}")
    note_use(f"{class_name}.{name}")


class _Overridden:
    """A base of the user's classes, whose __init__ must be called, as pybind11 demands."""

    def __init__(self):
        self._ready = True

    def _assert_ready(self, *methods):
        cls = next(each for each in type(self).__mro__ if each.__module__ == __name__)
        assert self._ready, f"{cls.__name__}.__init__() must be called when overriding __init__"
        for method in methods:
            note_use(f"{cls.__name__}.{method}")
            assert method in _CLASSES[cls.__name__]


class ILogger(_Overridden):
    _ready = False

    def log(self, severity, msg):
        raise NotImplementedError


for _severity in Severity:
    setattr(ILogger, _severity.name, _severity)
ILogger.Severity = Severity


class IProfiler(_Overridden):
    _ready = False

    def report_layer_time(self, layer_name, ms):
        raise NotImplementedError


class IProgressMonitor(_Overridden):
    _ready = False

    def phase_start(self, phase_name, parent_phase, num_steps):
        raise NotImplementedError

    def step_complete(self, phase_name, step):
        raise NotImplementedError

    def phase_finish(self, phase_name):
        raise NotImplementedError


def init_libnvinfer_plugins(logger, namespace):
    logger._assert_ready("log")
    return True


class IHostMemory(bytes):
    """Bytes, as memoryview gives them of the real one."""


class IPluginRegistry(_Limited):
    def load_library(self, plugin_path):
        return None if "absent" in plugin_path else object()


class ITensor(_Limited):
    def __init__(self, name, shape):
        self._name, self._shape, self._range = name, shape, None
        self._type, self._formats = DataType.FLOAT, 1

    @property
    def name(self):
        return self._name

    @property
    def shape(self):
        return self._shape

    @property
    def is_shape_tensor(self):
        return False

    @property
    def dtype(self):
        return self._type

    @dtype.setter
    def dtype(self, value):
        self._type = value

    @property
    def allowed_formats(self):
        return self._formats

    @allowed_formats.setter
    def allowed_formats(self, value):
        self._formats = value

    @property
    def dynamic_range(self):
        return self._range

    def set_dynamic_range(self, min, max):
        self._range = (min, max)
        return True


class ILayer(_Limited):
    def __init__(self, kind, inputs, outputs):
        self._kind, self._inputs, self._outputs = kind, inputs, outputs
        self._precision, self._output_types = DataType.FLOAT, {}

    @property
    def name(self):
        return "conv_17"

    @property
    def precision(self):
        return self._precision

    @precision.setter
    def precision(self, value):
        self._precision = value

    def set_output_type(self, index, dtype):
        self._output_types[index] = dtype.name

    @property
    def type(self):
        return self._kind

    @property
    def num_inputs(self):
        return len(self._inputs)

    @property
    def num_outputs(self):
        return len(self._outputs)

    def get_input(self, index):
        return self._inputs[index]

    def get_output(self, index):
        return self._outputs[index]


class INetworkDefinition(_Limited):
    def __init__(self, flags):
        self._flags = flags
        self._inputs, self._outputs, self._layers = [], [], []

    @property
    def num_inputs(self):
        return len(self._inputs)

    def get_input(self, index):
        return self._inputs[index]

    @property
    def num_outputs(self):
        return len(self._outputs)

    def get_output(self, index):
        return self._outputs[index]

    @property
    def num_layers(self):
        return len(self._layers)

    def get_layer(self, index):
        return self._layers[index]

    def _fill(self, model):
        inputs, outputs = _DIMENSIONS[model]
        self._inputs = [ITensor(name, shape) for name, shape in inputs.items()]
        self._outputs = made = [ITensor(name, shape) for name, shape in outputs.items()]
        kind = LayerType.CONVOLUTION if FAULT == "float" else LayerType.QUANTIZE
        self._layers = [ILayer(kind, [self._inputs[0], None], made)]


class ParserError(_Limited):
    def desc(self):
        return "No importer registered for op: Frobnicate"

    def node(self):
        return 5

    def node_name(self):
        return "/head/Frob"

    def node_operator(self):
        return "Frobnicate"


class OnnxParser(_Limited):
    def __init__(self, network, logger):
        logger._assert_ready("log")
        self._network = network

    def parse_from_file(self, model):
        assert isinstance(model, str)
        if FAULT == "parse":
            return False
        self._network._fill(model_of(VERSION))
        return True

    @property
    def num_errors(self):
        return 1

    def get_error(self, index):
        return ParserError()


class IOptimizationProfile(_Limited):
    def __init__(self):
        self._shapes = {}

    def set_shape(self, input, min, opt, max):
        self._shapes[input] = (tuple(min), tuple(opt), tuple(max))

    def set_shape_input(self, input, min, opt, max):
        self._shapes[input] = (tuple(min), tuple(opt), tuple(max))


class ITimingCache(_Limited):
    def __init__(self, data):
        self._data = data

    def serialize(self):
        return IHostMemory(self._data + b"measured ")


class IBuilderConfig(_Limited):
    profiling_verbosity = ProfilingVerbosity.LAYER_NAMES_ONLY
    avg_timing_iterations = builder_optimization_level = max_aux_streams = max_num_tactics = 0
    progress_monitor = None
    DLA_core, l2_limit_for_tiling = -1, -1
    default_device_type = hardware_compatibility_level = tiling_optimization_level = None

    def __init__(self):
        self._profiles, self._flags, self._pools, self._cache = [], set(), {}, None
        self._sources, self._previews, self._devices = 0b11111, {}, {}

    def get_tactic_sources(self):
        return self._sources

    def set_tactic_sources(self, tactic_sources):
        self._sources = tactic_sources
        return True

    def set_preview_feature(self, feature, enable):
        self._previews[feature.name] = enable

    def set_device_type(self, layer, device_type):
        self._devices[layer._kind.name] = device_type.name

    def set_flag(self, flag):
        self._flags.add(flag)

    def clear_flag(self, flag):
        self._flags.discard(flag)

    def set_memory_pool_limit(self, pool, pool_size):
        self._pools[pool] = pool_size

    def add_optimization_profile(self, profile):
        if any(not low <= opt <= high for low, opt, high in profile._shapes.values()):
            return -1
        self._profiles.append(profile)
        return len(self._profiles) - 1

    def create_timing_cache(self, serialized_timing_cache):
        if serialized_timing_cache.startswith(b"foreign"):
            return None
        return ITimingCache(bytes(serialized_timing_cache))

    def set_timing_cache(self, cache, ignore_mismatch):
        self._cache = cache
        return True

    def get_timing_cache(self):
        return self._cache


class Builder(_Limited):
    def __init__(self, logger):
        logger._assert_ready("log")
        self._logger = logger

    def get_plugin_registry(self):
        return IPluginRegistry()

    num_DLA_cores = 2  # noqa: N815 - the name of the bindings

    def create_network(self, flags=0):
        explicit, typed = (
            hasattr(NetworkDefinitionCreationFlag, each) for each in ("EXPLICIT_BATCH", "STRONGLY_TYPED")
        )
        if explicit and not typed:
            assert flags == 1, "TensorRT 8 without it reads no ONNX"
        return INetworkDefinition(flags)

    def create_builder_config(self):
        return IBuilderConfig()

    def create_optimization_profile(self):
        return IOptimizationProfile()

    def build_serialized_network(self, network, config):
        log = self._logger.log
        log(Severity.VERBOSE, "Not to be seen")
        log(Severity.INFO, "[MemUsageChange] Init CUDA: CPU +2, GPU +0, now: CPU 99, GPU 515 (MiB)")
        if FAULT == "crash":
            os.kill(os.getpid(), signal.SIGSEGV)
        if FAULT == "hang":
            time.sleep(600)
        if release(VERSION) >= (10, 0):
            _report_progress(config.progress_monitor)
        if FAULT == "build":
            log(Severity.ERROR, "IBuilder::buildSerializedNetwork: Error Code 10: Internal Error")
            log(Severity.ERROR, "Could not find any implementation for node conv_17.")
            return None
        if FAULT == "empty":
            return IHostMemory()
        log(Severity.INFO, "Total Host Persistent Memory: 1234 bytes")
        log(Severity.INFO, "Total Activation Memory: 4194304 bytes")
        plan = {
            "version": VERSION,
            "verbosity": config.profiling_verbosity.name,
            "profiles": [profile._shapes for profile in config._profiles] or [{}],
            "built": _built(network, config),
        }
        return IHostMemory(json.dumps(plan).encode())


def _built(network, config):
    """Return what was set before the build, by the names of the bindings."""
    names = (
        *("default_device_type", "hardware_compatibility_level", "tiling_optimization_level"),
        *("DLA_core", "l2_limit_for_tiling"),
    )
    values = {name: vars(config)[name] for name in names if name in vars(config)}
    return {
        "flags": sorted(flag.name for flag in config._flags),
        "pools": {pool.name: size for pool, size in config._pools.items()},
        "set": {name: getattr(value, "name", value) for name, value in values.items()},
        "sources": config._sources,
        "previews": config._previews,
        "devices": config._devices,
        "formats": [[each._type.name, each._formats] for each in (*network._inputs, *network._outputs)],
        "layers": [[each._precision.name, each._output_types] for each in network._layers],
    }


def _report_progress(monitor):
    monitor._assert_ready("phase_start", "step_complete", "phase_finish")
    monitor.phase_start("Building engine", None, 3)
    for step in range(3):
        monitor.phase_start("Timing graph nodes", "Building engine", 2)
        for inner in range(2):
            assert monitor.step_complete("Timing graph nodes", inner) is True
        monitor.phase_finish("Timing graph nodes")
        assert monitor.step_complete("Building engine", step) is True
    monitor.phase_finish("Building engine")


class Runtime(_Limited):
    engine_host_code_allowed = False
    DLA_core = -1

    def __init__(self, logger):
        logger._assert_ready("log")
        if FAULT == "runtime":
            raise TypeError("pybind11::init(): factory function returned nullptr")
        self._logger = logger

    def get_plugin_registry(self):
        return IPluginRegistry()

    def deserialize_cuda_engine(self, serialized_engine):
        try:
            plan = json.loads(serialized_engine)
        except ValueError:
            self._logger.log(Severity.ERROR, "Serialization assertion stdVersionRead failed")
            return None
        if plan["version"] != VERSION:
            text = f"expecting library version {VERSION} got {plan['version']}, please rebuild."
            self._logger.log(Severity.ERROR, f"The engine plan file is not compatible, {text}")
            return None
        return ICudaEngine(plan)


class ICudaEngine(_Limited):
    def __init__(self, plan):
        self._plan = plan
        self._model = model_of(VERSION)
        self._inputs, self._outputs = _DIMENSIONS[self._model]

    num_aux_streams = 0
    streamable_weights_size = 1000
    weight_streaming_budget = weight_streaming_budget_v2 = 0

    def get_weight_streaming_automatic_budget(self):
        return 700

    device_memory_size = device_memory_size_v2 = 4 * 2**20

    @property
    def num_io_tensors(self):
        return len(self._inputs) + len(self._outputs)

    @property
    def num_optimization_profiles(self):
        return len(self._plan["profiles"])

    @property
    def profiling_verbosity(self):
        return ProfilingVerbosity[self._plan["verbosity"]]

    def get_tensor_name(self, index):
        return [*self._inputs, *self._outputs][index]

    def get_tensor_mode(self, name):
        return TensorIOMode.INPUT if name in self._inputs else TensorIOMode.OUTPUT

    def get_tensor_location(self, name):
        return TensorLocation.DEVICE

    def get_tensor_dtype(self, name):
        return DataType[_TYPES.get(name, "FLOAT")]

    def get_tensor_shape(self, name):
        return {**self._inputs, **self._outputs}[name]

    def get_tensor_vectorized_dim(self, name):
        return -1

    def get_tensor_components_per_element(self, name):
        return -1

    def get_tensor_profile_shape(self, name, profile_index):
        return [tuple(each) for each in self._plan["profiles"][profile_index][name]]

    def create_engine_inspector(self):
        return EngineInspector(self)

    def create_execution_context(self):
        return None if FAULT == "context" else IExecutionContext(self)


class EngineInspector(_Limited):
    execution_context = None

    def __init__(self, engine):
        self._engine = engine

    def get_engine_information(self, format):
        assert format is LayerInformationFormat.JSON
        assert self.execution_context is not None, "without a context shapes stay unknown"
        text = sample_file(self._engine._model, "graph")
        if self._engine.profiling_verbosity is ProfilingVerbosity.DETAILED:
            return text
        return json.dumps({"Layers": [layer["Name"] for layer in json.loads(text)["Layers"]]})


class IExecutionContext(_Limited):
    profiler = None
    enqueue_emits_profile = True

    def __init__(self, engine):
        self._engine = engine
        self._profile = None
        self._shapes, self._addresses = {}, {}
        self._times = layer_times(engine._model)
        self._pending = False

    def set_optimization_profile_async(self, profile_index, stream_handle):
        assert isinstance(stream_handle, int)
        self._profile = profile_index
        return True

    def set_input_shape(self, name, shape):
        low, _, high = self._engine._plan["profiles"][self._profile][name]
        self._shapes[name] = tuple(shape)
        return all(a <= b <= c for a, b, c in zip(low, shape, high, strict=True))

    def infer_shapes(self):
        inputs = self._engine._inputs.items()
        return [name for name, shape in inputs if -1 in shape and name not in self._shapes]

    def get_max_output_size(self, name):
        shape = self._engine._outputs[name]
        size = 4
        for extent in shape:
            size *= 8 if extent < 0 else extent
        return size

    def set_tensor_address(self, name, memory):
        assert isinstance(memory, int)
        assert memory
        self._addresses[name] = memory
        return True

    def execute_async_v3(self, stream_handle):
        assert stream_handle, "the default stream costs a synchronization"
        assert len(self._addresses) == object.__getattribute__(self, "_engine").num_io_tensors
        if FAULT == "enqueue":
            return False
        if GPU.captured is None:
            self._launch()
        else:
            GPU.captured.append(self._launch)
        return True

    def _launch(self):
        profiled = 1.3 if object.__getattribute__(self, "profiler") else 1.0
        GPU.run(profiled * sum(time_ms for _, time_ms in self._times))
        self._pending = True

    def report_to_profiler(self):
        if not self._pending or self.enqueue_emits_profile:
            return False
        self.profiler._assert_ready("report_layer_time")
        for name, time_ms in self._times:
            self.profiler.report_layer_time(name, time_ms * GPU.random.uniform(0.97, 1.04))
        self._pending = False
        return True


for _name in [name for name, each in list(globals().items()) if isinstance(each, type)]:
    if _name[0].isalpha() and issubclass(globals()[_name], (_Limited, _Overridden)) and _name not in _CLASSES:
        del globals()[_name]

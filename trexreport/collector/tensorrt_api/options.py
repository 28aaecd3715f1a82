"""Read the flags of trtexec that this program knows, and say which of them it does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field, replace
from typing import Any

from trexreport.collector.tensorrt_api.build_options import FLAGS, BuildOptions, with_option
from trexreport.collector.tensorrt_api.unreached import why_unreached
from trexreport.errors import UsageError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

Dimensions = tuple[int, ...]

#: trtexec's flag to the names of the TensorRT builder flags that it sets, where a version has them.
BUILDER_FLAGS = {
    "allowWeightStreaming": ("WEIGHT_STREAMING",),
    "best": ("FP16", "INT8", "BF16"),
    "bf16": ("BF16",),
    "directIO": ("DIRECT_IO",),
    "distributiveIndependence": ("DISTRIBUTIVE_INDEPENDENCE",),
    "errorOnTimingCacheMiss": ("ERROR_ON_TIMING_CACHE_MISS",),
    "excludeLeanRuntime": ("EXCLUDE_LEAN_RUNTIME",),
    "fp16": ("FP16",),
    "fp8": ("FP8",),
    "heuristic": ("ENABLE_TACTIC_HEURISTIC",),
    "int4": ("INT4",),
    "int8": ("INT8",),
    "monitorMemory": ("MONITOR_MEMORY",),
    "noCompilationCache": ("DISABLE_COMPILATION_CACHE",),
    "refit": ("REFIT",),
    "restricted": ("SAFETY_SCOPE",),
    "stripAllWeights": ("REFIT", "STRIP_PLAN"),
    "stripWeights": ("STRIP_PLAN",),
    "vc": ("VERSION_COMPATIBLE",),
    "versionCompatible": ("VERSION_COMPATIBLE",),
}
#: Flag that takes a number to the property of the builder's configuration that it sets.
BUILDER_NUMBERS = {
    "avgTiming": "avg_timing_iterations",
    "builderOptimizationLevel": "builder_optimization_level",
    "maxAuxStreams": "max_aux_streams",
    "maxTactics": "max_num_tactics",
}
#: trtexec's name of a memory pool to TensorRT's.
POOLS = {
    "workspace": "WORKSPACE",
    "tacticSharedMem": "TACTIC_SHARED_MEMORY",
    "dlaSRAM": "DLA_MANAGED_SRAM",
    "dlaLocalDRAM": "DLA_LOCAL_DRAM",
    "dlaGlobalDRAM": "DLA_GLOBAL_DRAM",
}
VERBOSITIES = {"detailed": "DETAILED", "layer_names_only": "LAYER_NAMES_ONLY", "none": "NONE"}

_SWITCHES = {
    *BUILDER_FLAGS,
    "allowGPUFallback",
    "buildOnly",
    "dumpOptimizationProfile",
    "includeDataTransfers",
    "noBuilderCache",
    "noCudaGraph",
    "noDataTransfers",
    "noSpinWait",
    "noTF32",
    "separateProfileRun",
    "skipInference",
    "stronglyTyped",
    "useCudaGraph",
    "useSpinWait",
    "verbose",
}
_TEXTS = {
    "exportLayerInfo",
    "exportProfile",
    "exportSamples",
    "exportTimes",
    "loadEngine",
    "onnx",
    "saveEngine",
    "timingCacheFile",
}
_NUMBERS = {"avgRuns", "device", "duration", "infStreams", "iterations", "profile", "useProfile", "warmUp"}
_SHAPES = {"shapes": "shapes", "minShapes": "min", "optShapes": "opt", "maxShapes": "max"}
_LISTS = {"dynamicPlugins", "plugins", "staticPlugins"}
_OTHER = {"loadInputs", "memPoolSize", "percentile", "profilingVerbosity", "sparsity"}
KNOWN = frozenset({*_SWITCHES, *_TEXTS, *_NUMBERS, *_SHAPES, *_LISTS, *_OTHER, *BUILDER_NUMBERS, *FLAGS})

# A name in quotes may hold commas.
_TENSOR = regex(r"(?:'[^']*'|[^,'])+")
_MIB = 2**20
_FIRST_WITH_NEW_DEFAULTS = 11


@dataclass(frozen=True)
class ShapeRange:
    """Dimensions of the inputs that one optimization profile is for, by name."""

    min: dict[str, Dimensions] = field(default_factory=dict)
    opt: dict[str, Dimensions] = field(default_factory=dict)
    max: dict[str, Dimensions] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The inputs."""
        return list({**self.opt, **self.max, **self.min})

    def of(self, name: str) -> tuple[Dimensions, Dimensions, Dimensions]:
        """Return minimum, optimum and maximum of an input, what is missing from the nearest."""
        opt = {**self.min, **self.max, **self.opt}[name]
        return self.min.get(name, opt), opt, self.max.get(name, opt)


@dataclass(frozen=True)
class Request:
    """What one run is to do; empty texts for what is not wanted.

    Attributes:
        switches: Flags without a value.
        numbers: Properties of the builder's configuration to set.
        pools_bytes: TensorRT's name of a memory pool to its limit.
        profiles: Shapes of each optimization profile, by its index.
        shapes: Dimensions to run with.
        inputs: Name of an input to the file with its content.
        plugins: Libraries to load.
        build: What else shapes a build, and the DLA core and weight streaming of a run.
    """

    switches: frozenset[str] = frozenset()
    texts: dict[str, str] = field(default_factory=dict)
    numbers: dict[str, int] = field(default_factory=dict)
    pools_bytes: dict[str, int] = field(default_factory=dict)
    profiles: tuple[ShapeRange, ...] = ()
    shapes: dict[str, Dimensions] = field(default_factory=dict)
    inputs: dict[str, str] = field(default_factory=dict)
    plugins: tuple[str, ...] = ()
    verbosity: str = "LAYER_NAMES_ONLY"
    is_sparse: bool = False
    build: BuildOptions = field(default_factory=BuildOptions)
    percentiles: tuple[float, ...] = (90, 95, 99)
    warm_up_ms: float = 200
    duration_s: float = 3
    iterations: int = 10
    device: int = 0
    optimization_profile: int = 0

    @property
    def onnx(self) -> str:
        """Path of the model to build from."""
        return self.texts.get("onnx", "")

    @property
    def measures(self) -> bool:
        """Whether the engine is to be run."""
        return not self.switches & {"skipInference", "buildOnly"}

    def uses_graph(self, major: int) -> bool:
        """Whether queries are launched as a CUDA graph, given TensorRT's major version."""
        return self._is_on("useCudaGraph", "noCudaGraph", major)

    def transfers(self, major: int) -> bool:
        """Whether inputs and outputs are copied for each query, given TensorRT's major version."""
        return not self._is_on("noDataTransfers", "includeDataTransfers", major)

    def spins(self, major: int) -> bool:
        """Whether the host waits for the GPU without going to sleep, given TensorRT's major version."""
        return self._is_on("useSpinWait", "noSpinWait", major)

    def _is_on(self, flag: str, opposite: str, major: int) -> bool:
        """Return whether a flag holds; from TensorRT 11 on trtexec takes these for granted."""
        return flag in self.switches or (major >= _FIRST_WITH_NEW_DEFAULTS and opposite not in self.switches)


def read_request(words: Sequence[str]) -> Request:
    """Return what flags such as "--onnx=model.onnx" ask for.

    Raises:
        UsageError: A flag is not known to this program, or its value can't be read.
    """
    request = Request()
    switches: set[str] = set()
    ranges: dict[int, ShapeRange] = {}
    profile = 0
    for word in words:
        name, equals, value = word.removeprefix("--").partition("=")
        if name not in KNOWN:
            why = f"The api backend does not know --{name}. {why_unreached(name)}".rstrip()
            raise UsageError(why, "Use --backend trtexec for it.")
        if name in _SWITCHES:
            switches.add(name)
        elif not (equals and value):
            raise UsageError(f"--{name} lacks its value.", f"Write --{name}=VALUE.")
        elif name == "profile":
            profile = int(_number(name, value))
        elif name in _SHAPES and name != "shapes":
            known = ranges.get(profile, ShapeRange())
            ranges[profile] = replace(known, **{_SHAPES[name]: read_shapes(value)})
        else:
            request = _with_value(request, name, value)
    if not ranges and request.shapes:
        ranges[0] = ShapeRange(request.shapes, request.shapes, request.shapes)
    if sorted(ranges) != list(range(len(ranges))):
        raise UsageError("--profile numbers must begin at 0 and leave none out.")
    profiles = tuple(ranges[index] for index in sorted(ranges))
    return replace(request, switches=frozenset(switches), profiles=profiles)


def read_shapes(value: str) -> dict[str, Dimensions]:
    """Return the dimensions of "x:1x3x224x224,'y:0':scalar" by name.

    Raises:
        UsageError: A part is not a shape.
    """
    found = {}
    for tensor in _TENSOR.findall(value):
        name, colon, sizes = tensor.rpartition(":")
        try:
            dimensions = () if sizes in {"", "scalar"} else tuple(int(each) for each in sizes.split("x"))
        except ValueError:
            colon = ""
            dimensions = ()
        if not colon or not name:
            raise UsageError(f"{tensor!r} is not a shape.", "Write the input and its sizes: x:1x3x224x224.")
        found[name.strip("'")] = dimensions
    return found


def _with_value(request: Request, name: str, value: str) -> Request:
    """Return the request with what one flag says."""
    if name in FLAGS:
        return replace(request, build=with_option(request.build, name, value))
    if name in _TEXTS:
        return replace(request, texts={**request.texts, name: value})
    if name in BUILDER_NUMBERS:
        number = int(_number(name, value))
        return replace(request, numbers={**request.numbers, BUILDER_NUMBERS[name]: number})
    if name in _LISTS:
        return replace(request, plugins=(*request.plugins, value))
    if name in _NUMBERS:
        return _with_number(request, name, _number(name, value))
    if name == "shapes":
        return replace(request, shapes=read_shapes(value))
    if name == "memPoolSize":
        return replace(request, pools_bytes=_pools(value))
    if name == "percentile":
        return replace(request, percentiles=tuple(_number(name, each) for each in value.split(",")))
    if name == "loadInputs":
        pairs = (_TENSOR.fullmatch(each) and each.rpartition(":") for each in _TENSOR.findall(value))
        return replace(request, inputs={each[0].strip("'"): each[2] for each in pairs if each})
    if name == "sparsity":
        if value not in {"enable", "disable"}:
            raise UsageError(f"The api backend does not know --sparsity={value}.", "Write enable or disable.")
        return replace(request, is_sparse=value == "enable")
    if value not in VERBOSITIES:
        raise UsageError(f"--{name} is none of {', '.join(VERBOSITIES)}.")
    return replace(request, verbosity=VERBOSITIES[value])


def _with_number(request: Request, name: str, number: float) -> Request:
    if name == "infStreams":
        if number != 1:
            raise UsageError(
                f"The api backend does not know --{name}={number:g}. {why_unreached(name)}",
                "Use --backend trtexec for it.",
            )
        return request
    if name == "avgRuns":  # only the length of trtexec's log
        return request
    attribute = {"warmUp": "warm_up_ms", "duration": "duration_s", "useProfile": "optimization_profile"}
    change: dict[str, Any] = {
        attribute.get(name, name): number if name in {"warmUp", "duration"} else int(number)
    }
    return replace(request, **change)


def _pools(value: str) -> dict[str, int]:
    """Return the limits of "workspace:4096,tacticSharedMem:0.5", which are in MiB."""
    found = {}
    for pool in value.split(","):
        name, _, size = pool.partition(":")
        if name not in POOLS:
            raise UsageError(f"The api backend does not know the memory pool {name}.")
        found[POOLS[name]] = int(_number("memPoolSize", size) * _MIB)
    return found


def _number(name: str, value: str) -> float:
    try:
        number = float(value)
    except ValueError:
        number = -1.0
    if not 0 <= number < float("inf"):
        raise UsageError(f"--{name}={value} is not a number of at least 0.")
    return number

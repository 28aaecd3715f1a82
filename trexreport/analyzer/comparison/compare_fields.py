"""The conditions of a build and a measurement, and where their values are found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import BY_DEFAULT, ConditionSeverity
from trexreport.analyzer.comparison import compare_gpu
from trexreport.analyzer.comparison.compare_models import multiply_adds
from trexreport.analyzer.thresholds import release_numbers
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
from trexreport.numbers import format_count
from trexreport.regex import regex

SHAPES = "input shapes"
#: How trtexec's options begin that state the ranges of the inputs, one for each optimization profile.
BUILD_SHAPES = "Input build shape"
MODEL_FILE = "model file"
_DEFAULTS_CHANGED_IN = 11
#: trtexec's options that state the shapes of the inputs, and one of these: "input.1=32x3x224x224".
_RUN_SHAPES = ("Input inference shapes", "Input inference shape")
_SHAPE = regex(r"([^\s,=]{1,300})=(\d{1,18}(?:x\d{1,18})*)", re.ASCII)


@dataclass(frozen=True)
class Field:
    """A condition: how it is called, what it does, and how an engine's value is found.

    Attributes:
        keys: Sections and names of trtexec's options that it reads.
    """

    name: str
    severity: ConditionSeverity
    value: Callable[[Engine, Analysis], str]
    keys: frozenset[tuple[str, str]] = frozenset()


def _option(
    name: str,
    severity: ConditionSeverity,
    section: str,
    *keys: str,
    sampled: Callable[[Engine], str] = lambda _: "",
) -> Field:
    """Return a field for one of trtexec's options, whose name versions spell differently.

    What was sampled of the GPU takes precedence.
    """

    def value(engine: Engine, _: Analysis) -> str:
        options = getattr(engine.setup, section)
        stated = (options[key].strip() for key in keys if options.get(key, "").strip())
        return sampled(engine) or next(stated, "")

    return Field(name, severity, value, frozenset((section, key) for key in keys))


def _switch(name: str, key: str, on: str, off: str) -> Field:
    """Return a field for an option of the measurement whose default changed in trtexec 11.

    If no log states it, the flags of the command decide, and without them the version's default, which the
    value says where not even the command is known.
    Source: SystemOptions and InferenceOptions in trtexec's sampleOptions.cpp of 10.16 and 11.0.
    """

    def value(engine: Engine, _: Analysis) -> str:
        stated = engine.setup.inference_options.get(key, "").strip()
        commands = [command.split() for command in engine.setup.commands]
        words = {word for command in commands for word in command}
        numbers = release_numbers(engine.setup.tensorrt_version, 1)
        if stated or not (numbers and engine.queries):
            return stated
        if f"--{on}" in words or f"--{off}" in words:
            return "Enabled" if f"--{on}" in words else "Disabled"
        # Graph and spin-wait are on from 11 on, transfers are on up to 10.
        is_on = (numbers[0] >= _DEFAULTS_CHANGED_IN) is (name != "data transfers")
        return ("Enabled" if is_on else "Disabled") + ("" if commands else BY_DEFAULT)

    return Field(name, "explanatory", value, frozenset({("inference_options", key)}))


def _sampled(name: str, value: Callable[[Engine], str]) -> Field:
    """Return a field for what was sampled of the GPU."""
    return Field(name, "explanatory", lambda engine, _: value(engine))


def _shapes(engine: Engine, analysis: Analysis) -> str:
    """Return the extents of the inputs as they were run, in an order that does not depend on their names.

    Empty if an extent is dynamic and the measurement's options do not state it.
    """
    options = engine.setup.inference_options
    text = ", ".join(options[key] for key in _RUN_SHAPES if key in options)
    run = {name: [int(extent) for extent in extents.split("x")] for name, extents in _SHAPE.findall(text)}
    inputs = [each for each in analysis.bindings if each.mode == "input" and each.dimensions]
    shapes = [run.get(each.name, each.dimensions) for each in inputs] or list(run.values())
    return _extents(shapes)


def _build_shapes(engine: Engine, _: Analysis) -> str:
    """Return the shapes of the build by optimization profile; "model" where the model has fixed ones."""
    stated = sorted(engine.setup.build_options.items())
    return ", ".join(value.strip() for key, value in stated if key.startswith(BUILD_SHAPES) and value.strip())


def _extents(shapes: Iterable[Sequence[int]]) -> str:
    """Write shapes in an order that does not depend on their names; empty if not all are known."""
    ordered = sorted(map(list, shapes))
    if any(extent < 0 for shape in ordered for extent in shape):
        return ""
    return ", ".join("×".join(map(str, shape)) for shape in ordered if shape)


def _batch(_: Engine, analysis: Analysis) -> str:
    return "" if analysis.identity.batch is None else str(analysis.identity.batch)


def _queries(engine: Engine, _: Analysis) -> str:
    return format_count(sum(map(len, (engine.queries, *engine.more_runs)))) if engine.queries else ""


def _runs(engine: Engine, _: Analysis) -> str:
    return format_count(1 + len(engine.more_runs)) if engine.queries else ""


def _profiled(engine: Engine, _: Analysis) -> str:
    return "" if engine.profiled_iterations is None else format_count(engine.profiled_iterations)


def _optimization_profile(engine: Engine, _: Analysis) -> str:
    return str(engine.optimization_profile) if len(engine.optimization_profiles) > 1 else ""


FIELDS = (
    Field("GPU", "blocking", lambda _, analysis: analysis.identity.gpu),
    _option("compute capability", "blocking", "device", "Compute Capability"),
    _option("SMs", "blocking", "device", "SMs"),
    Field("batch", "blocking", _batch),
    Field(SHAPES, "blocking", _shapes),
    Field("build shapes", "explanatory", _build_shapes),
    Field("TensorRT", "explanatory", lambda _, analysis: analysis.identity.tensorrt_version),
    _option("CUDA", "explanatory", "device", "CUDA Version"),
    _option("driver", "explanatory", "device", "Driver Version", "Driver", sampled=compare_gpu.driver),
    _option("compute clock", "explanatory", "device", "Application Compute Clock Rate", "Compute Clock Rate"),
    _option("memory clock", "explanatory", "device", "Application Memory Clock Rate", "Memory Clock Rate"),
    _option(
        "power limit", "explanatory", "device", "Power limit", "Power Limit", sampled=compare_gpu.power_limit
    ),
    _sampled("locked clock", compare_gpu.locked_clock),
    _sampled("clock while measured", compare_gpu.measured_clock),
    _sampled("memory clock while measured", compare_gpu.measured_memory_clock),
    _sampled("throttling", compare_gpu.throttling),
    _sampled("other processes", compare_gpu.other_processes),
    Field("precision options", "explanatory", lambda _, analysis: analysis.identity.precisions),
    _switch("CUDA graph", "CUDA Graph", "useCudaGraph", "noCudaGraph"),
    _switch("data transfers", "Data transfers", "includeDataTransfers", "noDataTransfers"),
    _option("streams", "explanatory", "inference_options", "Inference Streams", "Streams"),
    _switch("spin-wait", "Spin-wait", "useSpinWait", "noSpinWait"),
    _option("separate profiling", "explanatory", "inference_options", "Separate profiling"),
    _option("duration and warm-up", "explanatory", "inference_options", "Duration"),
    Field("measured iterations", "harmless", _queries),
    Field("runs", "harmless", _runs),
    Field("profiled iterations", "harmless", _profiled),
    _option("profiling verbosity", "harmless", "build_options", "Profiling verbosity"),
    Field("optimization profile", "explanatory", _optimization_profile),
    Field("multiply-adds", "explanatory", lambda _, analysis: multiply_adds(analysis)),
    Field(
        "output shapes",
        "explanatory",
        lambda _, analysis: _extents(each.dimensions for each in analysis.bindings if each.mode == "output"),
    ),
    Field(MODEL_FILE, "explanatory", lambda _, analysis: analysis.identity.model),
)
#: Options of trtexec that these cover, by section and name.
KNOWN_OPTIONS = {key for field in FIELDS for key in field.keys} | {
    ("model_options", "Model"),
    ("build_options", "Precision"),
    ("device", "Selected Device"),
    *(("inference_options", key) for key in _RUN_SHAPES),
}

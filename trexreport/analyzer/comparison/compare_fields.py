"""The conditions of a build and a measurement: what each does to the times, and where its value is found."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import BLOCKS, EXPLAINS, HARMLESS
from trexreport.analyzer.comparison import compare_gpu
from trexreport.analyzer.comparison.compare_models import say_multiply_adds
from trexreport.model import Engine
from trexreport.numbers import format_count

SHAPES = "input shapes"
#: trtexec's options that tell the shapes of the inputs, and one of these: "input.1=32x3x224x224".
_RUN_SHAPES = ("Input inference shapes", "Input inference shape")
_SHAPE = re.compile(r"([^\s,=]{1,300})=(\d{1,18}(?:x\d{1,18})*)", re.ASCII)


@dataclass(frozen=True)
class Field:
    """A condition: how it is called, what it does, and how an engine's value is found.

    Attributes:
        keys: Sections and names of trtexec's options that it reads.
    """

    name: str
    gravity: str
    why: str
    value: Callable[[Engine, Analysis], str]
    keys: frozenset[tuple[str, str]] = frozenset()


def _option(name: str, gravity: str, why: str, section: str, *keys: str) -> Field:
    """Return a field for one of trtexec's options, whose name versions spell differently."""

    def value(engine: Engine, _: Analysis) -> str:
        options = getattr(engine.setup, section)
        return next((options[key].strip() for key in keys if options.get(key, "").strip()), "")

    return Field(name, gravity, why, value, frozenset((section, key) for key in keys))


def _shapes(engine: Engine, analysis: Analysis) -> str:
    """Return the extents of the inputs as they were run, in an order that does not depend on their names.

    Empty if an extent is dynamic and the measurement's options do not tell it.
    """
    options = engine.setup.inference_options
    text = ", ".join(options[key] for key in _RUN_SHAPES if key in options)
    run = {name: [int(extent) for extent in extents.split("x")] for name, extents in _SHAPE.findall(text)}
    inputs = [each for each in analysis.bindings if each.mode == "input" and each.dimensions]
    shapes = [run.get(each.name, each.dimensions) for each in inputs] or list(run.values())
    return _extents(shapes)


def _extents(shapes: Iterable[Sequence[int]]) -> str:
    """Write shapes in an order that does not depend on what they are called; empty if not all are known."""
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
    Field("GPU", BLOCKS, "Another GPU has other speeds.", lambda _, analysis: analysis.identity.gpu),
    _option(
        "compute capability",
        BLOCKS,
        "Another generation of GPUs has other kernels.",
        "device",
        "Compute Capability",
    ),
    _option("SMs", BLOCKS, "Fewer multiprocessors do less at a time.", "device", "SMs"),
    Field("batch", BLOCKS, "A larger batch is more work; times by item can be compared.", _batch),
    Field(SHAPES, BLOCKS, "Larger inputs are more work.", _shapes),
    Field(
        "TensorRT",
        EXPLAINS,
        "Versions fuse differently and have other kernels.",
        lambda _, analysis: analysis.identity.tensorrt_version,
    ),
    _option("CUDA", EXPLAINS, "CUDA brings libraries of kernels.", "device", "CUDA Version"),
    Field(
        "driver",
        EXPLAINS,
        "Drivers launch and clock differently.",
        lambda engine, _: compare_gpu.driver(engine),
        frozenset({("device", "Driver Version"), ("device", "Driver")}),
    ),
    _option(
        "compute clock",
        EXPLAINS,
        "Compute-bound layers take time in inverse proportion to the clock.",
        "device",
        "Application Compute Clock Rate",
        "Compute Clock Rate",
    ),
    _option(
        "memory clock",
        EXPLAINS,
        "Memory-bound layers take time in inverse proportion to the clock.",
        "device",
        "Application Memory Clock Rate",
        "Memory Clock Rate",
    ),
    Field(
        "power limit",
        EXPLAINS,
        "A lower limit lowers the clock.",
        lambda engine, _: compare_gpu.power_limit(engine),
        frozenset({("device", "Power limit"), ("device", "Power Limit")}),
    ),
    Field(
        "locked clock",
        EXPLAINS,
        "Free clocks change with load and heat.",
        lambda engine, _: compare_gpu.locked_clock(engine),
    ),
    Field(
        "clock while measured",
        EXPLAINS,
        "Compute-bound layers take time in inverse proportion to it.",
        lambda engine, _: compare_gpu.measured_clock(engine),
    ),
    Field(
        "memory clock while measured",
        EXPLAINS,
        "Memory-bound layers take time in inverse proportion to it.",
        lambda engine, _: compare_gpu.measured_memory_clock(engine),
    ),
    Field(
        "throttling",
        EXPLAINS,
        "Power and heat lower the clock, whatever the engine is.",
        lambda engine, _: compare_gpu.throttling(engine),
    ),
    Field(
        "other processes",
        EXPLAINS,
        "They take their share of the GPU.",
        lambda engine, _: compare_gpu.other_processes(engine),
    ),
    Field(
        "precision options",
        EXPLAINS,
        "The builder chooses among the precisions that it is allowed.",
        lambda _, analysis: analysis.identity.precisions,
    ),
    _option(
        "CUDA graph",
        EXPLAINS,
        "Without one the host may be too slow to keep the GPU busy.",
        "inference_options",
        "CUDA Graph",
    ),
    _option(
        "data transfers",
        EXPLAINS,
        "Latency includes the transfers between host and GPU unless they are left out.",
        "inference_options",
        "Data transfers",
    ),
    _option(
        "streams",
        EXPLAINS,
        "Queries that run at once share the GPU.",
        "inference_options",
        "Inference Streams",
        "Streams",
    ),
    _option(
        "spin-wait",
        EXPLAINS,
        "Waiting without sleep notices sooner that the GPU is done.",
        "inference_options",
        "Spin-wait",
    ),
    _option(
        "separate profiling",
        EXPLAINS,
        "Layers that are timed during the measurement slow it down.",
        "inference_options",
        "Separate profiling",
    ),
    _option(
        "duration and warm-up",
        EXPLAINS,
        "A GPU that is not warm has other clocks.",
        "inference_options",
        "Duration",
    ),
    Field("measured iterations", HARMLESS, "More iterations make the verdict surer.", _queries),
    Field("runs", HARMLESS, "Several runs tell how much repeated measurements differ.", _runs),
    Field("profiled iterations", HARMLESS, "More iterations make the times of layers surer.", _profiled),
    _option(
        "profiling verbosity",
        HARMLESS,
        "It decides what is known of the layers, not how fast they are.",
        "build_options",
        "Profiling verbosity",
    ),
    Field(
        "optimization profile",
        EXPLAINS,
        "Each profile has kernels for its own range of shapes.",
        _optimization_profile,
    ),
    Field(
        "multiply-adds",
        EXPLAINS,
        "Compute-bound layers take time in proportion to them.",
        lambda _, analysis: say_multiply_adds(analysis),
    ),
    Field(
        "output shapes",
        EXPLAINS,
        "Other outputs are other work, or another model.",
        lambda _, analysis: _extents(each.dimensions for each in analysis.bindings if each.mode == "output"),
    ),
    Field(
        "model file",
        EXPLAINS,
        "Another file may be another network, or one with quantizers.",
        lambda _, analysis: analysis.identity.model,
    ),
)
#: Options of trtexec that these tell of, by section and name.
KNOWN_OPTIONS = {key for field in FIELDS for key in field.keys} | {
    ("model_options", "Model"),
    ("build_options", "Precision"),
    ("device", "Selected Device"),
    *(("inference_options", key) for key in _RUN_SHAPES),
}

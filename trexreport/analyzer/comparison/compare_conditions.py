"""List under which conditions each engine was built and measured, and how grave it is that they differ."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from trexreport.analyzer.analysis import Analysis
from trexreport.analyzer.analysis.comparison import BLOCKS, EXPLAINS, GRAVITIES, HARMLESS, Condition
from trexreport.analyzer.comparison.compare_models import say_multiply_adds
from trexreport.model import Engine
from trexreport.numbers import format_count

#: trtexec's options that tell the shapes of the inputs, and one of these: "input.1=32x3x224x224".
_RUN_SHAPES = ("Input inference shapes", "Input inference shape")
_SHAPE = re.compile(r"([^\s,=]{1,300})=(\d{1,18}(?:x\d{1,18})*)", re.ASCII)


@dataclass(frozen=True)
class _Field:
    """A condition: how it is called, what it does, and how an engine's value is found.

    Attributes:
        keys: Sections and names of trtexec's options that it reads.
    """

    name: str
    gravity: str
    why: str
    value: Callable[[Engine, Analysis], str]
    keys: frozenset[tuple[str, str]] = frozenset()


def conditions(engines: Sequence[Engine], analyses: Sequence[Analysis]) -> list[Condition]:
    """Return the conditions that are known of any engine, and those that block a comparison in any case.

    Those in which engines differ come first, then those not known of all, the gravest first among equals.
    """
    found = []
    for field in _FIELDS:
        values = [field.value(engine, analysis) for engine, analysis in zip(engines, analyses, strict=True)]
        if any(values) or field.gravity == BLOCKS:
            found.append(_condition(field.name, values, field.gravity, field.why))
    found += [each for each in _other_options(engines) if each.differs]
    return sorted(found, key=_rank)


def obstacles(found: Sequence[Condition], baseline: int, engine: int) -> list[str]:
    """Return the conditions that block the comparison of two engines, as they are known to differ."""
    return [
        each.name
        for each in found
        if each.gravity == BLOCKS
        and each.values[baseline]
        and each.values[engine]
        and each.values[baseline] != each.values[engine]
    ]


def other_amount(found: Sequence[Condition], baseline: int, engine: int) -> str:
    """Say in which conditions that decide on the amount of work two engines are known to differ, if any."""
    differing = obstacles([each for each in found if each.name in _AMOUNT], baseline, engine)
    told = [
        f"{each.name} {each.values[engine]} against {each.values[baseline]}"
        for each in found
        if each.name in differing
    ]
    return f"Not the same amount of work: {' and '.join(told)}." if told else ""


def _rank(condition: Condition) -> tuple[int, int]:
    kind = 0 if condition.differs else 1 if condition.unknown else 2
    return kind, GRAVITIES.index(condition.gravity)


def _condition(name: str, values: list[str], gravity: str, why: str) -> Condition:
    known = {value for value in values if value}
    return Condition(name, values, len(known) > 1, not all(values), gravity, why)


def _option(name: str, gravity: str, why: str, section: str, *keys: str) -> _Field:
    """Return a field for one of trtexec's options, whose name versions spell differently."""

    def value(engine: Engine, _: Analysis) -> str:
        options = getattr(engine.setup, section)
        return next((options[key].strip() for key in keys if options.get(key, "").strip()), "")

    return _Field(name, gravity, why, value, frozenset((section, key) for key in keys))


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


_FIELDS = (
    _Field("GPU", BLOCKS, "Another GPU has other speeds.", lambda _, analysis: analysis.identity.gpu),
    _option(
        "compute capability",
        BLOCKS,
        "Another generation of GPUs has other kernels.",
        "device",
        "Compute Capability",
    ),
    _option("SMs", BLOCKS, "Fewer multiprocessors do less at a time.", "device", "SMs"),
    _Field("batch", BLOCKS, "A larger batch is more work; times by item can be compared.", _batch),
    _Field("input shapes", BLOCKS, "Larger inputs are more work.", _shapes),
    _Field(
        "TensorRT",
        EXPLAINS,
        "Versions fuse differently and have other kernels.",
        lambda _, analysis: analysis.identity.tensorrt_version,
    ),
    _option("CUDA", EXPLAINS, "CUDA brings libraries of kernels.", "device", "CUDA Version"),
    _option(
        "driver",
        EXPLAINS,
        "Drivers launch and clock differently.",
        "device",
        "Driver Version",
        "Driver",
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
    _option("power limit", EXPLAINS, "A lower limit lowers the clock.", "device", "Power Limit"),
    _Field(
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
    _Field("measured iterations", HARMLESS, "More iterations make the verdict surer.", _queries),
    _Field("runs", HARMLESS, "Several runs tell how much repeated measurements differ.", _runs),
    _Field("profiled iterations", HARMLESS, "More iterations make the times of layers surer.", _profiled),
    _option(
        "profiling verbosity",
        HARMLESS,
        "It decides what is known of the layers, not how fast they are.",
        "build_options",
        "Profiling verbosity",
    ),
    _Field(
        "optimisation profile",
        EXPLAINS,
        "Each profile has kernels for its own range of shapes.",
        _optimization_profile,
    ),
    _Field(
        "multiply-adds",
        EXPLAINS,
        "Compute-bound layers take time in proportion to them.",
        lambda _, analysis: say_multiply_adds(analysis),
    ),
    _Field(
        "output shapes",
        EXPLAINS,
        "Other outputs are other work, or another model.",
        lambda _, analysis: _extents(each.dimensions for each in analysis.bindings if each.mode == "output"),
    ),
    _Field(
        "model",
        EXPLAINS,
        "Another file may be another network, or one with quantisers.",
        lambda _, analysis: analysis.identity.model,
    ),
)
#: Conditions on which it depends how much there is to do.
_AMOUNT = ("batch", "input shapes")
_KNOWN = {key for field in _FIELDS for key in field.keys} | {
    ("model_options", "Model"),
    ("build_options", "Precision"),
    ("device", "Selected Device"),
    *(("inference_options", key) for key in _RUN_SHAPES),
}
_SECTIONS = (
    ("build_options", "build option", EXPLAINS, "Other options may give another engine."),
    ("inference_options", "measurement option", EXPLAINS, "Other options may give other times."),
    ("device", "device", EXPLAINS, "It is a property of the GPU."),
)
#: Options that change no time: where files lie and what is printed or named.
_IDLE = (
    "Save engine",
    "Load engine",
    "Save weights",
    "timingCacheFile",
    "timingCacheMode",
    "Lean DLL Path",
    "Iterations",
    "NVTX verbosity",
    "Output",
    "Outputs",
    "Inputs",
    "Selected Device ID",
    "Selected Device UUID",
    "Debug Tensors",
    "Debug Tensor Save Destinations",
    "Time Deserialize",
    "Time Refit",
)


def _other_options(engines: Sequence[Engine]) -> Iterator[Condition]:
    """Find the other options of trtexec, by name."""
    for section, title, gravity, why in _SECTIONS:
        options = [getattr(engine.setup, section) for engine in engines]
        for key in sorted({key for each in options for key in each}):
            if (section, key) not in _KNOWN:
                values = [each.get(key, "").strip() for each in options]
                if key in _IDLE:
                    yield _condition(f"{title} “{key}”", values, HARMLESS, "It changes no time.")
                else:
                    yield _condition(f"{title} “{key}”", values, gravity, why)

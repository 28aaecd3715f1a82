"""The command by which Polygraphy compares TensorRT with ONNX Runtime, tensor by tensor.

It builds an engine of its own, in which each tensor is an output, from the options of trtexec that decide
what is computed. Source: polygraphy/tools/run and its help, 0.53.
"""

from __future__ import annotations

import tempfile
from collections.abc import Sequence
from pathlib import Path

from trexreport.collector.arguments import Argument
from trexreport.collector.causes import Failure
from trexreport.collector.process import run_logged
from trexreport.errors import MissingToolError, ToolFailedError
from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

PROGRAM = "polygraphy"
_HELP_TIMEOUT_S = 600.0
_NEEDED_OPTION = "--save-accuracy-results"
#: What the help of later versions has, which warn of "mark all".
_STAR = "Using '*' alone"
_HOW_TO_GET_IT = (
    "pip install polygraphy onnxruntime puts it beside TensorRT's Python bindings, which it needs. "
    "--accuracy-tool trtexec compares ranges without it, from TensorRT 10.13 on."
)
#: Options of trtexec that Polygraphy has under another name.
_SWITCHES = {
    "fp16": ("--fp16",),
    "bf16": ("--bf16",),
    "fp8": ("--fp8",),
    "int8": ("--int8",),
    "best": ("--fp16", "--int8"),
    "stronglyTyped": ("--strongly-typed",),
    "allowGPUFallback": ("--allow-gpu-fallback",),
    "useDLACore": ("--use-dla",),
    "noTF32": (),
}
_VALUES = {
    "calib": "--calibration-cache",
    "precisionConstraints": "--precision-constraints",
    "plugins": "--plugins",
    "staticPlugins": "--plugins",
    "dynamicPlugins": "--plugins",
}
_SHAPES = {
    "shapes": "--input-shapes",
    "minShapes": "--trt-min-shapes",
    "optShapes": "--trt-opt-shapes",
    "maxShapes": "--trt-max-shapes",
}
_TYPES = {"fp32": "float32", "fp16": "float16", "bf16": "bfloat16", "int8": "int8", "int32": "int32"}
#: They change how an engine is built or measured, but no value that it computes by much.
_WITHOUT_INFLUENCE = regex(
    r"timingCacheFile|noBuilderCache|profilingVerbosity|builderOptimizationLevel|avgTiming|maxTactics"
    r"|memPoolSize|workspace|tacticSources|maxAuxStreams|tilingOptimizationLevel|l2LimitForTiling|device|verbose"
    r"|useCudaGraph|noDataTransfers|useSpinWait|noCudaGraph|includeDataTransfers|noSpinWait|warmUp|duration"
    r"|iterations|avgRuns|percentile|streams|infStreams|threads|idleTime|sleepTime|persistentCacheRatio"
    r"|dump\w+|export\w+|separateProfileRun|exposeDMA|useManagedMemory|tempdir|tempfileControls"
)
_TENSOR = regex(r"(?:'[^']*'|[^,'])+")


@dataclass(frozen=True)
class Polygraphy:
    """What is known of the Polygraphy that is run.

    Attributes:
        takes_star: Whether `*` marks all tensors, as in later versions, in place of `mark all`.
    """

    takes_star: bool = True

    def words(
        self, model: str, results: str, arguments: Sequence[Argument], shapes: Argument | None
    ) -> tuple[str, ...]:
        """Return the words that start it.

        Args:
            model: Path of the ONNX model.
            results: Path of the file that it writes.
            arguments: Those that trtexec builds the engine with.
            shapes: The shapes that the engine is measured with; None for those of the model.
        """
        every = ("*",) if self.takes_star else ("mark", "all")
        words = [
            PROGRAM,
            "run",
            model,
            "--trt",
            "--onnxrt",
            "--trt-outputs",
            *every,
            "--onnx-outputs",
            *every,
        ]
        given = {each.name for each in arguments}
        if not given & {"noTF32", "stronglyTyped"}:
            # As trtexec does; Polygraphy by itself does not.
            words.append("--tf32")
        for argument in arguments:
            if argument.name not in _SHAPES:
                words += _translated(argument)
        ranges = {each.name: each for each in arguments if each.name in _SHAPES and each.name != "shapes"}
        for each in (shapes, *ranges.values()):
            if each is not None:
                words += [_SHAPES[each.name], *_shapes(each.value or "")]
        return (*words, "--compare", "snr", _NEEDED_OPTION, results)


def notes_on(arguments: Sequence[Argument]) -> tuple[str, ...]:
    """Return notes on options of trtexec that Polygraphy's engine is built without, and on its inputs."""
    left_out = dict.fromkeys(
        f"--{each.name}"
        for each in arguments
        if not _WITHOUT_INFLUENCE.fullmatch(each.name)
        and each.name not in _SHAPES
        and each.name not in _SWITCHES
        and not _translated(each)
    )
    notes = [f"Polygraphy compares without {', '.join(left_out)}."] if left_out else []
    names = {each.name for each in arguments}
    if names & {"int8", "best"} and "calib" not in names:
        notes.append(
            "Where the model has no Q/DQ nodes, Polygraphy calibrates INT8 with random inputs, whose errors "
            "differ from those with real ones; pass --calib=FILE."
        )
    return tuple(notes)


def ask_polygraphy(launcher: tuple[str, ...], timeout_s: float | None = None) -> Polygraphy:
    """Return what is known of the installed Polygraphy, which its help states, without a GPU.

    Args:
        launcher: The words before it, such as "ssh", "host"; empty for this machine.
        timeout_s: How long its answer may take.

    Raises:
        MissingToolError: It is not there, or has no such option.
    """
    with tempfile.TemporaryDirectory(prefix="trexreport-") as folder:
        log = Path(folder) / "help.log"
        try:
            run_logged([*launcher, PROGRAM, "run", "--help"], log, timeout_s=timeout_s or _HELP_TIMEOUT_S)
        except (MissingToolError, ToolFailedError):
            raise MissingToolError("polygraphy was not found.", _HOW_TO_GET_IT) from None
        output = " ".join(log.read_bytes().decode("utf-8", "replace").split())
    if "polygraphy" not in output.lower() or "usage" not in output.lower():
        raise MissingToolError("polygraphy was not found.", _HOW_TO_GET_IT)
    if _NEEDED_OPTION not in output:
        raise MissingToolError(
            f"This Polygraphy has no {_NEEDED_OPTION}.", "0.53 has it: pip install --upgrade polygraphy."
        )
    return Polygraphy(takes_star=_STAR in output)


def _translated(argument: Argument) -> list[str]:
    """Return an option of trtexec in Polygraphy's words; empty if it has none."""
    name, value = argument.name, argument.value or ""
    if name in _SWITCHES:
        return list(_SWITCHES[name])
    if name in _VALUES:
        return [_VALUES[name], value]
    if name == "sparsity" and value != "disable":
        return ["--sparse-weights"]
    if name == "layerPrecisions":
        pairs = [each.rpartition(":") for each in _TENSOR.findall(value)]
        if pairs and all(layer and kind in _TYPES for layer, _, kind in pairs) and "*" not in value:
            return ["--layer-precisions", *(f"{_plain(layer)}:{_TYPES[kind]}" for layer, _, kind in pairs)]
    return []


def _shapes(value: str) -> list[str]:
    """Return "x:1x3,y:scalar" as Polygraphy writes it: "x:[1,3]", "y:[]"."""
    found = []
    for tensor in _TENSOR.findall(value):
        name, _, sizes = tensor.rpartition(":")
        numbers = "" if sizes in {"", "scalar"} else ",".join(sizes.split("x"))
        found.append(f"{_plain(name)}:[{numbers}]")
    return found


def _plain(name: str) -> str:
    return name[1:-1] if len(name) > 1 and name[0] == name[-1] == "'" else name


_MISSING_MODULE = regex(r"Module: '(\w+)' is required")
_SHOWN = regex(r"\[(?:E|!)\] (.*)")
_MOST_LINES = 6


def explain_comparison(log: str, status: int) -> Failure:
    """Return why Polygraphy failed, from its log."""
    lines = tuple(dict.fromkeys(match[1].strip() for match in _SHOWN.finditer(log)))
    lines = tuple(each for each in lines if not each.startswith("FAILED |"))[:_MOST_LINES]
    missing = _MISSING_MODULE.search(log)
    if missing:
        return Failure(
            f"Polygraphy needs the Python package {missing[1]}.",
            f"Install it beside Polygraphy: pip install {missing[1]}.",
            lines,
        )
    return Failure(f"polygraphy failed with exit status {status}.", "", lines)

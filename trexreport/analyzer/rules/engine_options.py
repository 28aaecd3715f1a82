"""Rules on the options that an engine was built and run with, which change with TensorRT's versions.

Source: trtexec's own option parsers, sampleOptions.cpp of 8.4 to 11.1.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.analyzer.end_to_end import WARM_UP
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, rule

_TYPED = "types in the ONNX file, which AutoCast of TensorRT Model Optimizer sets"
_QUANTIZED = "Q/DQ nodes in the ONNX file, which TensorRT Model Optimizer adds"
#: Flag to what takes its place in TensorRT 11.
_REMOVED = {
    "--fp16": _TYPED,
    "--bf16": _TYPED,
    "--best": _TYPED,
    "--int8": _QUANTIZED,
    "--fp8": _QUANTIZED,
    "--int4": _QUANTIZED,
    "--calib": _QUANTIZED,
    "--layerPrecisions": _TYPED,
    "--layerOutputTypes": _TYPED,
    "--precisionConstraints": _TYPED,
    "--workspace": "--memPoolSize=workspace:N",
    "--buildOnly": "--skipInference",
    "--nvtxMode": "--profilingVerbosity",
    "--minTiming": "--avgTiming",
    "--heuristic": "--builderOptimizationLevel=2",
    "--explicitBatch": "nothing: the batch is always explicit",
}
#: Type among those that the builder was allowed to the flag that allowed it.
_FLAG_OF_TYPE = {
    "FP16": "--fp16",
    "BF16": "--bf16",
    "INT8": "--int8",
    "FP8": "--fp8",
    "INT4": "--int4",
}
_IO_TYPE = re.compile(r"--(?:input|output)IOFormats=\S*:")
_WORKSPACE = re.compile(r"--memPoolSize=(?:\S{0,400},)?workspace:([0-9.]+)([A-Za-z]+)", re.ASCII)
_FLAG = re.compile(r"--[A-Za-z0-9]+")
_UNSET = re.compile(
    r"(--(?:fp16|bf16|int8|fp8|int4|best|noTF32|useCudaGraph|noDataTransfers|useSpinWait))=\S+"
)
_FIRST_WITHOUT = (11, 0)


@rule(
    "TRX905",
    "engine.removed-flags",
    "info",
    many="TensorRT 11 no longer takes options that were used, {count} times.",
    needs=("build-options",),
    section="build",
)
def removed_flags(context: Context) -> Iterator[Hit]:
    """The engine was built with options that TensorRT 11 no longer takes.

    Cost:
        From TensorRT 11 on the types in the network decide the precision: --fp16, --int8 and the like, and
        calibration, are gone, and trtexec refuses a command line that has them. 10.16 warns of them.

    Advice:
        Move to a strongly typed network while both ways work: from 9.x on --stronglyTyped takes the types
        from the ONNX file. Cast it to FP16 or BF16 where accuracy allows, and put Q/DQ nodes where INT8 or
        FP8 is wanted. Then compare accuracy and times with this engine.

    False alarm:
        The engine stays on TensorRT 10 or older.

    Bound:
        None: it concerns the next upgrade, not the time.
    """
    if context.version is not None and context.version >= _FIRST_WITHOUT:
        return
    used = [_FLAG_OF_TYPE[name] for name in _FLAG_OF_TYPE if name in context.asked_precisions]
    words = [word for command in context.analysis.commands for word in command.split()]
    used += [found.group() for word in words if (found := _FLAG.match(word)) and found.group() in _REMOVED]
    replaced = {flag: _REMOVED[flag] for flag in dict.fromkeys(used)}
    for key, flag in (("Calibration", "--calib"), ("LayerPrecisions", "--layerPrecisions")):
        if context.build_option(key):
            replaced[flag] = _REMOVED[flag]
    if any(_IO_TYPE.match(word) for word in words):
        replaced["types in --inputIOFormats and --outputIOFormats"] = "layouts alone, such as chw"
    if replaced:
        flags = ", ".join(replaced)
        labels = {flag[:1].upper() + flag[1:]: instead for flag, instead in replaced.items()}
        yield Hit(f"TensorRT 11 no longer takes {flags}.", (), None, labels)


@rule(
    "TRX906",
    "engine.version-advice",
    "warning",
    many="{count} options mean something else in this version of TensorRT.",
    needs=("version",),
    section="build",
)
def version_advice(context: Context) -> Iterator[Hit]:
    """An option means something else in this version of TensorRT.

    Cost:
        A workspace of a few bytes rules out most fast kernels without a word. A flag set to 0 that turns
        something on, or one that has no effect any more, makes an engine another one than was meant.

    Advice:
        Write the workspace as a plain number, which is MiB in every version (--memPoolSize=workspace:4096).
        Leave flags out instead of setting them to 0. With --exportProfile up to TensorRT 10 always add
        --separateProfileRun, or there are no end-to-end times.

    False alarm:
        The workspace was meant to be so small; or the network needs none.

    Bound:
        None: only another build tells.
    """
    version = context.version or (0, 0)
    for command in context.analysis.commands:
        if (found := _WORKSPACE.search(command)) and (meaning := _workspace(found[1], found[2], version)):
            yield Hit(f"{found.group()} is {meaning} in this version.", (), None, {"Option": found.group()})
        for found in _UNSET.finditer(command):
            message = f"{found.group()} turns {found.group(1)} on: trtexec ignores the value of such a flag."
            yield Hit(message, (), None, {"Option": found.group()})
        if (9, 0) <= version < _FIRST_WITHOUT and "--stronglyTyped" in command:
            for flag in _FLAG.findall(command):
                if flag in _FLAG_OF_TYPE.values():
                    message = f"{flag} has no effect beside --stronglyTyped: the network's types decide."
                    yield Hit(message, (), None, {"Option": flag}, severity="info")
        if _loses_times(context, command, version):
            yield Hit(
                "trtexec wrote no end-to-end times: up to TensorRT 10 this takes --separateProfileRun.",
                severity="info",
            )
    if WARM_UP in context.analysis.measurement_warnings:
        yield Hit(WARM_UP, severity="info")


def _workspace(amount: str, unit: str, version: tuple[int, int]) -> str:
    """Return what a workspace with a unit means where it is not what it says, else an empty text."""
    if version < (10, 0):
        is_mebibytes = unit.upper() in {"M", "MB", "MIB"}
        return "" if is_mebibytes else f"{amount} MiB: up to TensorRT 9 the unit is ignored"
    if version == (10, 0):
        return "far more than it says: TensorRT 10.0 applies the unit twice"
    if len(unit) > 1 and unit[-1] in "Bb":
        return f"{amount} bytes: only the last letter of the unit counts"
    return ""


def _loses_times(context: Context, command: str, version: tuple[int, int]) -> bool:
    """Tell whether a run was meant to measure both layers and queries and could only do the first."""
    return (
        (8, 4) <= version < _FIRST_WITHOUT
        and ("--exportProfile" in command or "--dumpProfile" in command)
        and "--separateProfileRun" not in command
        and context.analysis.latency.end_to_end is None
    )

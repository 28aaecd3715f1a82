"""Say in one line why a run of trtexec failed, from its log and its exit status."""

from __future__ import annotations

import re
import signal
from collections.abc import Sequence

from trexreport.collector.flags import Stage
from trexreport.lazy_dataclass import dataclass
from trexreport.reader.trtexec_lines import Record, split_log
from trexreport.regex import regex

_MOST_LINES = 6
#: What is written past trtexec's logger, by the CUDA runtime, the loader, a container's or ssh's client.
_BARE = regex(
    r"Cuda failure|Cannot find any available devices|terminate called|what\(\):|Segmentation fault|Killed"
    r"|error while loading shared libraries|docker: |Error response from daemon|ssh: |Permission denied"
    r"|No space left|not found"
)


@dataclass(frozen=True)
class _Cause:
    """What a text in a log means; the message names groups of the pattern, which ignores case."""

    pattern: str
    message: str
    hint: str = ""


#: What explains most comes first. Texts of trtexec, of TensorRT 8.4 to 11, of its ONNX parser and of CUDA.
_CAUSES = (
    _Cause(
        r"Unknown option: (?P<option>\S+)",
        "trtexec does not know {option}.",
        "trexreport passes flags on that it does not know: is it spelled right, and of this version?",
    ),
    _Cause(
        r"driver version is insufficient",
        "The GPU driver is too old for this CUDA, or there is none.",
        "nvidia-smi shows the driver and the newest CUDA that it can serve.",
    ),
    _Cause(
        r"no CUDA-capable device|Cannot find any available devices|CUDA_ERROR_NO_DEVICE|"
        r"could not select device",
        "There is no GPU that trtexec could use.",
        "Check nvidia-smi; a container needs --gpus all.",
    ),
    _Cause(
        r"No space left on device|Disk quota exceeded",
        "The disk is full.",
        "Make room, or give a folder on another disk.",
    ),
    _Cause(
        r"incompatible device|different model of device",
        "The engine was built for another kind of GPU.",
        "Build it again on this one; --hardwareCompatibilityLevel makes engines for several.",
    ),
    _Cause(
        r"expecting library version (?P<here>[\d.]+\d) got (?P<there>[\d.]+\d)",
        "The engine is of TensorRT {there}, and this trtexec is of {here}.",
        "Build it again with this one, or measure it with that one.",
    ),
    _Cause(
        r"Version tag does not match|not compatible with this version of TensorRT|"
        r"(?:stdVersionRead|serializedVersion|safeVersionRead) ==|Serialization assertion",
        "The engine was built by another version of TensorRT, or is damaged.",
        "Build it again with this one.",
    ),
    _Cause(
        r"out of memory|OutOfMemory|bad_alloc|could not be allocated|cudaErrorMemoryAllocation",
        "There was not enough memory.",
        "Free some (nvidia-smi shows who holds the GPU's), or lower it with --memPoolSize=workspace:MIB "
        "or smaller shapes.",
    ),
    _Cause(
        r"Error opening engine file|Could not open file|Failed to open file",
        "trtexec could not open a file.",
        "A container or another machine must see it under the same path.",
    ),
    _Cause(
        r"(?:[Cc]ould not find|Unable to find|Cannot find) plugin:? *(?P<plugin>[A-Za-z_]\w*)",
        "The plugin {plugin}, which the model or the engine needs, was not found.",
        "Give its library with --staticPlugins=FILE.",
    ),
    _Cause(
        r"(?:No importer registered for op|Op type not supported|Unsupported operator):? *(?P<op>\w+)",
        "TensorRT knows no operator {op}, which the model uses.",
        "Give the library of its plugin with --staticPlugins, or export the model without it.",
    ),
    _Cause(
        r"Plugin not found|Cannot find plugin|could not find plugin|plugin creator .* not found",
        "A plugin that the model or the engine needs was not found.",
        "Give its library with --staticPlugins=FILE.",
    ),
    _Cause(
        r"Static model does not take explicit shapes",
        "The inputs of this model have fixed sizes, so it takes no shapes.",
        "Leave --shapes, --minShapes, --optShapes and --maxShapes out.",
    ),
    _Cause(
        r"Required optimization profile is invalid",
        "The shapes make no valid optimization profile.",
        "Each size of --minShapes may at most be that of --optShapes, and that at most that of --maxShapes.",
    ),
    _Cause(
        r"Cannot create DLA engine, (?P<core>\d+) not available",
        "There is no DLA core {core}.",
        "Leave --useDLACore out; only Jetson and DRIVE have DLA cores.",
    ),
    _Cause(
        r"Selected profile index (?P<index>\d+) exceeds",
        "The engine has no optimization profile {index}.",
        "Profiles count from 0; give another --useProfile.",
    ),
    _Cause(
        r"Set optimization profile failed|setOptimizationProfile.*(?:profileIndex|Profile index)",
        "The engine has no such optimization profile, or it can't be used.",
        "Profiles count from 0; give another --useProfile.",
    ),
    _Cause(
        r"illegal memory access|misaligned address|illegal instruction|unspecified launch failure"
        r"|Final synchronize failed",
        "A kernel failed on the GPU: it accessed memory that is not its own, or executed an invalid "
        "instruction.",
        "A plugin may be the cause: compute-sanitizer names the kernel. Without plugins try another version "
        "of TensorRT.",
    ),
    _Cause(
        r"Saving engine to file failed|Cannot write to FileStreamWriter|Cannot open .* for writing"
        r"|Could not write",
        "trtexec could not write a file.",
        "Check the room on the disk and the permissions of the folder.",
    ),
    _Cause(
        r"Unable to open library|Could not load library",
        "A library could not be loaded.",
        "Check its path, and that it was built for this version of TensorRT.",
    ),
    _Cause(
        r"no optimization profile has been defined|dynamic or shape inputs",
        "The model has dynamic shapes and none were given.",
        "Give --shapes=INPUT:1x3x224x224, or --minShapes, --optShapes and --maxShapes.",
    ),
    _Cause(
        r"(?:Static dimension mismatch|does not satisfy any optimization profiles|"
        r"supplied .* dimensions|Cannot find input tensor with name|does not exist in the network|"
        r"input shapes? .* (?:invalid|inconsistent))",
        "The shapes do not fit the model or the engine.",
        "Check the names and sizes in --shapes; an engine takes those of its optimization profile.",
    ),
    _Cause(
        r"Failed to parse onnx file|Failed to parse ONNX|ModelImporter|onnx2trt",
        "The ONNX model can't be parsed.",
        "Check it with onnx.checker; the lines below say where.",
    ),
    _Cause(
        r"Could not find any implementation for node (?P<node>\S+)",
        "TensorRT found no kernel for {node}.",
        "More memory with --memPoolSize=workspace:MIB may help.",
    ),
    _Cause(
        r"Attempting to access an empty engine|Engine could not be created|Building engine failed|"
        r"Created engine with size: 0 MiB",
        "The engine could not be built.",
        "--verbose shows more of it in the log.",
    ),
    _Cause(
        r"error while loading shared libraries: (?P<library>\S+):",
        "trtexec lacks a library: {library}.",
        "Put TensorRT's folder of libraries into LD_LIBRARY_PATH.",
    ),
    _Cause(
        r"docker: |Error response from daemon|Cannot connect to the Docker daemon",
        "The container could not be started.",
    ),
    _Cause(r"ssh: |Permission denied \(publickey", "The other machine could not be reached over ssh."),
    _Cause(r"^(?:stoi|stof)$", "trtexec could not read a number in a value.", "Check the flags."),
)


#: What the same texts mean where no engine is loaded.
_BUILD_CAUSES = (
    _Cause(
        r"Version tag does not match|Magic tag does not match|Serialization assertion"
        r"|(?:stdVersionRead|serializedVersion|magicTagRead) ==|deserializ\w* .*timing ?cache"
        r"|timing ?cache.*(?:deserializ|corrupt|invalid)",
        "The timing cache is damaged, or is of another version of TensorRT.",
        "Remove timing.cache from the folder, or the file of --timingCacheFile.",
    ),
)


@dataclass(frozen=True)
class Failure:
    """Why a run failed.

    Attributes:
        message: One sentence.
        hint: What to do about it; may be empty.
        lines: The lines of the log that say most, without their time.
    """

    message: str
    hint: str
    lines: tuple[str, ...]


def explain_failure(log: str, status: int, stage: Stage | None = None) -> Failure:
    """Return the likeliest cause of a failure.

    Args:
        log: What the run printed.
        status: Its exit status, negative for a signal.
        stage: What the run was for, if it is known: a build loads no engine.
    """
    lines = _all_error_lines(log) or tuple(each.text.strip() for each in _stated(log)[-2:])
    causes = (*_BUILD_CAUSES, *_CAUSES) if stage is Stage.BUILD else _CAUSES
    return _explained(lines, causes) or Failure(*_by_status(status), lines[:_MOST_LINES])


def explain_errors(log: str) -> Failure:
    """Return what the errors in a log say, though the run ended as if nothing was wrong."""
    lines = _all_error_lines(log)
    return _explained(lines, _CAUSES) or Failure("", "", lines[:_MOST_LINES])


def error_lines(log: str) -> tuple[str, ...]:
    """Return the first lines of a log that say what went wrong, each once."""
    return _all_error_lines(log)[:_MOST_LINES]


def _all_error_lines(log: str) -> tuple[str, ...]:
    found = [
        each.text.strip()
        for each in _stated(log)
        if each.severity in {"E", "F"} or (not each.severity and _BARE.search(each.text))
    ]
    return tuple(dict.fromkeys(found))


def _explained(lines: tuple[str, ...], causes: Sequence[_Cause]) -> Failure | None:
    """Return the first cause that any of the lines shows; its line is among those that are kept."""
    for cause in causes:
        pattern = re.compile(cause.pattern, re.IGNORECASE)
        for index, line in enumerate(lines):
            if match := pattern.search(line):
                kept = lines[:_MOST_LINES] if index < _MOST_LINES else (line, *lines[: _MOST_LINES - 1])
                return Failure(cause.message.format(**match.groupdict()), cause.hint, kept)
    return None


def _stated(log: str) -> list[Record]:
    return [each for each in split_log(log) if isinstance(each, Record) and each.text.strip()]


def _by_status(status: int) -> tuple[str, str]:
    """Return the cause that the exit status alone implies; a shell reports signal N as 128 + N."""
    number = -status if status < 0 else status - 128
    if status == 127:
        return "trtexec was not found by the shell that starts it.", "Check the command."
    if number == signal.SIGKILL:
        return (
            "trtexec was killed, probably because the machine ran out of memory.",
            "Free some, or use smaller shapes.",
        )
    if number in set(signal.Signals):
        name = signal.Signals(number).name
        return f"trtexec crashed ({name}).", "--verbose shows more of it in the log."
    return f"trtexec failed with exit status {status}.", ""

"""Say in one line why a run of trtexec failed, from its log and its exit status."""

from __future__ import annotations

import re
import signal
from dataclasses import dataclass

from trexreport.reader.trtexec_lines import Banner, Record, split_log

_MOST_LINES = 6
#: What is written past trtexec's logger, by the CUDA runtime, the loader, a container's or ssh's client.
_BARE = re.compile(
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
    _Cause(r"No space left on device", "The disk is full.", "Make room, or give a folder on another disk."),
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


def explain_failure(log: str, status: int) -> Failure:
    """Return the likeliest cause of a failure."""
    lines = error_lines(log) or tuple(each.text.strip() for each in _stated(log)[-2:])
    return _explained(lines) or Failure(*_by_status(status), lines)


def explain_errors(log: str) -> Failure:
    """Return what the errors in a log say, though the run ended as if nothing was wrong."""
    lines = error_lines(log)
    return _explained(lines) or Failure("", "", lines)


def error_lines(log: str) -> tuple[str, ...]:
    """Return the lines of a log that say what went wrong, each once."""
    found = [
        each.text.strip()
        for each in _stated(log)
        if each.severity in {"E", "F"} or (not each.severity and _BARE.search(each.text))
    ]
    return tuple(dict.fromkeys(found))[:_MOST_LINES]


def _explained(lines: tuple[str, ...]) -> Failure | None:
    """Return the first cause that any of the lines shows."""
    for cause in _CAUSES:
        for line in lines:
            if match := re.search(cause.pattern, line, re.IGNORECASE):
                return Failure(cause.message.format(**match.groupdict()), cause.hint, lines)
    return None


def _stated(log: str) -> list[Record]:
    return [each for each in split_log(log) if isinstance(each, Record) and each.text.strip()]


def warnings_of(log: str) -> list[str]:
    """Return what a log warns of, each once, a warning over several lines as one."""
    found: list[str] = []
    for each in split_log(log):
        if isinstance(each, Banner) or each.severity != "W":
            continue
        if each.text.startswith("  ") and found:
            found[-1] += f" {each.text.strip()}"
        else:
            found.append(each.text.strip().removeprefix("* "))
    return list(dict.fromkeys(found))


#: What trtexec says when it builds, and when it loads an engine; no blank follows the second's name.
_OVERRIDDEN = re.compile(
    r"(?:Dynamic dimensions required for input: ?(?P<built>.+?), but no shapes were provided.*"
    r"|Shape missing for input with dynamic shape: (?P<loaded>.+?) ?Automatically setting shape to): ?"
    r"(?P<shape>[\dx]+)"
)


def notes_on_log(log: str) -> list[str]:
    """Return what the user should know from the log of a run that went well."""
    found = (_OVERRIDDEN.search(warning) for warning in warnings_of(log))
    taken = ((match["built"] or match["loaded"], match["shape"]) for match in found if match)
    return [
        f"The model has dynamic shapes and none were given: trtexec took {shape} for {name}. "
        f"Give --shapes={name}:…, or --minShapes, --optShapes and --maxShapes."
        for name, shape in taken
    ]


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

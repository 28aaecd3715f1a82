"""Say why a run of trtexec failed, and what to do about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from trexreport.model.commands import precisions_of_commands
from trexreport.numbers import format_count, join_names, middle_ellipsis
from trexreport.reader.error_causes import remedies
from trexreport.reader.first_cause import Explained, first_cause
from trexreport.reader.memory_shortage import (
    allocation_shortage,
    is_short_of_memory,
    tactics_shortage,
    workspace_option,
)
from trexreport.reader.trtexec_lines import without_colors
from trexreport.regex import regex

#: What the builder times, one part after the other, in a verbose log; the last one is at work at a crash.
_AT_WORK = "--------------- Timing Runner: "
_COSTS = "=============== Computing costs for "
_VERBOSE = regex(r"--verbose\b|\] \[V\] ")
_FORMATS = "*************** Autotuning format combination: "
_RUNNER = regex(r"(.{1,4000}) \(\w+(?:\[0x[0-9a-f]+\])?\)", re.ASCII)
_TYPE = regex(r"\w+(?=\()", re.ASCII)
#: Options that a version of trtexec removed, and what takes their place.
_REMOVED = (
    (
        regex(r"--(?:best|calib|fp16|int8|precisionConstraints)\b"),
        (
            "From TensorRT 11 on the types in the ONNX model decide: leave the option out, and set them with "
            "AutoCast of ModelOpt, or with Q/DQ nodes for INT8 and FP8."
        ),
    ),
    (regex(r"--workspace\b"), "From TensorRT 10 on it is --memPoolSize=workspace:MIB."),
    (regex(r"--buildOnly\b"), "From TensorRT 10 on it is --skipInference."),
    (regex(r"--explicitBatch\b"), "Leave it out: from TensorRT 10 on the batch is always explicit."),
)
_LOW = regex(r"--(?:fp16|bf16|best)\b")
#: Before what the parser says of the node at which it stopped, and the reason, on one line or two.
_PARSING = "While parsing node number "
_IN_PARSER = regex(r"In function (?:parse|import)\w{0,80}:", re.ASCII)
_REASON = regex(
    r"^[ \t]*\[\d{1,2}\] (.{1,400}(?:\n(?!\s*\[(?:\d\d/|[VIWE]\]))[^\n]{1,400})?)",
    re.MULTILINE | re.ASCII,
)
_MOST_AFTER = 8000
#: An operator that the parser does not know may be that of a plugin, which it looks for under its name.
_NO_IMPORTER = regex(r"No importer registered for op: (\w{1,200})", re.ASCII)
_NO_PLUGIN = regex(r"find plugin:? *(\w{1,200})", re.ASCII)
#: How the parser lists that node.
_NODE, _NODE_ENDS = "--- Begin node ---", "--- End node ---"
_NODE_LINE = regex(r'^(input|name|op_type): "([^"\n]{1,1000})"', re.MULTILINE)
_MOST_INPUTS = 4
#: What Polygraphy logs of --trt-outputs.
_MARKED = regex(r"\bMarking (\d{2,9}) tensors as outputs", re.ASCII)
_ARTICLES = ("Shapes ", "The ", "There ", "A ", "An ", "This ", "Sizes ")
_NUMBERED = regex(
    r"^(?:\d{1,2}: |Error\[\d{1,2}\]: |Could not find any implementation for node )|Error Code \d"
    r"|\.cpp \(\d{1,5}\) - \w{1,40} Error in |^(?:INVALID|UNSUPPORTED|FAILED|INTERNAL)_\w{1,40}: "
    r"|not compatible with this version of TensorRT",
    re.ASCII,
)
OF_PROGRAM = "The program failed"
#: Of programs that use TensorRT, and of what ends them.
_OF_PROGRAM = regex(
    r"^what\(\): |^Non-zero status code|ONNXRuntimeError"
    r"|^[\w.]{0,99}(?:Error|Exception): |Killed\b|^exit|^DUE TO|^timed out|\binfer_trtis_server\.cpp:"
    r"|^(?:\S{1,80}\.cpp:\d{1,5} )?[Ff]ailed to (?:build|get|create|parse) ",
    re.ASCII,
)
_STICKY = regex(
    r"Skipping tactic[^\n]{1,200}?(illegal memory access|misaligned address|illegal instruction"
    r"|unspecified launch failure|launch timed out)"
)
#: The option for a larger workspace in a remedy, which depends on the version.
_WORKSPACE = "--memPoolSize=workspace:MIB"
#: Names and errors may be as long as a network.
_LONGEST_NAME, _LONGEST_ERROR = 160, 400
#: Lines of trtexec and of a shell that only repeat that something before them failed.
REPEATS = regex(
    r"Engine set ?up failed|Building engine failed|Failed to create engine|Inference set ?up failed"
    r"|Parsing model failed|Engine could not be created|Failed to parse (?:onnx|ONNX) file"
    r"|terminate called after|Segmentation fault|.{0,400}terminated by signal SIG"
    r"|(?:\S{1,200}: line \d{1,6}: +\d{1,9} )?(?:Aborted|Killed)\b"
)


class WhyFailed(NamedTuple):
    """Why a run failed: a clause such as "TensorRT found no kernel for a", the error, and a remedy."""

    cause: str
    error: str
    remedy: str


def why_failed(text: str, errors: Sequence[str], commands: Iterable[str], version: str) -> WhyFailed:
    """Return why a run failed, as far as its errors are known.

    Args:
        text: The log.
        errors: Its errors, in order.
        commands: Its command lines.
        version: TensorRT's, or an empty text.

    Returns:
        The cause and the remedy may be empty, as may be the error of a log without one.
    """
    text = without_colors(text)
    node, reason = _parsed(text)
    commands = list(commands)
    errors = [error for error in errors if _NODE not in error and _NODE_ENDS not in error]
    stated = [*errors, *_unknown_operators(text, errors), *filter(None, (node, reason))]
    first = [error for error in stated if not REPEATS.match(error)] or stated
    found = first_cause(stated)
    if found is None:
        return WhyFailed("", _shown(first[0]) if first else "", "")
    known = remedies()
    other_kernel, other_form, no_memory = (
        known[each] for each in ("other-kernel", "other-form", "no-memory")
    )
    cause, remedy, error = found.message.rstrip("."), found.hint, stated[found.line]
    before = text[: text.find(error) + 1] or text
    at_work = _last_timed(before) if found.at_work else ""
    if not at_work and found.at_work == "timed or costed":
        at_work = _last_costs(before)
    cause += at_work or _at_node(text, found)
    if remedy in {other_kernel, other_form} and (sticky := _STICKY.search(text)):
        # After such an error no call of CUDA succeeds.
        cause += f", after a kernel failed on the GPU while tactics were timed ({sticky[1]})"
        remedy = known["failed-kernel"]
    if remedy == known["more-in-log"] and _VERBOSE.search("\n".join((*commands, text))):
        remedy = ""
    command, shortage = " ".join(commands), None
    if remedy == no_memory:
        shortage = allocation_shortage(text, command, version)
    elif remedy in {other_kernel, other_form} and is_short_of_memory(text):
        shortage = tactics_shortage(text, command, version)
    if shortage is not None:
        cause += shortage.clause
    if remedy == known["unknown-option"]:
        remedy = next((text for option, text in _REMOVED if option.search(error)), remedy)
    if remedy == other_kernel:
        remedy = _other_kernel(command, version, text)
    elif remedy == other_form and precisions_of_commands(commands, version) == "FP32":
        remedy = known["other-form-in-fp32"]
    if found.hint in {other_form, other_kernel, no_memory} and (marked := _MARKED.search(text)):
        cause += f", with {format_count(int(marked[1]))} tensors marked as outputs"
        remedy = f"{known['only-wanted-outputs']} Else: {remedy}"
    if shortage is not None:
        remedy = f"{shortage.remedy} Else: {remedy}" if found.hint == other_form else shortage.remedy
    if not reason and _PARSING in error:
        # What stopped the parser may be an error of TensorRT before it.
        reason = next((each for each in errors if _NUMBERED.search(each)), "")
    if reason and (_PARSING in error or REPEATS.match(error)):
        error = reason
    elif REPEATS.match(error):
        error = first[0]
    if cause.startswith(_ARTICLES):
        cause = cause[0].lower() + cause[1:]
    return WhyFailed(middle_ellipsis(cause, _LONGEST_ERROR), _shown(error), remedy)


def says_of_error(errors: Sequence[str]) -> str:
    """Return that TensorRT reports an error whose cause is known, or that its program failed, or nothing."""
    if first_cause(errors) is None:
        return ""
    if any(map(_NUMBERED.search, errors)):
        return "TensorRT reports an error"
    return OF_PROGRAM if any(map(_OF_PROGRAM.search, errors)) else ""


def _parsed(text: str) -> tuple[str, str]:
    """Return what the ONNX parser says of a node at which it stopped: which one, and why; empty without.

    TensorRT 6 writes both past the logger, later versions the reason on the next lines of a message.
    """
    start = text.find(_PARSING)
    if start < 0:
        # An excerpt may begin behind the line that names the node.
        found = _IN_PARSER.search(text)
        reason = _REASON.search(text, found.end(), found.end() + _MOST_AFTER) if found else None
        return "", reason[1] if reason else ""
    end = text.find("\n", start)
    reason = _REASON.search(text, end, end + _MOST_AFTER) if end >= 0 else None
    return text[start : end if end >= 0 else None].strip(), reason[1] if reason else ""


def _unknown_operators(text: str, errors: Iterable[str]) -> Iterator[str]:
    """Yield what the parser says of operators that it does not know, and for which there is no plugin."""
    missing = {name for error in errors for name in _NO_PLUGIN.findall(error)}
    for found in _NO_IMPORTER.finditer(text):
        if found[1] in missing:
            yield found[0]


def _at_node(text: str, found: Explained) -> str:
    """Return ", for /Tile (Tile), which reads A and B": the node at which the parser stopped, as it lists it.

    The cause may name another node, which computes what this one reads. Empty if the cause names this one.
    """
    start = text.find(_NODE)
    if start < 0:
        return ""
    lines = text[start : start + _MOST_AFTER].partition(_NODE_ENDS)[0]
    stated: dict[str, list[str]] = {}
    for key, value in _NODE_LINE.findall(lines):
        stated.setdefault(key, []).append(value)
    name, kind = ("".join(stated.get(key, [])[:1]) for key in ("name", "op_type"))
    shown = f"{name} ({kind})" if name and kind else name or kind
    if not shown or (name and f"{name} " in f"{found.message} "):
        return ""
    inputs = join_names([each for each in stated.get("input", []) if each][:_MOST_INPUTS])
    reads = f", which reads {inputs}" if inputs else ""
    return f", for {middle_ellipsis(shown, _LONGEST_NAME)}{middle_ellipsis(reads, _LONGEST_NAME)}"


def _last_timed(text: str) -> str:
    """Return ", at X with inputs of Half": what a verbose log of the build timed last; else an empty text."""
    start = text.rfind(_AT_WORK)
    line = text[start + len(_AT_WORK) : text.find("\n", start)] if start >= 0 else ""
    found = _RUNNER.match(line)
    if not found:
        return ""
    before = text.rfind(_FORMATS, 0, start)
    formats = text[before + len(_FORMATS) : text.find("\n", before)] if before >= 0 else ""
    types = dict.fromkeys(_TYPE.findall(formats.partition(" -> ")[0]))
    of = f" with {', '.join(types)} inputs" if types else ""
    return f", at {middle_ellipsis(found[1], _LONGEST_NAME)}{of}"


def _last_costs(text: str) -> str:
    """Return ", at X": the layer whose costs a verbose log of the build computed last; else an empty text."""
    start = text.rfind(_COSTS)
    line = text[start + len(_COSTS) :].partition("\n")[0].strip() if start >= 0 else ""
    return f", at {middle_ellipsis(line, _LONGEST_NAME)}" if line else ""


def _other_kernel(command: str, version: str, text: str) -> str:
    """Return what lets the builder find a kernel where it found none."""
    if "--int8" in command and not _LOW.search(command):
        return "INT8 alone was allowed: add --fp16, so that layers without an INT8 kernel have another."
    return remedies()["other-kernel"].replace(_WORKSPACE, workspace_option(version, text=text))


def _shown(error: str) -> str:
    return middle_ellipsis(" ".join(error.split()), _LONGEST_ERROR)

"""Split a trtexec log into records: component, severity and message."""

from __future__ import annotations

import re
from collections.abc import Iterator

from trexreport.lazy_dataclass import dataclass
from trexreport.regex import regex

# Colors and hyperlinks that terminals and CI systems weave into a log.
_ESCAPES = regex(r"\x1b(?:\[[0-9;?]*[A-Za-z]|\][^\x07\x1b]*(?:\x07|\x1b\\))")
# Only these end a line: a layer's name may hold other separators that str.splitlines() would split at.
_LINE_ENDS = regex(r"\r\n|\n|\r")
# trtexec writes the severity before "[TRT]", programs that use TensorRT's own logger write it after.
_RECORD = regex(
    r"(?:\[\d\d/\d\d/\d{4}-\d\d:\d\d:\d\d\] |^)(\[TRT\] )?\[([VIWEF])\]( \[TRT\])?(?: |$)", re.ASCII
)
#: Loggers that write the level first: DeepStream ("ERROR: [TRT]: "), Torch-TensorRT ("ERROR: [Torch-TensorRT]
#: - ", "ERROR:torch_tensorrt [TensorRT Conversion Context]:"), ONNX Runtime and onnx-tensorrt, which pad it
#: ("[2024-01-01 00:00:00   ERROR] "), Triton ("E0101 00:00:00.000000 1 logging.cc:43] ") and samples
#: ("ERROR: 1: [file.cpp::function::1] Error Code 1: ", "ERROR: file.cpp (1) - Cuda Error in ",
#: "WARNING: Default DLA is enabled but layer "). Errors without a message of TensorRT behind them are of
#: ONNX Runtime, DeepStream, or its part for Triton.
LEADING_LEVEL = (
    r"(?:(?:VERBOSE|DEBUG|INFO|WARNING|(?:INTERNAL_)?ERROR):"
    r"(?: ?\[(?:TRT|Torch-TensorRT[^\]\n]{0,80})\](?::| -)(?: |$)"
    r"|torch_tensorrt \[TensorRT Conversion Context\]:"
    r"| (?=(?:\d{1,2}: )?\[[^\]\n]{1,200}\] Error Code \d|\S{1,200}\.cpp \(\d{1,5}\) - \w{1,40} Error in "
    r"|Default DLA is enabled but layer |infer_trtis_server\.cpp:\d"
    r"|(?:\S{1,80}\.cpp:\d{1,5} )?(?:[Ff]ailed to (?:build|get|create|parse) |\w{5,12} engine failed )))"
    r"|\[[EF]:onnxruntime:[^\]\n]{0,300}\] (?!\[\d{4}-)"
    r"|\[\d{4}-\d\d-\d\d \d\d:\d\d:\d\d (?:VERBOSE|WARNING|  ERROR|   INFO)\] "
    r"|[IWE]\d{4} \d\d:\d\d:\d\d\.\d{1,9} +\d{1,9} logging\.cc:\d{1,5}\] \"?)"
)
_LEVEL = regex(r"[IWE](?=\d)|[EF](?=:onnx)|[A-Z_]{4,}", re.ASCII)
#: What loggers write before a message of TensorRT: trtexec, TensorRT's Python bindings of 7 ("[TensorRT]
#: VERBOSE: ") and later ("[TRT] [V] "), jetson-inference ("[TRT]    "), Polygraphy and samples ("[V] "),
#: loggers of other programs ("12:00:00 - DEBUG - ", "[INFO] [TensorRT] "). Text of a CI system, a container
#: or a terminal may precede it, and the first line of an excerpt may lack its bracket.
_PREFIX = regex(
    r"[^\n]{0,160}?"
    r"(?P<mark>(?:(?P<first>\[TRT\] )?(?:\[|^)(?P<letter>[VIWEF])\](?: \[TRT\])?(?: |$))"
    r"|\[TensorRT\] (?P<word>VERBOSE|INFO|WARNING|ERROR|INTERNAL_ERROR): "
    r"|\[(?:TRT|TensorRT)\](?: +|$)"
    r"|(?:\bTRT|\bTensorRT|\d)[\]:]? ?- (?P<level>VERBOSE|DEBUG|INFO|WARNING|ERROR)(?: -|:) "
    r"|(?P<leading>" + LEADING_LEVEL + "))",
    re.ASCII,
)
#: What CI systems, containers, the journal and quotations put before lines that a logger did not write.
_FOREIGN = regex(
    r"(?:[A-Z][a-z]{2} [ \d]?\d \d\d:\d\d:\d\d [\w.-]{1,60} [\w.@-]{1,60}(?:\[\d{1,9}\])?: |"
    r"\[?\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d(?:[.,]\d{1,9})?(?:Z|[+-]\d\d:?\d\d)?\]? "
    r"|\[?\d\d:\d\d:\d\d(?:[.,]\d{1,9})?\]? |[\w.-]{1,60} {0,20}\| |> ?|E {3})+",
    re.ASCII,
)
_LETTERS = {"VERBOSE": "V", "DEBUG": "V", "WARNING": "W", "ERROR": "E", "INTERNAL_ERROR": "F"}
#: What only lines with such a prefix have; looking for it first keeps the costly pattern away from others.
_MARKS = (
    *("V]", "I]", "W]", "E]", "F]", "[TRT]", "TensorRT", " - ", " Error ", " DLA "),
    *("INFO]", "ERROR]", "WARNING]", "VERBOSE]", "logging.cc:", "[E:onnx", "[F:onnx", "ERROR: "),
)
_BANNER = regex(
    r"&&&& (RUNNING|PASSED|FAILED) TensorRT(?:[-_]RTX)?\.(?:trtexec|trexreport|tensorrt_rtx)"
    r"(?: \[TensorRT(?:[-_ ]RTX)? v(?P<version>[\d.]{1,20})\])?(?: \[b\d+\])?"
    r"(?: #(?P<command>.*))?$",
    re.ASCII,
)
#: trtexec logs it as information.
NO_DEVICE = "Cannot find device ID"
#: TensorRT warns of it, and no later call of this process succeeds.
GPU_ERROR = "GPU error during "
_PACKED_VERSION = regex(r"v?(\d{4,6})", re.ASCII)


@dataclass(frozen=True)
class Record:
    """A message in a log.

    Attributes:
        severity: "V", "I", "W", "E" or "F"; empty for a line without trtexec's prefix.
        library: Whether TensorRT itself spoke ("[TRT]") rather than trtexec.
        text: What follows the prefix, its leading spaces included.
    """

    severity: str
    library: bool
    text: str


@dataclass(frozen=True)
class Banner:
    """The first or last line of a run.

    Attributes:
        state: "RUNNING", "PASSED" or "FAILED".
        version: TensorRT's version such as "10.16.1", or empty.
        command: The command line, or empty.
    """

    state: str
    version: str
    command: str


def split_log(text: str) -> Iterator[Record | Banner]:
    """Yield what a log says, in order, in time linear to its length.

    Any text before a record on its line (such as the time that a CI system adds) becomes a record
    without severity, and a line on which several programs wrote becomes several records.
    """
    for line in lines(_ESCAPES.sub("", text)):
        banner = None
        # Looking for the mark first keeps the costly pattern away from nearly every line.
        start = line.find("&&&& ")
        if start >= 0:
            banner = _BANNER.match(line, start)
        yield from _split_line(line[:start] if banner else line)
        if banner:
            version = product_version(banner["version"] or "")
            yield Banner(banner[1], version, (banner["command"] or "").strip())


def lines(text: str) -> Iterator[str]:
    """Yield the lines one by one: all at once they take more memory than a large log itself."""
    start = 0
    for end in _LINE_ENDS.finditer(text):
        yield text[start : end.start()]
        start = end.end()
    yield text[start:]


def _foreign_record(line: str) -> Record | None:
    """Return the record of a line that another logger wrote, or with other text before; None for other lines.

    Of a logger that is not TensorRT's nothing is an error or a warning of trtexec.
    """
    found = _PREFIX.match(line) if any(mark in line for mark in _MARKS) else None
    if found is None:
        return None
    before, text = line[: found.start("mark")], line[found.end() :]
    library = "TRT" in found[0] or "TensorRT" in found[0] or bool(found["leading"])
    if found["level"] and not library:
        return Record("V" if found["level"] in ("VERBOSE", "DEBUG") else "I", True, text)
    # In the middle of a text a mark is none.
    if before.strip() and not (_FOREIGN.fullmatch(before) or found["level"] or found["leading"]):
        return None
    level = _LEVEL.search(found["leading"]) if found["leading"] else None
    word = level[0] if level else found["word"] or found["level"] or ""
    stated = found["letter"] or _LETTERS.get(word, word[:1] or "I")
    return Record(stated, library, text)


def without_prefix(line: str) -> tuple[str, bool]:
    """Return a line without what a logger, a CI system or a container wrote before it, and if a logger did.

    Args:
        line: Without colors, see `without_colors`.
    """
    if any(mark in line for mark in _MARKS) and (found := _PREFIX.match(line)):
        return line[found.end() :], True
    found = _FOREIGN.match(line)
    return (line[found.end() :] if found else line), False


def without_colors(text: str) -> str:
    """Return a text without the colors and hyperlinks of terminals."""
    return _ESCAPES.sub("", text) if "\x1b" in text else text


def _split_line(line: str) -> Iterator[Record]:
    """Yield the records of one line without a banner."""
    severity, library, start = "", False, 0
    for match in _RECORD.finditer(line):
        if severity or line[start : match.start()].strip():
            yield Record(severity, library, line[start : match.start()])
        severity, library, start = match[2], bool(match[1] or match[3]), match.end()
    if not severity and (record := _foreign_record(line)):
        yield record
    elif severity or line[start:].strip():
        yield Record(severity, library, line[start:])


def product_version(text: str) -> str:
    """Return the version that a log states, with "RTX" before those of TensorRT for RTX, which are 1.x.

    TensorRT 1 had no trtexec, and no rule about a version of TensorRT is about these.
    """
    version = decode_version(text)
    return f"RTX {version}" if version.startswith("1.") else version


def stated_version(text: str) -> str:
    """Return a version; an empty text where it is damaged."""
    version = product_version(text)
    return version if version.removeprefix("RTX ")[:1].isdecimal() else ""


def decode_version(text: str) -> str:
    """Turn a version such as "v8601", "8003" or "101601" into "8.6.1", "8.0.3" or "10.16.1".

    TensorRT packs its version as major * 1000 + minor * 100 + patch up to 9 and as major * 10000 +
    minor * 100 + patch from 10 on; any other text is returned as it is. Source: NvInferVersion.h.
    """
    packed = _PACKED_VERSION.fullmatch(text.strip())
    if not packed:
        return text.strip()
    number = int(packed[1])
    major, rest = divmod(number, 10000 if number >= 10000 else 1000)
    return f"{major}.{rest // 100}.{rest % 100}"

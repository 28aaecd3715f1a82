"""Say what a file of another program is, and what to give instead: by its beginning, else in general."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath

from trexreport.errors import InputError
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Source
from trexreport.numbers import counted
from trexreport.reader.benchmark_figures import benchmark_figures
from trexreport.reader.edge_llm_stages import EDGE_LLM, LOG_MARK, PROFILE_MARK
from trexreport.reader.json_text import decode_text
from trexreport.regex import regex

_LAYERS = "Give the layer information, and the profile if there is one."
_EXPORT = "Export the model to ONNX, and measure it where a GPU is: trexreport run model.onnx."
_EXPORTED = "Give the model beside it: trexreport run MODEL, where a GPU is."
_SAMPLED = "It has no layers. `trexreport collect` samples the GPU beside them."
_LATENCY = "Compare with a latency in it: trexreport compare CAPTURE --baseline-latency NAME=MS."
_OTHER_LOG = "It has no layers. Give the log of the build with --verbose, or that of trtexec."
_TABLES = "For layers give the tables layer_MODE.csv that llm_bench and visual_bench write of its engines."
_DOWNLOAD = "Download the file with `git lfs pull`."
_DOWNLOAD_RAW = "Download the file itself: a server may answer with a page to log in or an error."
_UNPACK = "Unpack it, and give the folder."
_MOST_SHOWN = 4
_LONGEST_SHOWN = 30
_SOME_TEXT = 60
#: How much of a file says what it is.
_HEAD_BYTES = 2**16


@dataclass(frozen=True)
class _Kind:
    """A kind of file: a pattern of its beginning, what it is, and what to do."""

    pattern: bytes
    what: str
    hint: str


def _kinds(rows: Sequence[tuple[bytes, str, str]]) -> tuple[_Kind, ...]:
    return tuple(_Kind(*row) for row in rows)


#: What files begin with.
_BEGINNINGS = _kinds(
    (
        (rb".{4}TFL3", "is a model of TensorFlow Lite", _EXPORT),
        (rb"GGUF", "is a model of llama.cpp (GGUF)", _LAYERS),
        (rb'.{8}\{"[^"]{1,200}": ?\{"(?:dtype|format)"', "is a file of weights (safetensors)", _EXPORT),
        (rb"\x80[\x02-\x05]", "is a pickle of Python, such as a checkpoint of PyTorch", _EXPORT),
        (rb"description: Ultralytics ", "is the metadata of a model that Ultralytics exported", _EXPORTED),
        (rb"TRT-\d{3,6}-\w*Calibration\w*\r?\n", "is a calibration cache of TensorRT", _LAYERS),
        (rb"\x1f\x8b", "is compressed with gzip", _UNPACK),
        (rb"PK\x03\x04.{26}[^\x00]{0,200}data\.pkl", "is a checkpoint of PyTorch", _EXPORT),
        (rb"PK\x03\x04", "is a ZIP archive", _UNPACK),
        (rb"version https://git-lfs", "is a pointer of Git LFS, not the file itself", _DOWNLOAD),
        (rb"(?i)\s*<(?:!doctype html|html)", "is a web page", _DOWNLOAD_RAW),
        (rb"\x00{32}", "begins with zeros: the disk was full, or the computer stopped", "Write it again."),
        (rb"(?:BZh\d|\xfd7zXZ|\x28\xb5\x2f\xfd|7z\xbc\xaf|Rar!)", "is compressed", _UNPACK),
        (rb".{257}ustar", "is a tar archive", _UNPACK),
        (rb"\x89PNG|\xff\xd8\xff|GIF8|RIFF.{4}WEBP", "is a picture", _LAYERS),
        (
            rb"\x7fELF|MZ",
            "is a program or a library",
            "Plugins belong to trtexec: run MODEL -- --plugins=FILE.",
        ),
        (rb"<\?xml[^>]{0,200}>\s*<net ", "is a model of OpenVINO", _EXPORT),
        (
            rb'==\d+== NVPROF|"Type","Time\(%\)"',
            "is a table of nvprof, without layers",
            _LAYERS,
        ),
        (
            (
                rb"(?:\w{1,20}, ){0,9}timestamp, [^\n]{0,99}(?:utilization|power|clocks)|"
                rb"# ?(?:Date +Time +)?gpu [^\n]{0,80}\bpwr\b"
            ),
            "is a table of nvidia-smi",
            _SAMPLED,
        ),
        (rb"Entity[, ]|#\s*Entity ", "is a table of DCGM", _SAMPLED),
        (rb"engine,version,providers,", "is a table of ONNX Runtime's benchmark, without layers", _LATENCY),
        (rb"=+\s+MLPerf Results Summary", "is a summary of MLPerf: latencies and no layers", _LATENCY),
    )
)
#: What they have near their beginning.
_WITHIN = _kinds(
    (
        (rb'"(?:request_latency|output_token_throughput)"', "is a result of genai-perf", _LATENCY),
        (
            rb"Layer \d{1,6} +\| [^\n]{1,400} \[Op: ",
            "is a listing of Polygraphy (inspect model), which is not read",
            _LAYERS,
        ),
        (
            rb"Completed \d{1,9} iteration\(s\) in [^\n|]{1,40}\| Average inference time: ",
            "is a log of `polygraphy run`: mean times and no layers",
            f"{_LATENCY} For layers measure the engine with trtexec.",
        ),
        (rb"\| NVIDIA-SMI \d", "is a table of nvidia-smi", _SAMPLED),
        (
            rb"\*\*\* Measurement Settings \*\*\*|Inferences/Second vs\. Client ",
            "is a result of Triton's perf_analyzer: latencies and no layers",
            _LATENCY,
        ),
        (
            rb"\[BENCHMARK\] [^\n]{1,2000} tokens_per_sec|TensorRT[- ]LLM Version: |Request Throughput \(req",
            "is a result of TensorRT-LLM's benchmark: throughput and no layers",
            _LATENCY,
        ),
        (PROFILE_MARK, f"is a result of {EDGE_LLM}: stages and no layers", _TABLES),
        (LOG_MARK, f"is a log of {EDGE_LLM}: stages and no layers", _TABLES),
        (rb'"pretrained_config"', "is the configuration of an engine of TensorRT-LLM", _LAYERS),
        (rb'"architectures": ?\[', "is the configuration of a model of Hugging Face", _EXPORT),
        (rb'"nbformat"', "is a notebook", _LAYERS),
        (rb'\{[^{}]{0,200}"ph": ?"[XBEM]"', "is a trace of a profiler, without layers of an engine", _LAYERS),
        (rb"NvDsInferContext|gst_nvinfer_logger", "is a log of DeepStream", _OTHER_LOG),
        (rb"vLLM API server|\bvllm\b[^\n]{0,80}(?:engine|version)", "is a log of vLLM", _OTHER_LOG),
        (rb"\banalysis_predictor\.cc:\d", "is a log of Paddle Inference", _OTHER_LOG),
        (rb"^[IWE]\d{4} \d\d:\d\d:\d\d\.\d+ \d+ [\w.]+\.cc:\d+\]", "is a log of Triton", _OTHER_LOG),
        (rb"\[TRT-LLM\]|\[TensorRT-LLM\]", "is a log of TensorRT-LLM", _OTHER_LOG),
    )
)
#: What only the ending says: these begin with nothing of their own.
_ENDINGS = {
    ".nsys-rep": ("is a recording of Nsight Systems", "Export it: nsys export --type sqlite FILE."),
    ".qdrep": ("is a recording of Nsight Systems", "Export it: nsys export --type sqlite FILE."),
    ".ncu-rep": (
        "is a recording of Nsight Compute",
        "Export it: ncu --import FILE --csv --page raw.",
    ),
    ".cache": ("is a cache, such as the timing cache of a build", _LAYERS),
    ".pb": ("is a model or graph of TensorFlow", _EXPORT),
}
_UTF16 = (b"\xff\xfe", b"\xfe\xff")
_BINARY = regex(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")


def foreign_kind(name: str, head: bytes) -> tuple[str, str] | None:
    """Return what a file is, as the end of a sentence, and what to do; None if that is not known.

    Args:
        name: Of the file.
        head: Its first bytes.
    """
    if head.startswith(_UTF16):
        # As the shell of Windows saves what a program prints.
        head = decode_text(head, name)[0].encode()
    found = next((kind for kind in _BEGINNINGS if re.match(kind.pattern, head, re.DOTALL)), None)
    found = found or next((kind for kind in _WITHIN if re.search(kind.pattern, head, re.DOTALL)), None)
    return (found.what, found.hint) if found else _ENDINGS.get(PurePath(name).suffix.lower())


def foreign_log(sources: Sequence[Source]) -> InputError | None:
    """Return the error that says of which program a log is; None if there is none of a known one."""
    logs = (each for each in sources if each.role == "log")
    for each in logs:
        if kind := foreign_kind(each.name, each.data[:_HEAD_BYTES]):
            return InputError(f"{each.name} {kind[0]}.{benchmark_figures(each.data)}", kind[1])
    return None


@contextmanager
def explained(source: Source) -> Iterator[None]:
    """Let the error that a file is none of its role say what it is, if its beginning says so."""
    try:
        yield
    except InputError:
        found = foreign_kind(source.name, source.data[:_HEAD_BYTES])
        if not found:
            raise
        raise InputError(f"{source.name} {found[0]}.", found[1]) from None


def general_kind(data: bytes) -> str:
    """Return what a file holds, as the end of a sentence, such as keys, columns, or a first line."""
    if not data.strip():
        return "is empty"
    text, _ = decode_text(data, "")
    if _BINARY.search(text[:_SOME_TEXT].encode()):
        return f"is binary and begins with {data[:8].hex(' ')}"
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    if isinstance(document, dict) and document:
        return f"is JSON with {_listed(list(document))}"
    if isinstance(document, list):
        first = next((each for each in document if isinstance(each, dict) and each), None)
        keys = f" with {_listed(list(first))}" if first else ""
        return f"is a JSON list of {counted(len(document), 'item')}{keys}"
    lines = [line for line in text.splitlines() if line.strip()][:2]
    columns = lines[0].split(",") if lines else []
    if len(lines) > 1 and 1 < len(columns) == len(lines[1].split(",")):
        return f"is a table with the columns {_listed([column.strip() for column in columns])}"
    first_line = " ".join(lines[0].split()) if lines else ""
    return f"is a text that begins with '{_short(first_line, _SOME_TEXT)}'"


def _listed(names: Sequence[str]) -> str:
    shown = ", ".join(f"'{_short(str(name), _LONGEST_SHOWN)}'" for name in names[:_MOST_SHOWN])
    more = len(names) - _MOST_SHOWN
    return f"{shown} and {more} more" if more > 0 else shown


def _short(text: str, most: int) -> str:
    printable = "".join(character if character.isprintable() else "\ufffd" for character in text)
    return printable if len(printable) <= most else f"{printable[:most]}…"

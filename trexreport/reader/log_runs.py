"""Find the runs of trtexec in a log, and what each is of.

A run begins with "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=…", and ends before the
next one. In a log without such lines, as pages quote it, each run has a summary of its own, with the averages
before it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import field
from itertools import pairwise

from trexreport.lazy_dataclass import dataclass
from trexreport.model.commands import profiles_while_timing
from trexreport.reader import verbose_layers
from trexreport.reader.file_names import plain_name
from trexreport.reader.next_run import begins_run
from trexreport.reader.trtexec_lines import Banner, decode_version, split_log
from trexreport.reader.trtexec_run import Run
from trexreport.regex import regex

_RUNNING = b"&&&& RUNNING TensorRT"
_PASSED, _FAILED = b"&&&& PASSED", b"&&&& FAILED"
_COMMAND = regex(
    rb"&&&& (?:RUNNING|PASSED|FAILED) TensorRT[^\n\[#]{0,40}(?:\[TensorRT\S{0,9} (v[\d.]{1,20})\])?"
    rb"[^\n#]{0,40}# ?([^\r\n]{0,20000})"
)
_OPTION = regex(r"--(\w{1,60})(?:=(\S{1,4000}))?", re.ASCII)
#: What makes two builds of one model different engines.
_OF_BUILD = frozenset(
    {"fp16", "int8", "fp8", "bf16", "int4", "best", "stronglyTyped", "noTF32", "sparsity", "useDLACore"}
    | {"minShapes", "optShapes", "maxShapes", "shapes", "batch", "maxBatch", "builderOptimizationLevel"}
)
_MODELS = ("onnx", "uff", "model", "deploy")
#: The others are of trtexec 7.
_MEASURED = (b"=== Performance summary ===", b"] throughput: ", b"] total compute time: ")
_DEVICE_HEADING = b"=== Device Information ==="
_DEVICE = regex(rb"=== Device Information ===[^\n]{0,80}\n(?:[^\n=:]{1,80}: ?[^\n]{1,200}\n){1,40}")
_OPTIONS = (b"=== Model Options ===", b"=== Build Options ===", b"=== Inference Options ===")
_TIMED = b"Timing trace has "
_FIRST_FIGURE = b"Throughput: "
_LAYERS = (verbose_layers.HEADING.encode(), b", LayerType: ", b"Layer(")
_TABLE = (b"Avg. Time (ms)", b"=== Profile (")
_MOST_RUNS = 2_000
_SEVERAL = 2
_FOLDER = regex(r"\A.*[/\\]")
#: The heading of Markdown over a run, with its batch size, or an item of a list of little else.
_OF_A_BATCH = regex(
    rb"^(?:#{1,6} (?=[^\n]{0,80}\bbatch)|[ \t]{0,8}(?:\d{1,3}[.)]|[-*+])[ \t]{1,4}"
    rb"(?=[^\n\d]{0,20}\bbatch[^\n\d]{0,9}\d{1,5}[^\n\w]{0,9}$))([^\n]{1,160})",
    re.IGNORECASE | re.MULTILINE,
)


@dataclass(frozen=True)
class LoggedRun:
    """A run of trtexec in a log.

    Attributes:
        number: 1 is the first of the log.
        start: Where it begins, in bytes.
        end: Where the next begins.
        model: File of the model that it builds, or empty.
        build: Options and version that make a build of a model another engine.
        loads: File of the engine that it loads, or empty.
        saves: File of the engine that it writes, or empty.
        exports: Option to name of each file that it exports.
        is_profiling: Layers were timed in the run that timed the queries.
        has_summary: It printed what it measured.
        has_table: It printed the times of layers.
        has_layers: It listed the layers.
        passed: It ended well; None if it has no end.
    """

    number: int
    start: int
    end: int
    model: str = ""
    build: frozenset[str] = frozenset()
    loads: str = ""
    saves: str = ""
    exports: Mapping[str, str] = field(default_factory=dict)
    is_profiling: bool = False
    has_summary: bool = False
    has_table: bool = False
    has_layers: bool = False
    passed: bool | None = None

    @property
    def states_engine(self) -> bool:
        """True if its command says which engine it is of."""
        return bool(self.loads or self.model)

    @property
    def is_build(self) -> bool:
        """True if its command builds an engine."""
        return bool(self.model) and not self.loads


def build_options(command: str) -> frozenset[str]:
    """Return the model and the options that make a build another engine; nothing without a build.

    A model is known by the name of its file: a page may show its folder in one command alone.
    """
    options = dict(_OPTION.findall(command))
    models = [options[key] for key in _MODELS if options.get(key)]
    if options.get("loadEngine") or not models:
        return frozenset()
    build = (f"--{key}={options[key]}" for key in _OF_BUILD & set(options))
    return frozenset((*(_FOLDER.sub("", each) for each in models), *build))


def heading_of_batch(data: bytes) -> str:
    """Return the heading above what the last run measured, in Markdown, that names a batch; else empty."""
    if not _OF_A_BATCH.search(data):
        return ""
    runs = [run for run in find_runs(data) if run.has_summary]
    data = data[runs[-1].start : runs[-1].end] if runs else data
    ends = [at for mark in (_MEASURED[0], _FIRST_FIGURE) if (at := data.find(mark)) >= 0]
    found = _OF_A_BATCH.findall(data[: min(ends, default=0)])
    return found[-1].decode(errors="replace") if found else ""


def text_of(data: bytes, runs: Sequence[LoggedRun], run: LoggedRun) -> bytes:
    """Return the text of a run, below the device that a page states once above all its runs."""
    text, above = data[run.start : run.end], data[: runs[0].end]
    found = _DEVICE.search(above) if run.start and data.count(_DEVICE_HEADING) == 1 else None
    is_of_a_run = any(mark in above for mark in (_RUNNING, *_OPTIONS))
    return text if found is None or is_of_a_run else found[0] + text


def find_runs(data: bytes) -> list[LoggedRun]:
    """Return the runs of a log in UTF-8, in order; none if it has no first line of one, and not several.

    What another program wrote between two runs belongs to the second, whose engine it may have built. Text
    before the first run belongs to it, or is a run of its own if one was measured or ends in it, and so is
    what was measured behind the end of one.
    """
    starts = list(_starts(data))
    if _RUNNING in data:
        named = pairwise([*starts, len(data)])
        starts = [at for start, end in named for at in (start, *_excerpts(data, start, end))]
    spans = pairwise([*starts, len(data)]) if starts else ()
    return [_run(data, number, *span) for number, span in enumerate(spans, 1)]


def _starts(data: bytes) -> Iterator[int]:
    first = data.find(_RUNNING)
    if first < 0:
        yield from _unnamed_starts(data)
        return
    yield 0
    begin = data.rfind(b"\n", 0, first) + 1
    if any(mark in data[:begin] for mark in (_PASSED, *_MEASURED)):
        yield _after_end(data, 0, begin)
    at = first
    for _ in range(_MOST_RUNS):
        line_end = data.find(b"\n", at)
        following = data.find(_RUNNING, line_end) if line_end >= 0 else -1
        if following < 0:
            return
        yield _after_end(data, line_end, data.rfind(b"\n", 0, following) + 1)
        at = following


def _unnamed_starts(data: bytes) -> list[int]:
    """Return where each run begins in a log without first lines; nothing unless several were measured."""
    starts, at, run, heading = [0], 0, Run(), None
    first = min((place for mark in _MEASURED if (place := data.find(mark)) >= 0), default=len(data))
    if all(data.count(mark) < _SEVERAL for mark in (*_MEASURED, _TIMED)) and data.find(_TIMED, first) < 0:
        return []
    for line in io.BytesIO(data):
        if _OF_A_BATCH.match(line):
            heading = at
        for record in split_log(line.decode(errors="replace")):
            if isinstance(record, Banner):
                continue
            if begins_run(record, run):
                starts.append(at if heading is None else heading)
                run, heading = Run(), None
            run.take(record)
        at += len(line)
    return starts if len(starts) > 1 else []


def _excerpts(data: bytes, start: int, end: int) -> Iterator[int]:
    """Yield where runs begin that a log quotes in part behind the end of one."""
    begin = data.find(_RUNNING, start, end)
    ends = [at for mark in (_PASSED, _FAILED) if (at := data.find(mark, begin, end)) >= 0]
    if begin < 0 or not ends:
        return
    after = data.find(b"\n", min(ends), end) + 1 or end
    rest = data[after:end]
    if any(mark in rest for mark in (*_MEASURED, _TIMED)):
        yield from (after + at for at in _unnamed_starts(rest) or [0])


def _after_end(data: bytes, start: int, end: int) -> int:
    """Return where the text after the end of a run begins; `end` without an end of it."""
    last = max(data.rfind(mark, start, end) for mark in (_PASSED, _FAILED))
    return data.find(b"\n", last, end) + 1 if last >= 0 else end


def _run(data: bytes, number: int, start: int, end: int) -> LoggedRun:
    found = _COMMAND.search(data, start, end)
    command = found[2].decode(errors="replace") if found else ""
    options = dict(_OPTION.findall(command))
    build = {f"--{key}={options[key]}".rstrip("=") for key in _OF_BUILD & set(options)}
    if found and found[1]:
        build.add(f"TensorRT {decode_version(found[1].decode())}")

    def has(*marks: bytes) -> bool:
        return any(data.find(mark, start, end) >= 0 for mark in marks)

    return LoggedRun(
        number,
        start,
        end,
        model=next((_file(options, key) for key in _MODELS if options.get(key)), ""),
        build=frozenset(build),
        loads=_file(options, "loadEngine"),
        saves=_file(options, "saveEngine"),
        exports={key: _file(options, key) for key in options if key.startswith("export") and options[key]},
        is_profiling=profiles_while_timing(command),
        has_summary=has(*_MEASURED),
        has_table=has(*_TABLE),
        has_layers=has(*_LAYERS),
        passed=False if has(_FAILED) else True if has(_PASSED) else None,
    )


def _file(options: Mapping[str, str], key: str) -> str:
    return plain_name(options[key]) if options.get(key) else ""

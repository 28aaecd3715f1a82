"""Keep of a log with runs of several engines those of one, so that nothing of two engines is put together.

A run begins with "&&&& RUNNING TensorRT.trtexec [TensorRT v8601] # trtexec --onnx=…". Runs are of one engine
if one loads what the other saved, or if both build one model with the same options.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import PurePath

from trexreport.model import InputWarning
from trexreport.numbers import counted, list_names
from trexreport.reader import verbose_layers
from trexreport.reader.file_names import plain_name, short_name
from trexreport.reader.trtexec_lines import decode_version

_RUNNING = b"&&&& RUNNING TensorRT"
_COMMAND = re.compile(
    rb"&&&& (?:RUNNING|PASSED|FAILED) TensorRT[^\n\[#]{0,40}(?:\[TensorRT\S{0,9} (v[\d.]{1,20})\])?"
    rb"[^\n#]{0,40}# ?([^\r\n]{0,20000})"
)
_OPTION = re.compile(r"--(\w{1,60})(?:=(\S{1,4000}))?", re.ASCII)
#: What makes two builds of one model different engines.
_OF_BUILD = frozenset(
    {"fp16", "int8", "fp8", "bf16", "int4", "best", "stronglyTyped", "noTF32", "sparsity", "useDLACore"}
    | {"minShapes", "optShapes", "maxShapes", "shapes", "batch", "maxBatch", "builderOptimizationLevel"}
)
_MODELS = ("onnx", "uff", "model", "deploy")
#: The second is of trtexec 7.
_MEASURED = (b"=== Performance summary ===", b"] throughput: ")
_LAYERS = (verbose_layers.HEADING.encode(), b", LayerType: ", b"Layer(")
_TABLE = (b"Avg. Time (ms)", b"=== Profile (")
_PASSED = b"&&&& PASSED"
_MOST_RUNS = 2_000
_MOST_NAMES = 5


@dataclass
class _Engine:
    """The runs of an engine: where each begins and ends in the log."""

    model: str
    build: frozenset[str]
    file: str
    parts: list[tuple[int, int]] = field(default_factory=list)
    written: set[str] = field(default_factory=set)

    @property
    def name(self) -> str:
        """How it is called in a message."""
        return short_name(" ".join([self.file or self.model, *sorted(self.build)]))


def runs_of_one_engine(
    data: bytes, name: str, beside: Collection[str] = ()
) -> tuple[bytes, list[InputWarning]]:
    """Return the runs of one engine of a log, and a note on those of others.

    It is the one that wrote the files beside the log, else the first that was measured, else the first of
    which the log has layers.

    Args:
        data: UTF-8; returned as it is if all runs are of one engine.
        name: The file's name, for messages.
        beside: Names of the other files of the capture.
    """
    starts = list(_starts(data))
    if not starts:
        return data, []
    engines: list[_Engine] = []
    notes, seen = [], set()
    copies = 0
    for start, end in pairwise([*starts, len(data)]):
        text = data[start:end].strip()
        if len(starts) > 1 and text in seen:
            copies += 1
            continue
        seen.add(text)
        _assign(engines, data, start, end)
    if copies:
        message = f"{name} has {counted(copies, 'run')} twice; each was read once."
        notes.append(InputWarning("repaired", "log-text", message, name))
    best = max(engines, key=lambda engine: _rank(engine, data, beside))
    if len(engines) > 1:
        notes.append(_note(name, engines, best))
    elif not copies:
        return data, notes
    return b"".join(data[start:end] for start, end in best.parts), notes


def _starts(data: bytes) -> Iterator[int]:
    """Yield where runs begin; text before the first one is a run of its own if a run ends in it."""
    at = data.find(_RUNNING)
    if at < 0:
        return
    before = data[: _line_start(data, at)]
    if any(mark in before for mark in (_PASSED, *_MEASURED)):
        yield 0
        yield _line_start(data, at)
    else:
        yield 0
    for _ in range(_MOST_RUNS):
        end = data.find(b"\n", at)
        at = data.find(_RUNNING, end) if end >= 0 else -1
        if at < 0:
            return
        yield _line_start(data, at)


def _line_start(data: bytes, at: int) -> int:
    return data.rfind(b"\n", 0, at) + 1


def _assign(engines: list[_Engine], data: bytes, start: int, end: int) -> None:
    """Add a run to the engine that it is of; one that states no command is of the engine before."""
    found = _COMMAND.search(data, start, end)
    options = dict(_OPTION.findall(found[2].decode(errors="replace"))) if found else {}
    loaded, saved = (_file(options, key) for key in ("loadEngine", "saveEngine"))
    model = next((_file(options, key) for key in _MODELS if options.get(key)), "")
    build = frozenset(f"--{key}={options[key]}".rstrip("=") for key in _OF_BUILD & set(options))
    if found and found[1]:
        build |= {f"TensorRT {decode_version(found[1].decode())}"}
    if not (loaded or model) and engines:
        engine = engines[-1]
    elif loaded:
        engine = next((each for each in reversed(engines) if _is_loaded(each, loaded)), None) or _Engine(
            "", frozenset(), loaded
        )
    else:
        same = (each for each in engines if (each.model, each.build) == (model, build))
        engine = next((each for each in same if not (saved and each.file) or each.file == saved), None) or (
            _Engine(model, build, saved)
        )
    if all(each is not engine for each in engines):
        engines.append(engine)
    engine.file = engine.file or loaded or saved
    engine.parts.append((start, end))
    engine.written |= {_file(options, key) for key in options if key.startswith("export")} - {""}


def _file(options: Mapping[str, str], key: str) -> str:
    return plain_name(options[key]) if options.get(key) else ""


def _is_loaded(engine: _Engine, loaded: str) -> bool:
    """Return whether an engine is that of a file; where its file is not known, the model's name decides."""
    stem = PurePath(engine.model).stem.casefold()
    return engine.file == loaded if engine.file else bool(stem) and stem in loaded.casefold()


def _rank(engine: _Engine, data: bytes, beside: Collection[str]) -> tuple[bool, bool, bool, bool]:
    def has(*marks: bytes) -> bool:
        return any(data.find(mark, start, end) >= 0 for start, end in engine.parts for mark in marks)

    return bool(engine.written & set(beside)), has(*_MEASURED), has(*_LAYERS, *_TABLE), has(_PASSED)


def _note(name: str, engines: Sequence[_Engine], best: _Engine) -> InputWarning:
    names = list_names([engine.name or "not stated" for engine in engines], _MOST_NAMES)
    message = f"{name} has runs of {len(engines)} engines ({names}); those of {best.name or 'one'} are shown."
    hint = "Cut the log before each line that begins with &&&& RUNNING, and give the part of one engine."
    return InputWarning("degraded", "log-several-engines", message, name, ("overview", "layers"), hint)

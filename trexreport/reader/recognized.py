"""Say what a file is that does not belong to a capture, and what would be needed instead."""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from pathlib import Path

from trexreport.errors import InputError, OtherFileError
from trexreport.model import InputWarning, Source
from trexreport.numbers import join_names
from trexreport.reader import latency_tables
from trexreport.reader.benchmark_figures import benchmark_figures
from trexreport.reader.edge_llm_stages import EDGE_LLM, stage_times
from trexreport.reader.foreign_files import foreign_kind, foreign_log, general_kind
from trexreport.reader.json_text import decode_text, parse_json
from trexreport.reader.onnx.kinds import other_kind
from trexreport.reader.roles import MARKED_BYTES
from trexreport.reader.ultralytics import MOST_BYTES, engine_metadata

_UNKNOWN = "is not a file that trexreport knows"
#: What a plan of TensorRT begins with, and one of its dispatch and lean runtimes.
_PLANS = (b"ftrt", b"ptrt")
_LAYERS = "Give the layer information, and the profile if there is one."
#: What to give where nothing can be read.
ENOUGH = (
    "A log of trtexec, layer information (--exportLayerInfo) or a profile (--exportProfile) alone is enough, "
    "and so are the times of layers that a program prints of IProfiler: name and time, a line for each layer."
)
#: A longer file of figures is not recognized as one.
_MOST_FIGURES = 2**20
_COMPARE = "Compare an engine with it: trexreport compare CAPTURE --baseline-latency"
#: A model, and what serialized engines are called.
TO_MEASURE = (".onnx", ".engine", ".plan", ".trt")
#: An attribute of the nodes in an EPContext model.
_CONTEXT = b"ep_cache_context"
#: What a file has near its beginning, what it is, and what to give instead.
_MARKS: tuple[tuple[bytes, str, str], ...] = (
    (
        b'"traceEvents"',
        "is a trace of a profiler, such as PyTorch's: it has operators and kernels, no layers of an engine",
        "Of Torch-TensorRT give *_layer_information.json and *_engine_execution_profile.trace.",
    ),
    (
        b'"tuner_version"',
        "is a tuning cache of trtexec",
        _LAYERS,
    ),
    (
        b",Kern Inst,",
        "is a table of Nsight Systems: it has kernels and no layers of an engine",
        _LAYERS,
    ),
    (
        b",Total Time (ns),Instances,",
        "is a table of Nsight Systems: it has kernels and no layers of an engine",
        _LAYERS,
    ),
)
#: What only adds to a capture, by role, and how it is given.
#: What to do with files that only add to a capture, up to their options.
LAYERS_BESIDE = (
    "Write layers and their times with trtexec --loadEngine=ENGINE --exportLayerInfo=FILE "
    "--exportProfile=FILE --separateProfileRun, and give both: trexreport report CAPTURE"
)
_ADDED = {
    "accuracy": ("the accuracy of tensors", "--accuracy FILE"),
    "counters": ("counts of kernels", "--counters FILE"),
    "gpu": ("samples of the GPU", "FILE"),
}


def nothing_usable(
    name: str, errors: Sequence[str], sources: Sequence[Source], notes: Sequence[InputWarning]
) -> InputError:
    """Return the error of a capture without any usable content.

    Args:
        name: Of the capture.
        errors: Those of its log.
        sources: Its files.
        notes: On its files: one that is damaged may be all that there is.
    """
    if damage := next((note for note in notes if note.slug == "file-left-out"), None):
        return InputError(damage.message, damage.hint)
    if foreign := foreign_log(sources):
        return foreign
    if errors:
        return InputError(
            f"{name}: its log holds errors and no figures. The first error: {errors[0][:300]}",
            "Fix what the log reports, and run trtexec again.",
        )
    roles = [source.role for source in sources]
    added = [_ADDED[role] for role in dict.fromkeys(roles) if role in _ADDED]
    if added and set(roles) <= _ADDED.keys():
        options = " ".join(given for _, given in added)
        return InputError(
            f"{name} has {join_names([what for what, _ in added])}, and no layers or times of an engine.",
            f"{LAYERS_BESIDE} {options}.",
        )
    return InputError(f"{name}: nothing in its files can be used.", ENOUGH)


def how_to_measure(path: Path) -> str:
    """Return how to make a report of a model or an engine."""
    command = f"trexreport run {shlex.quote(str(path))}"
    return f"Where a GPU and TensorRT are, `{command}` measures it and writes the report."


def unknown_file(path: Path, data: bytes) -> InputError:
    """Return the error that a file is nothing that a report can be made of, with what it is if that is known.

    Args:
        path: Where it is.
        data: Its content, or at least the first `MOST_BYTES` of it.
    """
    name = path.name
    metadata = engine_metadata(data[: MOST_BYTES + 4])
    measure = how_to_measure(Path(name))
    if metadata is not None:
        return InputError(f"{name} is a TensorRT engine exported by Ultralytics ({metadata}).", measure)
    table = latency_tables.kind_of(data[:MARKED_BYTES].decode("utf-8", "replace"))
    if table:
        return InputError(f"{name} is {table}: times of queries, no layers.", f"{_COMPARE} 'NAME={name}'.")
    head = data[:MARKED_BYTES]
    for mark, kind, hint in _MARKS:
        if mark in head:
            return InputError(f"{name} {kind}.", hint)
    if path.suffix.lower() == ".onnx" and _CONTEXT in head:
        from trexreport.reader.onnx.model import read_onnx

        try:
            read_onnx(path)
        except InputError as error:
            return error
    if path.suffix.lower() in TO_MEASURE:
        is_plan = head[:4] in _PLANS
        what = "is a TensorRT engine: it states its layers to TensorRT alone" if is_plan else _UNKNOWN
        return InputError(f"{name} {what}.", measure)
    if kind_and_hint := foreign_kind(name, head):
        what, hint = kind_and_hint
        figures = stage_times(data) if EDGE_LLM in what else benchmark_figures(data)
        return OtherFileError(f"{name} {what}.{figures}", hint)
    kind = general_kind(data[:_MOST_FIGURES])
    refused = OtherFileError if kind.startswith("is JSON") else InputError
    says = f"{name} {_UNKNOWN}: it {kind}.{benchmark_figures(data)}"
    if _has_figures(name, data):
        return refused(
            says,
            f"If it has an error of each tensor, name it: --accuracy {shlex.quote(name)}. "
            f"Otherwise: {ENOUGH}",
        )
    found = other_kind(head)
    if found and not found[0].startswith(("is JSON", "is ONNX")):
        return InputError(f"{name} {found[0]}.", measure if "engine" in found[0] else _LAYERS)
    return refused(says, ENOUGH)


def _has_figures(name: str, data: bytes) -> bool:
    """Return whether a file is one on accuracy that only its option can say to be one."""
    from trexreport.reader.accuracy.figures import is_figures, is_table

    content, _ = decode_text(data[:_MOST_FIGURES], name)
    if is_table(content):
        return True
    try:
        parse_json(content, name, is_figures)
    except InputError:
        return False
    return True

"""The commands by which trtexec writes the ranges of an engine's tensors, and those of a reference.

From TensorRT 10.13 on trtexec marks the tensors between fused layers, and writes `tensor_summary.json` into
the folder that it runs in (samples/common/debugTensorWriter.cpp). The marks keep the fusions.
"""

from __future__ import annotations

import shlex
from collections.abc import Iterable, Sequence

from trexreport.collector.arguments import Argument
from trexreport.collector.flags import FlagTable
from trexreport.collector.versions import Version
from trexreport.errors import UsageError

#: Debug tensors are not captured in a CUDA graph, and each query writes each tensor once more.
_LENGTH = (
    Argument("warmUp", "0"),
    Argument("duration", "0"),
    Argument("iterations", "1"),
    Argument("avgRuns", "1"),
)
_MARKS = Argument("markUnfusedTensorsAsDebugTensors")
_SUMMARY = Argument("saveAllDebugTensors", "summary")
_WRITTEN = "tensor_summary.json"
#: What makes an engine less precise: the reference is built without.
_PRECISION = frozenset(
    {"fp16", "bf16", "fp8", "int8", "int4", "best", "calib", "precisionConstraints", "layerPrecisions"}
    | {"layerOutputTypes", "noTF32"}
)


def check_version(version: Version, table: FlagTable) -> None:
    """Raise a UsageError if trtexec of a version has no such option."""
    if not (table.takes(_MARKS.name, version) and table.takes(_SUMMARY.name, version)):
        raise UsageError(
            f"trtexec {version} writes no ranges of tensors.", "From 10.13 on it does; use Polygraphy before."
        )


def summary_arguments(
    model: str, theirs: Iterable[Argument], version: Version, table: FlagTable
) -> list[Argument]:
    """Return the arguments that build an engine with marks and run it once.

    Args:
        model: Absolute path of the ONNX model.
        theirs: The user's arguments for builds and for timing runs.
        version: Of trtexec.
        table: What is known of its flags.
    """
    fixed = {each.name for each in (*_LENGTH, _MARKS, _SUMMARY)}
    kept = [each for each in theirs if each.name not in fixed]
    ours = [Argument("onnx", model), _MARKS, _SUMMARY, *_LENGTH]
    if table.takes("noCudaGraph", version):
        ours.append(Argument("noCudaGraph"))
    return [*ours, *dict.fromkeys(kept)]


def reference_arguments(arguments: Sequence[Argument]) -> list[Argument] | None:
    """Return the arguments in the precision of the model; None where they state no other one."""
    kept = [each for each in arguments if each.name not in _PRECISION]
    if len(kept) == len([each for each in arguments if each.name != "noTF32"]):
        return None
    return [*kept, Argument("noTF32")]


def note_on(reference: Sequence[Argument] | None) -> str:
    """Return what the ranges show."""
    if reference is None:
        return "The arguments name no precision, so there is no reference; accuracy is overflow and NaN."
    return "trtexec states the ranges of tensors, not their errors; --accuracy-tool polygraphy has errors."


def in_folder(words: Sequence[str], folder: str, name: str) -> tuple[str, ...]:
    """Return the words that run trtexec in a folder and rename what it writes there.

    Args:
        words: They start trtexec where the folder is.
        folder: Absolute path.
        name: Of the file, in the folder.
    """
    run = f"cd {shlex.quote(folder)} && {shlex.join(words)} && mv -- {_WRITTEN} {shlex.quote(name)}"
    return ("sh", "-c", run)

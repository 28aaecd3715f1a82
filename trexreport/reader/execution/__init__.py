"""Read where a framework runs the nodes of a model."""

from __future__ import annotations

from trexreport.model import InputWarning
from trexreport.model.execution import Execution
from trexreport.reader.execution import onnx_runtime, onnx_runtime_log, torch_dryrun

#: Words near the beginning of such files.
MARKS = (*onnx_runtime.MARKS, *onnx_runtime_log.MARKS, torch_dryrun.MARK)


def read_execution(text: str, name: str) -> tuple[Execution, list[InputWarning]]:
    """Return what a file states of where nodes run, and notes on what could not be read.

    Raises:
        InputError: It is not a profile or log of ONNX Runtime and no dryrun report of Torch-TensorRT.
    """
    if not text.lstrip().startswith("[\n") and not text.lstrip().startswith("[{"):
        if torch_dryrun.MARK in text:
            return torch_dryrun.read(text, name)
        if onnx_runtime_log.is_log(text):
            return onnx_runtime_log.read(text, name)
    return onnx_runtime.read(text, name)


def notes_on_failure(text: str, name: str) -> list[InputWarning]:
    """Return the note that a log of ONNX Runtime states an error that ended the session, if it does."""
    if not onnx_runtime_log.has_errors(text):
        return []
    # Imported late: few sessions fail.
    from trexreport.reader.trtexec_log import read_trtexec_log

    return [note for note in read_trtexec_log(text, name).notes if note.slug == "log-failed"]


__all__ = ["MARKS", "notes_on_failure", "read_execution"]

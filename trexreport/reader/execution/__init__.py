"""Read where a framework runs the nodes of a model."""

from __future__ import annotations

from trexreport.model import InputWarning
from trexreport.model.execution import Execution
from trexreport.reader.execution import onnx_runtime, torch_dryrun

#: Words near the beginning of such files.
MARKS = (*onnx_runtime.MARKS, torch_dryrun.MARK)


def read_execution(text: str, name: str) -> tuple[Execution, list[InputWarning]]:
    """Return what a file states of where nodes run, and notes on what could not be read.

    Raises:
        InputError: It is neither a profile of ONNX Runtime nor a dryrun report of Torch-TensorRT.
    """
    is_dryrun = torch_dryrun.MARK in text and not text.lstrip().startswith("[")
    return torch_dryrun.read(text, name) if is_dryrun else onnx_runtime.read(text, name)


__all__ = ["MARKS", "read_execution"]

"""Where two files of a capture state what can't both be true."""

from __future__ import annotations

from typing import Literal

from trexreport.lazy_dataclass import dataclass

#: The facts that several files of one capture state or imply.
ContradictionCode = Literal[
    # Whether a report or an archive carries what it was written with.
    "edited-inputs",
    # What was built and run.
    "model",
    "engine-file",
    "engine-size",
    "tensorrt-version",
    "command",
    "precisions",
    "build-options",
    # On what.
    "gpu-name",
    "gpu-uuid",
    "compute-capability",
    "sms",
    "gpu-memory",
    "memory-bus",
    "compute-clock",
    "memory-clock",
    "tensor-size",
    "kernels",
    # The layers and their tensors.
    "layer-names",
    "io-tensors",
    "io-types",
    "shapes",
    # The ONNX model.
    "model-shapes",
    "model-types",
    "model-nodes",
    # What was measured of its accuracy.
    "accuracy-tensors",
    # What a log with tactics and a trace of the kernels are of.
    "timed-layers",
    "traced-layers",
    "traced-kernels",
    "traced-gpu",
    "traced-times",
    "counted-kernels",
    "counted-gpu",
    # The times.
    "streams",
    "query-count",
    "run-length",
    "gpu-time",
    "query-times",
    "query-extremes",
    "runs",
    "throughput",
    "averages",
    "total-layer-time",
    "layer-times",
]


@dataclass(frozen=True)
class StatedValue:
    """What one file states, in words."""

    file: str
    value: str


@dataclass(frozen=True)
class Contradiction:
    """A fact that two files of one capture state differently, beyond what can be.

    Attributes:
        values: One file for each of the values, at least two.
        subject: What of it, such as the name of a tensor; empty for the fact itself.
        message: One sentence with the files and values.
    """

    code: ContradictionCode
    values: tuple[StatedValue, ...]
    subject: str
    message: str

"""Which figures rest on what the files of a capture contradict each other in."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from trexreport.model import Contradiction, ContradictionCode

#: What figures are about: times of queries and of layers, the layers themselves, the size of the engine's
#: file, the peaks of the GPU.
FigureGroup = Literal["query-times", "layer-times", "layers", "engine-size", "roofline"]

ALL_GROUPS: tuple[FigureGroup, ...] = get_args(FigureGroup)
_TIMES: frozenset[FigureGroup] = frozenset({"query-times", "layer-times"})
_OF_THE_GPU: frozenset[FigureGroup] = frozenset({*_TIMES, "roofline"})
_OF_THE_LAYERS: frozenset[FigureGroup] = frozenset({*_TIMES, "layers", "roofline"})
#: Files of several engines: none of them is known to be of this one.
_ALL: frozenset[FigureGroup] = frozenset(ALL_GROUPS)

AFFECTED: Mapping[ContradictionCode, frozenset[FigureGroup]] = {
    "edited-inputs": _ALL,
    "model": _ALL,
    "engine-file": _ALL,
    "engine-size": _ALL,
    "tensorrt-version": _ALL,
    "command": _ALL,
    "precisions": _ALL,
    "build-options": _ALL,
    "gpu-name": _OF_THE_GPU,
    "gpu-uuid": _OF_THE_GPU,
    "compute-capability": _OF_THE_GPU,
    "sms": _OF_THE_GPU,
    "gpu-memory": _OF_THE_GPU,
    "memory-bus": _OF_THE_GPU,
    "compute-clock": frozenset({"roofline"}),
    "memory-clock": frozenset({"roofline"}),
    "tensor-size": _OF_THE_LAYERS,
    "kernels": _ALL,
    "layer-names": _ALL,
    "io-tensors": _ALL,
    "io-types": _ALL,
    "shapes": _OF_THE_LAYERS,
    # The engine is that of another model than the one beside it, such as an earlier version.
    "model-shapes": _ALL,
    "model-types": _ALL,
    # The layers must be analyzed for it, and with their roofline.
    "model-nodes": _ALL - {"roofline"},
    "accuracy-tensors": frozenset(),
    # A log of another build has other options and times, too.
    "timed-layers": _ALL,
    # No budget is on figures of the trace.
    "traced-layers": frozenset(),
    "traced-kernels": frozenset(),
    "traced-gpu": frozenset(),
    "traced-times": frozenset(),
    "counted-kernels": frozenset(),
    "counted-gpu": frozenset(),
    "streams": frozenset({"query-times"}),
    "query-count": frozenset({"query-times"}),
    "run-length": frozenset({"query-times"}),
    "gpu-time": frozenset({"query-times"}),
    "query-times": frozenset({"query-times"}),
    "query-extremes": frozenset({"query-times"}),
    "runs": frozenset({"query-times"}),
    "throughput": frozenset({"query-times"}),
    "averages": frozenset({"query-times"}),
    "total-layer-time": _OF_THE_GPU,
    "layer-times": frozenset({"layer-times", "roofline"}),
}


_MODEL: frozenset[ContradictionCode] = frozenset({"model-shapes", "model-types", "model-nodes"})
_TRACE: frozenset[ContradictionCode] = frozenset(
    {"traced-layers", "traced-kernels", "traced-gpu", "traced-times"}
)


def contradicted(
    contradictions: Sequence[Contradiction], groups: Sequence[FigureGroup]
) -> list[Contradiction]:
    """Return the contradictions on which figures of some groups rest; the figures are not known then."""
    return [each for each in contradictions if not AFFECTED[each.code].isdisjoint(groups)]


def of_the_trace(contradictions: Sequence[Contradiction]) -> list[Contradiction]:
    """Return the contradictions between the trace of the kernels and other files."""
    return [each for each in contradictions if each.code in _TRACE]


def of_the_model(contradictions: Sequence[Contradiction]) -> list[Contradiction]:
    """Return the contradictions between the ONNX model and other files."""
    return [each for each in contradictions if each.code in _MODEL]


def of_the_accuracy(contradictions: Sequence[Contradiction]) -> list[Contradiction]:
    """Return the contradictions between accuracy files and other files."""
    return [each for each in contradictions if each.code == "accuracy-tensors"]


def of_the_counters(contradictions: Sequence[Contradiction]) -> list[Contradiction]:
    """Return the contradictions between what Nsight Compute counted and other files."""
    return [each for each in contradictions if each.code in ("counted-kernels", "counted-gpu")]

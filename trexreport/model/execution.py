"""Where a framework runs the nodes of a model: on TensorRT, or on what it falls back to."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Literal

from trexreport.lazy_dataclass import bulk_facts, dataclass

#: Who decided where each node runs.
Framework = Literal["onnx-runtime", "torch-tensorrt"]


@bulk_facts
class ExecutedNode:
    """A node, or a part of the model that was compiled into one engine.

    Attributes:
        name: Of the node or engine; empty if the file states none.
        operator: Its type, such as "Conv"; of an engine the framework's name of it.
        provider: What runs it, such as "CUDAExecutionProvider"; empty if not stated.
        avg_ms: Mean time of a run of the model without that of nodes in its subgraphs; None if not measured.
        operators: How many operators of the model are in it; None if not stated.
    """

    name: str
    operator: str
    provider: str
    avg_ms: float | None = None
    operators: int | None = None

    @property
    def is_on_tensorrt(self) -> bool:
        """Whether TensorRT runs it, TensorRT for RTX included."""
        provider = self.provider.lower()
        return "tensorrt" in provider or "nvtensorrt" in provider


@dataclass(frozen=True)
class Execution:
    """What a framework executes, in the order of a run.

    Attributes:
        file: Name of the file that states it.
        runs: Runs of the model in the file; None if it was not run.
        warm_up_runs: How many of these are left out of all times.
        run_ms: Mean time of a run of the whole model; None if not measured.
        operators: Of the whole model; None if not stated.
        supported_operators: Those that TensorRT could run; None if not stated.
        stated_copies: Nodes that copy tensors between CPU and GPU, of a log that lists no nodes.
        options: Of the provider or the compilation, as stated.
        builds: Name of the engine and ms of each build of an engine; the name is empty if not stated.
    """

    framework: Framework
    file: str
    nodes: tuple[ExecutedNode, ...]
    runs: int | None = None
    warm_up_runs: int = 0
    run_ms: float | None = None
    operators: int | None = None
    supported_operators: int | None = None
    stated_copies: int = 0
    options: Mapping[str, str] = field(default_factory=dict)
    builds: tuple[tuple[str, float], ...] = ()

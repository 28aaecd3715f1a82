"""The facts on where a framework runs the nodes of a model."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from trexreport.lazy_dataclass import dataclass
from trexreport.model.execution import Framework


@dataclass(frozen=True)
class ProviderUse:
    """What one execution provider runs.

    Attributes:
        name: In the framework's words; empty if the file states none.
        nodes: Nodes, a part that TensorRT compiled counting as one.
        operators: Of the model in them; None if not stated of all.
        time_ms: Of a run; None without times.
        share_percent: Of the time of all nodes.
    """

    name: str
    is_tensorrt: bool
    nodes: int
    operators: int | None
    time_ms: float | None
    share_percent: float | None


@dataclass(frozen=True)
class NodeUse:
    """A node and what runs it; the members are those of `trexreport.model.execution.ExecutedNode`."""

    name: str
    operator: str
    provider: str
    is_on_tensorrt: bool
    operators: int | None
    time_ms: float | None
    share_percent: float | None


@dataclass(frozen=True)
class Execution:
    """Where a framework runs the nodes of a model.

    Attributes:
        file: That states it.
        runs: Runs of the model that were profiled; None if it was not run.
        warm_up_runs: How many of these are left out of all times.
        run_ms: Mean time of a run of the whole model, with what is between nodes.
        nodes_ms: That of all nodes together.
        operators: Of the whole model; None if not stated.
        supported_operators: Those that TensorRT could run; None if not stated.
        outside_ms: Time of the nodes outside of TensorRT in a run; None without times.
        outside_percent: Of the time of all nodes.
        outside_operators: Operators outside of TensorRT; None if not stated.
        switches: How often execution changes between TensorRT and another provider in a run; None if the file
            does not state the order.
        copies: Nodes that copy tensors between CPU and GPU.
        copies_ms: Their time in a run; None without times.
        providers: TensorRT's first, then by time or number of nodes.
        nodes: The slowest first; without times in the order of the file.
        options: Of the provider or the compilation, as the file states them.
        builds: How often TensorRT built an engine in the session.
        built_engines: How many different engines these are; None if not stated.
        build_ms: Time of all builds; None without any.
    """

    framework: Framework
    file: str
    runs: int | None
    warm_up_runs: int
    run_ms: float | None
    nodes_ms: float | None
    operators: int | None
    supported_operators: int | None
    outside_ms: float | None
    outside_percent: float | None
    outside_operators: int | None
    switches: int | None
    copies: int
    copies_ms: float | None
    providers: Sequence[ProviderUse]
    nodes: Sequence[NodeUse]
    options: Mapping[str, str]
    builds: int
    built_engines: int | None
    build_ms: float | None

    @property
    def fallbacks(self) -> list[NodeUse]:
        """The nodes that TensorRT does not run."""
        return [node for node in self.nodes if not node.is_on_tensorrt]

    def states(self, option: str) -> bool | None:
        """Return whether an option is on; None if it is not stated."""
        stated = self.options.get(option, "").lower()
        return {"1": True, "true": True, "0": False, "false": False}.get(stated)

    @property
    def has_tensorrt(self) -> bool:
        """Whether TensorRT runs any part of the model."""
        return any(provider.is_tensorrt for provider in self.providers)


@dataclass(frozen=True)
class MovedNode:
    """A node that runs elsewhere than in the baseline.

    Attributes:
        before: Its provider in the baseline; empty if it is not listed there.
        after: Its provider in the candidate; empty if it is not listed there.
        before_ms: Its time in a run of the baseline; None without times.
        after_ms: Likewise of the candidate.
    """

    name: str
    operator: str
    before: str
    after: str
    before_ms: float | None
    after_ms: float | None


@dataclass(frozen=True)
class ComparedExecution:
    """Where the nodes of a model run, against the baseline.

    A node that one of the two does not list is there in an engine of TensorRT, or was optimized away: no file
    says which.

    Attributes:
        moved: Nodes with another provider, and those that only one of the two lists outside of TensorRT; the
            largest times first.
        outside: Nodes outside of TensorRT, in the baseline and here.
        outside_ms: Their time in a run, in the baseline and here; None without times.
        run_ms: Mean time of a run of the whole model, in the baseline and here.
        unnamed: Nodes outside of TensorRT without a name, in both together, which can't be compared.
    """

    moved: Sequence[MovedNode]
    outside: tuple[int, int]
    outside_ms: tuple[float | None, float | None]
    run_ms: tuple[float | None, float | None]
    unnamed: int

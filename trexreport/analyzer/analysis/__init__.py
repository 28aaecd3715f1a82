"""The result of analyzing one engine: everything that a report says, as plain values.

Units stand in the names: `_ms` milliseconds, `_bytes` bytes, `_percent` 0 to 100. None means "not measured"
or "not known"; it is never replaced by 0.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping, Sequence
from dataclasses import field
from functools import cache, cached_property
from typing import Any

from trexreport.analyzer.analysis.accuracy import AccuracyFacts
from trexreport.analyzer.analysis.blocks import Block, Blocks
from trexreport.analyzer.analysis.counters import CountersFacts
from trexreport.analyzer.analysis.engine import BindingFacts, Identity, Memory, Note, SourceFacts
from trexreport.analyzer.analysis.execution import Execution
from trexreport.analyzer.analysis.findings import (
    SEVERITIES,
    Finding,
    Lint,
    LogFinding,
    Place,
    RuleFacts,
    Severity,
    UncheckedRule,
)
from trexreport.analyzer.analysis.gpu import GpuWatch
from trexreport.analyzer.analysis.kernels import KernelTraceFacts
from trexreport.analyzer.analysis.layers import (
    Group,
    LayerFacts,
    LayersAlike,
    Multiplications,
    Operation,
    Reformat,
    ReformatOrigin,
    TensorFacts,
    TensorUse,
    TypeAndPrecision,
    is_order_known,
    slowest_first,
)
from trexreport.analyzer.analysis.onnx import OnnxFacts
from trexreport.analyzer.analysis.roofline import Gpu, Roofline, RooflineObstacle
from trexreport.analyzer.analysis.tactics import Tactics
from trexreport.analyzer.analysis.timing import Latency, Stability
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Contradiction
from trexreport.model.measured_log import MeasuredLog

#: Raised by one whenever a reader of the JSON form would have to change.
SCHEMA_VERSION = 5

#: What a group is called whose layers do not have the property.
NOT_STATED = "not stated"
#: What the time of layers is called whose rows a profile lacks.
MISSING_ROWS = "Missing rows"


@dataclass(frozen=True)
class Analysis:
    """Everything that a report says of one engine, as facts: `trexreport.wording` turns them into sentences.

    Attributes:
        multiplications: The convolutions and matrix products together.
        by_operation: By what layers compute as their names show it, "not stated" for the others; without
            layers those whose names the builder lists; empty where types are known.
        alike: The layers with a time by what they do and where, the slowest first.
        settings: Title to key and value, in trtexec's own words.
        measurement_warnings: What trtexec itself warned of.
        gpu_watch: What the GPU did during the measurement, if it was watched.
        contradictions: Where the files state what can't both be true; figures that rest on it are not known.
        logs: What each of several logs measured, or each run of one, if logs are all that there is.
        log_findings: Problems of the logs and runs that are not shown.
        execution: Where a framework that uses engines runs the nodes of its model, if a file states it.
        onnx: The model that the engine was built from, and what its nodes cost; None if it is not known.
        kernels: What Nsight Systems recorded below the layers; None without a trace.
        counters: What Nsight Compute counted in kernels; None without its report.
        accuracy: How accurate the engine is, and which layers cause errors; None if it is not known.
        tactics: What the builder timed for each layer; None without a verbose log of the build.
    """

    identity: Identity
    latency: Latency
    stability: Stability | None
    memory: Memory
    by_type: Sequence[Group]
    by_operation: Sequence[Group]
    by_precision: Sequence[Group]
    by_output_precision: Sequence[Group]
    by_type_and_precision: Sequence[TypeAndPrecision]
    by_tactic: Sequence[Group]
    by_stream: Sequence[Group]
    multiplications: Multiplications
    reformats: Sequence[Reformat]
    reformats_by_origin: Sequence[ReformatOrigin]
    bindings: Sequence[BindingFacts]
    layers: Sequence[LayerFacts]
    tensors: Sequence[TensorFacts]
    settings: Mapping[str, Mapping[str, str]]
    commands: Sequence[str]
    sources: Sequence[SourceFacts]
    notes: Sequence[Note]
    measurement_warnings: Sequence[str]
    alike: Sequence[LayersAlike] = ()
    blocks: Blocks = field(default_factory=Blocks)
    roofline: Roofline = field(default_factory=Roofline)
    gpu_watch: GpuWatch | None = None
    contradictions: Sequence[Contradiction] = ()
    logs: Sequence[MeasuredLog] = ()
    log_findings: Sequence[LogFinding] = ()
    execution: Execution | None = None
    onnx: OnnxFacts | None = None
    accuracy: AccuracyFacts | None = None
    tactics: Tactics | None = None
    kernels: KernelTraceFacts | None = None
    counters: CountersFacts | None = None
    lint: Lint = field(default_factory=Lint)
    generator: str = "trexreport"
    schema_version: int = SCHEMA_VERSION

    @cached_property
    def alike_names(self) -> Mapping[int, str]:
        """What the layers alike of each layer are called; nothing for one that is like no other."""
        groups = (each for each in self.alike if len(each.layers) > 1)
        return {layer: group.name for group in groups for layer in group.layers}


def as_json(value: Any, members_of: Callable[[Any], dict[str, Any]] | None = None) -> Any:
    """Return the value as dictionaries, lists, texts, numbers and None, ready for `json.dumps`.

    Args:
        value: Facts.
        members_of: Returns the members of a dataclass; its fields if not given.
    """
    if isinstance(value, dict):
        return {str(key): as_json(item, members_of) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item, members_of) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: as_json(item, members_of) for name, item in (members_of or members)(value).items()}
    return value


def members(value: Any) -> dict[str, Any]:
    """Return what a dataclass holds by name, as the `default` of `json.dumps` does.

    Raises:
        TypeError: It is none.
    """
    kind: object = type(value)
    return reader_of(kind)(value)


@cache
def reader_of(kind: Any) -> Callable[[Any], dict[str, Any]]:
    """Return what reads the members of a dataclass, as `members` does.

    It is compiled: documents have 100,000 facts, and a loop over the names takes three times as long.

    Raises:
        TypeError: It is none.
    """
    members_of = ", ".join(f"{each.name!r}: value.{each.name}" for each in dataclasses.fields(kind))
    made: Callable[[Any], dict[str, Any]] = eval(f"lambda value: {{{members_of}}}")  # noqa: S307 - names of fields
    return made


__all__ = [
    "MISSING_ROWS",
    "NOT_STATED",
    "SCHEMA_VERSION",
    "SEVERITIES",
    "Analysis",
    "Block",
    "Finding",
    "Gpu",
    "Group",
    "Identity",
    "LayerFacts",
    "LayersAlike",
    "Lint",
    "LogFinding",
    "Operation",
    "Place",
    "Reformat",
    "RooflineObstacle",
    "RuleFacts",
    "Severity",
    "TensorFacts",
    "TensorUse",
    "UncheckedRule",
    "as_json",
    "is_order_known",
    "members",
    "reader_of",
    "slowest_first",
]

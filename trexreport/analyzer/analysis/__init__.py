"""The result of analyzing one engine: everything that a report says, as plain values.

Units stand in the names: `_ms` milliseconds, `_bytes` bytes, `_percent` 0 to 100. None means "not measured"
or "not known"; it is never replaced by 0.
"""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from trexreport.analyzer.analysis.blocks import Block, Blocks, Series
from trexreport.analyzer.analysis.engine import BindingFacts, Identity, Memory, Note, SourceFacts
from trexreport.analyzer.analysis.findings import (
    SEVERITIES,
    Finding,
    Lint,
    Place,
    RuleFacts,
    SuppressedPlace,
    ThresholdFacts,
    UncheckedRule,
)
from trexreport.analyzer.analysis.gpu import GpuRun, GpuWatch
from trexreport.analyzer.analysis.layers import (
    Group,
    LayerFacts,
    Operation,
    Reformat,
    ReformatOrigin,
    TensorFacts,
    TensorUse,
    TypeAndPrecision,
    slowest_first,
)
from trexreport.analyzer.analysis.roofline import Gpu, LayerRoof, RoofGroup, Roofline
from trexreport.analyzer.analysis.timing import Latency, Percentiles, Stability, TwoModes

#: Raised by one whenever a reader of the JSON form would have to change.
SCHEMA_VERSION = 3

#: What a group is called whose layers do not have the property.
NOT_STATED = "not stated"


@dataclass
class Analysis:
    """Everything that a report says of one engine.

    Attributes:
        sentences: Section of the report to the one sentence that sums it up.
        measurement_warnings: What trtexec itself warned of, and what is known of its version's figures.
        amounts: Figure of memory to its wording, which says where a part of it is unknown.
        settings: Title to key and value, in trtexec's own words.
        gpu_watch: What the GPU did meanwhile, if it was watched.
    """

    identity: Identity
    latency: Latency
    stability: Stability | None
    memory: Memory
    by_type: list[Group]
    by_precision: list[Group]
    by_output_precision: list[Group]
    by_type_and_precision: list[TypeAndPrecision]
    by_tactic: list[Group]
    by_stream: list[Group]
    reformats: list[Reformat]
    reformats_by_origin: list[ReformatOrigin]
    bindings: list[BindingFacts]
    layers: list[LayerFacts]
    tensors: list[TensorFacts]
    settings: dict[str, dict[str, str]]
    commands: list[str]
    sources: list[SourceFacts]
    notes: list[Note]
    measurement_warnings: list[str]
    amounts: dict[str, str]
    sentences: dict[str, str]
    blocks: Blocks = field(default_factory=Blocks)
    roofline: Roofline = field(default_factory=Roofline)
    gpu_watch: GpuWatch | None = None
    lint: Lint = field(default_factory=Lint)
    generator: str = "trexreport"
    schema_version: int = SCHEMA_VERSION


def as_json(value: Any) -> Any:
    """Return the value as dictionaries, lists, texts, numbers and None, ready for `json.dumps`."""
    if isinstance(value, dict):
        return {str(key): as_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [as_json(item) for item in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {name: as_json(item) for name, item in members(value).items()}
    return value


def members(value: Any) -> dict[str, Any]:
    """Return what a dataclass holds by name, as the `default` of `json.dumps` does.

    Raises:
        TypeError: It is none.
    """
    kind: object = type(value)
    return {name: getattr(value, name) for name in _names(kind)}


@cache
def _names(kind: Any) -> tuple[str, ...]:
    return tuple(each.name for each in dataclasses.fields(kind))


__all__ = [
    "NOT_STATED",
    "SCHEMA_VERSION",
    "SEVERITIES",
    "Analysis",
    "BindingFacts",
    "Block",
    "Blocks",
    "Finding",
    "Gpu",
    "GpuRun",
    "GpuWatch",
    "Group",
    "Identity",
    "Latency",
    "LayerFacts",
    "LayerRoof",
    "Lint",
    "Memory",
    "Note",
    "Operation",
    "Percentiles",
    "Place",
    "Reformat",
    "ReformatOrigin",
    "RoofGroup",
    "Roofline",
    "RuleFacts",
    "Series",
    "SourceFacts",
    "Stability",
    "SuppressedPlace",
    "TensorFacts",
    "TensorUse",
    "ThresholdFacts",
    "TwoModes",
    "TypeAndPrecision",
    "UncheckedRule",
    "as_json",
    "members",
    "slowest_first",
]

"""What differs between several engines: everything that a comparison states, as plain values.

Every figure that compares belongs to the candidate and is its own minus the baseline's: negative is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, get_args

from trexreport.analyzer.analysis.accuracy import ComparedAccuracy
from trexreport.analyzer.analysis.compared_rows import ComparedRow, Share
from trexreport.analyzer.analysis.engine import Identity, Note
from trexreport.analyzer.analysis.execution import ComparedExecution
from trexreport.analyzer.analysis.findings import Severity
from trexreport.analyzer.analysis.layers import Group
from trexreport.analyzer.analysis.speedup import ExpectedSpeedup
from trexreport.analyzer.analysis.timing import Latency, Stability
from trexreport.analyzer.analysis.verdict import Metric, TimesUsed, Verdict, VerdictSettings
from trexreport.analyzer.analysis.waterfall import LayerSteps, Waterfall, WaterfallKind
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Contradiction

#: Raised by one whenever a reader of the JSON form would have to change.
COMPARISON_SCHEMA_VERSION = 2

#: What it means that engines differ in a condition: their times can't be compared; it may explain a
#: difference; it affects no time.
ConditionSeverity = Literal["blocking", "explanatory", "harmless"]
#: Ends a value that no file states, of which the default of the version is known.
BY_DEFAULT = " by default"
CONDITION_SEVERITIES: tuple[ConditionSeverity, ...] = get_args(ConditionSeverity)
#: What a condition is: a fact of its own, or any other option or property that trtexec logs.
ConditionKind = Literal["fact", "build option", "measurement option", "device property"]


#: Which of the layers that both engines have alike differ by one factor: all, or those of one bound.
ScaledLayers = Literal["all", "compute-bound", "memory-bound"]
#: What the blocks of a comparison are: modules of the model; the same, those that differ in a number only as
#: one; what repeats in the structure of one engine; ranges of its layers.
BlockBasis = Literal["modules", "module series", "repeated structure", "layer ranges"]


@dataclass(frozen=True)
class Figures:
    """What an engine costs as a whole; None where it was not measured or is not known.

    Attributes:
        latency_ms, compute_ms: Medians; `*_p99_ms` the 99th percentiles.
        latency_per_item_ms: Median latency by the batch.
        enqueue_ms: Median time that the host takes to enqueue a query.
        transfers_ms: Input and output transfers, medians, added.
        layers: Those that are not structural; None if no file lists layers.
        reformats: Layers that change only type or layout; `reformat_ms` their time.
        weights_bytes: At least this where `weights_unknown` > 0.
        peak_live_bytes: At least this where `activations_unknown` > 0; None if no size is known.
    """

    latency_ms: float | None
    latency_p99_ms: float | None
    latency_per_item_ms: float | None
    compute_ms: float | None
    compute_p99_ms: float | None
    throughput_qps: float | None
    enqueue_ms: float | None
    transfers_ms: float | None
    layer_sum_ms: float | None
    layers: int | None
    reformats: int | None
    reformat_ms: float | None
    weights_bytes: int | None
    weights_unknown: int
    peak_live_bytes: int | None
    activations_unknown: int


@dataclass(frozen=True)
class LayerScaling:
    """A factor by which nearly all layers that two engines have alike differ in time.

    Attributes:
        layers: Which of them.
        ratio: Their time over that in the baseline.
        others: The same of the layers of the other bound; None for all layers.
        per_item: The times are divided by the batch, as the batches differ.
        in_queries: Times of queries differ alike, as far as they are known; else only the profile does.
        is_one_gpu: Files of both state the GPU, which is the same.
    """

    layers: ScaledLayers
    ratio: float
    others: float | None
    per_item: bool
    in_queries: bool = True
    is_one_gpu: bool = True


@dataclass(frozen=True)
class FindingChange:
    """A rule that finds something in one engine and not in the other.

    Attributes:
        severity: The highest of its findings.
        places: How many.
        checked: Whether the rule ran on the other engine, whose files would show the same; if not, nothing
            is known to have changed.
    """

    code: str
    name: str
    severity: Severity
    title: str
    message: str
    places: int
    checked: bool


@dataclass(frozen=True)
class ComparedEngine:
    """One engine and how it differs from the baseline.

    Attributes:
        name: Unique among the engines.
        verdict: None for the baseline itself.
        verdict_metric: Which time the verdict compares.
        blocking_conditions: Names of the conditions that block the comparison, in which it differs from the
            baseline; "model" first if the engines do not do the same work.
        new_findings: Findings that the baseline does not have.
        resolved_findings: Findings that only the baseline has.
        model_steps: Steps of its layers by module and by source line, where its ONNX model states them.
        waterfalls: One of each kind; none for the baseline and without times of layers.
        outside_layers_ms: How much of the difference between query times is in no layer, where that is most
            of it; else None.
        scaling: The factor by which layers that the baseline has alike differ; None if there is none.
        unmeasured: Names of the engines without times of layers, for which there are no waterfalls.
        notes: What was missing, odd or repaired when it was read.
        contradictions: Where its files state what can't both be true.
        speedup: What the lower precision of one of the two should save and saves; None if both have one
            precision, or are of different models.
        accuracy: How accurate it is, and what its layers save and lose against the baseline; None if not
            known.
        execution: Which nodes run elsewhere than in the baseline; None unless files state where nodes run.
    """

    name: str
    identity: Identity
    figures: Figures
    by_type: Sequence[Group]
    by_precision: Sequence[Group]
    latency: Latency
    stability: Stability | None
    verdict: Verdict | None = None
    verdict_metric: Metric = ""
    blocking_conditions: list[str] = field(default_factory=list)
    new_findings: list[FindingChange] = field(default_factory=list)
    resolved_findings: list[FindingChange] = field(default_factory=list)
    model_steps: dict[WaterfallKind, LayerSteps] = field(default_factory=dict)
    waterfalls: list[Waterfall] = field(default_factory=list)
    outside_layers_ms: float | None = None
    scaling: LayerScaling | None = None
    unmeasured: list[str] = field(default_factory=list)
    notes: list[Note] = field(default_factory=list)
    contradictions: Sequence[Contradiction] = ()
    speedup: ExpectedSpeedup | None = None
    accuracy: ComparedAccuracy | None = None
    execution: ComparedExecution | None = None


@dataclass(frozen=True)
class ComparedLatency:
    """The latency of something that is not a TensorRT engine; lists are by engine.

    Attributes:
        name: Unique among engines and these.
        times: What is known of its times.
        verdicts: On each engine as a candidate, with this as the baseline.
        verdict_metrics: Which time of the engine each compares.
        speedups: How many times as fast the engine is; None if that is not known.
    """

    name: str
    times: TimesUsed
    verdicts: list[Verdict]
    verdict_metrics: list[Metric]
    speedups: list[float | None]


@dataclass(frozen=True)
class Condition:
    """A condition of an engine's build or measurement.

    Attributes:
        name: Of the condition, or of the option or property as trtexec logs it.
        values: Of each engine, "" where no file states it.
        differs: Two engines are known to differ.
        unknown: It is known of some engines and not of others.
        severity: What it means if it differs.
    """

    name: str
    kind: ConditionKind
    values: list[str]
    differs: bool
    unknown: bool
    severity: ConditionSeverity


@dataclass(frozen=True)
class Comparison:
    """Everything that a comparison of engines states; lists of engines are in the order given.

    Attributes:
        baseline: Index of the engine that the others are compared with.
        settings: The thresholds of the verdicts.
        conditions: What differs first, the most severe first; then what is not known for all; then the rest.
        rows: Each layer of each engine is in exactly one; the largest differences first.
        row_of: For each engine and layer the index of its row.
        block_basis: What the blocks are.
        block_engine: Name of the engine whose layers the blocks are; empty for modules of the model.
        by_operator: Time by operators of the original model; each column adds up to the total layer time.
        by_module: Likewise by module.
        by_source: Likewise by source line; empty unless every engine's ONNX model states them.
        external_latencies: What is not an engine, and is aligned with none.
        speedup_steps: As `ComparedEngine.speedup`, of each engine and the next one where neither is the
            baseline.
    """

    baseline: int
    settings: VerdictSettings
    engines: list[ComparedEngine]
    conditions: list[Condition]
    rows: list[ComparedRow]
    row_of: list[list[int]]
    block_basis: BlockBasis
    block_engine: str
    by_operator: list[Share]
    by_module: list[Share]
    by_source: list[Share] = field(default_factory=list)
    external_latencies: list[ComparedLatency] = field(default_factory=list)
    speedup_steps: list[ExpectedSpeedup] = field(default_factory=list)
    generator: str = "trexreport"
    schema_version: int = COMPARISON_SCHEMA_VERSION

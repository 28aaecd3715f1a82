"""What differs between several engines: everything that a comparison states, as plain values.

Every figure that compares belongs to the candidate and is its own minus the baseline's: negative is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import Literal, get_args

from trexreport.analyzer.analysis.accuracy import ComparedAccuracy
from trexreport.analyzer.analysis.alignment import Change, MatchKey
from trexreport.analyzer.analysis.engine import Identity, Note
from trexreport.analyzer.analysis.execution import ComparedExecution
from trexreport.analyzer.analysis.layers import Group
from trexreport.analyzer.analysis.speedup import ExpectedSpeedup
from trexreport.analyzer.analysis.timing import Latency, Stability
from trexreport.analyzer.analysis.verdict import Metric, TimesUsed, Verdict, VerdictSettings
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

#: The time of a row against the baseline's; "unknown" where a side was not fully measured.
RowStatus = Literal["within noise", "faster", "slower", "candidate only", "baseline only", "unknown"]

#: Layers that serve others: changing only type, layout or location of data; quantizing; doing nothing.
Helper = Literal["reformats", "quantizers", "no-ops"]
HELPERS: tuple[Helper, ...] = get_args(Helper)
#: Why the time of a row changed. Of the layers that compute, the first that applies is given, as a change of
#: precision brings other kernels and other fusions with it; the layers that serve them have their own.
Cause = Literal[
    "not fully measured",
    "candidate only",
    "baseline only",
    "different shapes",
    "precision changed",
    "fused",
    "split",
    "tactic changed",
    "same layers faster",
    "same layers slower",
    "same layers unchanged",
    "reformats added",
    "reformats removed",
    "reformats faster",
    "reformats slower",
    "reformats unchanged",
    "quantizers added",
    "quantizers removed",
    "quantizers faster",
    "quantizers slower",
    "quantizers unchanged",
    "no-ops added",
    "no-ops removed",
    "no-ops faster",
    "no-ops slower",
    "no-ops unchanged",
]

#: What the steps between two sums of layers are grouped by; the last two need the ONNX model of both engines.
WaterfallKind = Literal["type", "output precision", "block", "cause", "module", "source line"]

#: What the blocks of a comparison are: modules of the model; the same, those that differ in a number only as
#: one; what repeats in the structure of one engine; ranges of its layers.
BlockBasis = Literal["modules", "module series", "repeated structure", "layer ranges"]


@dataclass(frozen=True)
class Figures:
    """What an engine costs as a whole; None where it was not measured or is not known.

    Attributes:
        latency_ms, compute_ms: Medians; `*_p99_ms` the 99th percentiles.
        latency_per_item_ms: Median latency by the batch.
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
    layer_sum_ms: float | None
    layers: int | None
    reformats: int | None
    reformat_ms: float | None
    weights_bytes: int | None
    weights_unknown: int
    peak_live_bytes: int | None
    activations_unknown: int


@dataclass(frozen=True)
class FindingChange:
    """A rule that finds something in one engine and not in the other.

    Attributes:
        severity: The highest of its findings.
        places: How many.
        checked: Whether the rule ran on the other engine; if not, nothing is known to have changed.
    """

    code: str
    name: str
    severity: str
    title: str
    message: str
    places: int
    checked: bool


@dataclass(frozen=True)
class Step:
    """One part of the difference between two sums of layers.

    Attributes:
        difference_ms: `candidate_ms` minus `baseline_ms`; 0 where that is rounding noise.
        baseline_ms, candidate_ms: Time of the layers concerned, in the baseline and in the candidate.
        baseline_layers, candidate_layers: How many those are, without structural ones that take no time.
    """

    name: str
    difference_ms: float
    baseline_ms: float
    candidate_ms: float
    baseline_layers: int
    candidate_layers: int


@dataclass(frozen=True)
class Waterfall:
    """The way from the baseline's total layer time to a candidate's; the steps add up to the difference.

    Attributes:
        by: What the steps are.
        steps: The largest first, whatever its sign; "Missing rows" are layers that a profile does not list.
    """

    by: WaterfallKind
    baseline_ms: float
    candidate_ms: float
    difference_ms: float
    steps: list[Step]


@dataclass(frozen=True)
class LayerSteps:
    """Of which step of a waterfall each layer of an engine is a part.

    Attributes:
        names: Of the steps. A layer of several modules or source lines is a part of a step of their names.
        layers: For each layer, the position of its step in `names`.
    """

    names: Sequence[str]
    layers: Sequence[int] = field(repr=False)


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


@dataclass(frozen=True, slots=True)
class Member:
    """A layer as a member of a row.

    Attributes:
        index: In the engine's execution order.
        is_helper: It reformats, quantizes or synchronizes for the others of the row.
    """

    index: int
    name: str
    type: str
    precision: str
    output_precision: str
    tactic: str
    time_ms: float | None
    is_helper: bool


@dataclass(frozen=True, slots=True)
class RowSide:
    """What one engine does in a row.

    Attributes:
        members: Layers that compute, then those that serve them.
        keys: By what they were matched; see `AlignedRow.keys`.
        time_ms: Sum of the members' times; None if none was measured.
        difference_ms: Against the baseline; None where either side was not fully measured.
        ratio: To the baseline's time; None without a time of both.
        status: Of the time; empty for the baseline and where neither engine has layers.
        changes: What differs in structure; see `AlignedRow.changes`.
        causes: Causes to their contributions to the difference; they add up to it.
    """

    members: list[Member]
    keys: list[MatchKey]
    time_ms: float | None
    difference_ms: float | None = None
    ratio: float | None = None
    status: RowStatus | Literal[""] = ""
    changes: list[Change] = field(default_factory=list)
    causes: dict[Cause, float] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ComparedRow:
    """Layers that do the same part of the model.

    Attributes:
        label: Name of the slowest layer of the baseline, else of the first engine that has one.
        more_layers: How many more computing layers that engine has in the row.
        module: Path of the module of the model, empty if no name states it.
        block: The step of the waterfalls by block that it belongs to.
        position: In the baseline's order of execution.
        sides: One for each engine.
        cut: Names link the row to others; they were separated, as the group would have been too large.
    """

    label: str
    more_layers: int
    module: str
    block: str
    position: int
    sides: list[RowSide]
    cut: bool = False


@dataclass(frozen=True, slots=True)
class Share:
    """Layers that implement the same names of the model; more than one name is shared, and counted once.

    Attributes:
        names: Operators or modules of the model; empty for layers that name none.
        layers: How many layers of each engine, without structural ones that take no time.
        times_ms: Of each engine; None where none of them was measured.
    """

    names: list[str]
    layers: list[int]
    times_ms: list[float | None]


@dataclass(frozen=True)
class Comparison:
    """Everything that a comparison of engines states; lists of engines are in the order given.

    Attributes:
        baseline: Index of the engine that the others are compared with.
        settings: The thresholds of the verdicts.
        conditions: What differs first, the most severe first; then what is not known of all; then the rest.
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

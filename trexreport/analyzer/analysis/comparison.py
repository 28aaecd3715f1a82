"""What differs between several engines: everything that a comparison says, as plain values.

Every figure that compares stands at the candidate and is its own minus the baseline's: negative is faster.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis.engine import Identity, Note
from trexreport.analyzer.analysis.layers import Group
from trexreport.analyzer.analysis.timing import Latency, Stability
from trexreport.analyzer.analysis.verdict import TimesUsed, Verdict, VerdictSettings

#: Raised by one whenever a reader of the JSON form would have to change.
COMPARISON_SCHEMA_VERSION = 1

#: How grave it is that engines differ in a condition.
BLOCKS, EXPLAINS, HARMLESS = "blocks the comparison", "explains a difference", "harmless"
GRAVITIES = (BLOCKS, EXPLAINS, HARMLESS)

#: What the time of a row may be against the baseline's; "unknown" where a side was not measured in full.
MARKS = ("same", "faster", "slower", "only here", "missing", "unknown")

#: Layers that serve others: changing only type, layout or place of data; quantizing; doing nothing.
HELPERS = ("reformats", "quantizers", "no-ops")
#: Why the time of a row changed. Of those of layers that compute the first that applies is given, as a change
#: of precision brings other kernels and other fusions with it; the layers that help them have their own.
CAUSES = (
    "not measured in full",
    "only here",
    "missing",
    "other shapes",
    "precision changed",
    "fused",
    "split",
    "tactic changed",
    *(f"same layers {change}" for change in ("faster", "slower", "unchanged")),
    *(
        f"{helpers} {change}"
        for helpers in HELPERS
        for change in ("added", "removed", "faster", "slower", "unchanged")
    ),
)

#: By what the difference between two sums of layers is divided into steps.
WATERFALLS = ("type", "output precision", "block", "cause")


@dataclass
class Figures:
    """What an engine costs as a whole; None where it was not measured or is not known.

    Attributes:
        latency_ms, compute_ms: Medians; `*_p99_ms` the 99th percentiles.
        latency_per_item_ms: Median latency by the batch.
        layers: Those that are not structural.
        reformats: Layers that change nothing but type or layout; `reformat_ms` their time.
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
    layers: int
    reformats: int
    reformat_ms: float | None
    weights_bytes: int | None
    weights_unknown: int
    peak_live_bytes: int | None
    activations_unknown: int


@dataclass
class FindingChange:
    """A rule that finds something in one engine and not in the other.

    Attributes:
        severity: The gravest of its findings.
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


@dataclass
class Step:
    """One part of the difference between two sums of layers.

    Attributes:
        difference_ms: `after_ms` minus `before_ms`.
        before_ms, after_ms: Time of the layers concerned, in the baseline and in the candidate.
        before_layers, after_layers: How many those are, structural ones without time left out.
    """

    name: str
    difference_ms: float
    before_ms: float
    after_ms: float
    before_layers: int
    after_layers: int


@dataclass
class Waterfall:
    """The way from the baseline's sum of layers to a candidate's; the steps sum to the difference.

    Attributes:
        by: One of `WATERFALLS`.
        steps: The largest first, whatever its sign.
    """

    by: str
    start_ms: float
    end_ms: float
    difference_ms: float
    steps: list[Step]


@dataclass
class ComparedEngine:
    """One engine and what it is against the baseline.

    Attributes:
        name: Unique among the engines.
        verdict: None for the baseline itself.
        verdict_of: What the verdict compares: "GPU compute time", "latency", "sum of the layers" or "".
        obstacles: Names of the conditions that block the comparison, in which it differs from the baseline;
            "model" first if the engines do not do the same work.
        appeared: Findings that the baseline does not have.
        vanished: Findings that only the baseline has.
        waterfalls: One for each of `WATERFALLS`; none for the baseline and without times of layers.
        no_waterfalls: Why there are none, in one sentence; else empty.
        notes: What was missing, odd or repaired when it was read.
    """

    name: str
    identity: Identity
    figures: Figures
    by_type: Sequence[Group]
    by_precision: Sequence[Group]
    latency: Latency
    stability: Stability | None
    verdict: Verdict | None = None
    verdict_of: str = ""
    obstacles: list[str] = field(default_factory=list)
    appeared: list[FindingChange] = field(default_factory=list)
    vanished: list[FindingChange] = field(default_factory=list)
    waterfalls: list[Waterfall] = field(default_factory=list)
    no_waterfalls: str = ""
    notes: list[Note] = field(default_factory=list)


@dataclass
class ComparedLatency:
    """Something that is no TensorRT engine, of which only the latency is known; lists are by engine.

    Attributes:
        name: Unique among engines and these.
        times: What is known of its times.
        verdicts: On each engine as a candidate, with this as the baseline.
        verdicts_of: What of the engine each compares: "latency", "GPU compute time", "sum of the layers" or
            "".
        speedups: How many times as fast the engine is; None if that is not known.
    """

    name: str
    times: TimesUsed
    verdicts: list[Verdict]
    verdicts_of: list[str]
    speedups: list[float | None]


@dataclass
class Condition:
    """Something that was given to an engine's build or measurement.

    Attributes:
        values: Of each engine, "" where no file says it.
        differs: Two engines are known to differ.
        unknown: It is known of some engines and not of others.
        gravity: One of `GRAVITIES`; what it means if it differs.
        why: What it does to the times, in one sentence.
    """

    name: str
    values: list[str]
    differs: bool
    unknown: bool
    gravity: str
    why: str


@dataclass(slots=True)
class Member:
    """A layer as a member of a row.

    Attributes:
        index: In the engine's execution order.
        helps: It reformats, quantizes or synchronizes for the others of the row.
    """

    index: int
    name: str
    type: str
    precision: str
    output_precision: str
    tactic: str
    time_ms: float | None
    helps: bool


@dataclass(slots=True)
class RowSide:
    """What one engine does in a row.

    Attributes:
        members: Layers that compute, then those that help them.
        keys: By what they were matched; see `AlignedRow.keys`.
        time_ms: Sum of the members' times; None if none was measured.
        difference_ms: Against the baseline; None where either side was not measured in full.
        ratio: To the baseline's time; None without a time of both.
        mark: One of `MARKS`; empty for the baseline and where neither engine has layers.
        changes: What differs in structure; see `AlignedRow.changes`.
        causes: One or more of `CAUSES` to their part of the difference; they sum to it.
    """

    members: list[Member]
    keys: list[str]
    time_ms: float | None
    difference_ms: float | None = None
    ratio: float | None = None
    mark: str = ""
    changes: list[str] = field(default_factory=list)
    causes: dict[str, float] = field(default_factory=dict)


@dataclass(slots=True)
class ComparedRow:
    """Layers that do the same part of the model.

    Attributes:
        label: Name of the dearest layer of the baseline, else of the first engine that has one.
        others: How many more computing layers that engine has in the row.
        module: Path of the module of the model, empty if no name tells.
        place: Position in the baseline's order of execution.
        sides: One for each engine.
        cut: Names tie the row to others, which would have made it too large to tell anything.
    """

    label: str
    others: int
    module: str
    place: int
    sides: list[RowSide]
    cut: bool = False


@dataclass(slots=True)
class Share:
    """Layers that stand for the same names of the model; more than one name is shared, and counted once.

    Attributes:
        names: Operators or modules of the model; empty for layers that name none.
        layers: How many layers of each engine, structural ones without time left out.
        times_ms: Of each engine; None where none of them was measured.
    """

    names: list[str]
    layers: list[int]
    times_ms: list[float | None]


@dataclass
class Comparison:
    """Everything that a comparison of engines says; lists of engines are in the order given.

    Attributes:
        baseline: Index of the engine that the others are held against.
        settings: What a verdict asks for.
        comparability: What differs first, the gravest first; then what is not known of all; then the rest.
        rows: Each layer of each engine stands in exactly one; the largest differences first.
        row_of: For each engine and layer the index of its row.
        blocks_by: What the steps of the waterfalls by block are, in one sentence.
        by_operator: Latency by operators of the original model; each column sums to the engine's layer sum.
        by_module: Likewise by module.
        others: What is no engine, and is aligned with none.
    """

    baseline: int
    settings: VerdictSettings
    engines: list[ComparedEngine]
    comparability: list[Condition]
    rows: list[ComparedRow]
    row_of: list[list[int]]
    blocks_by: str
    by_operator: list[Share]
    by_module: list[Share]
    others: list[ComparedLatency] = field(default_factory=list)
    generator: str = "trexreport"
    schema_version: int = COMPARISON_SCHEMA_VERSION

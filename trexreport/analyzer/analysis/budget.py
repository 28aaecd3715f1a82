"""The outcome of checking an engine against a budget, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, Literal, get_args

from trexreport.analyzer.analysis.comparison import LayerScaling
from trexreport.analyzer.analysis.engine import Identity, SourceFacts
from trexreport.analyzer.analysis.findings import Severity
from trexreport.analyzer.analysis.verdict import Verdict
from trexreport.lazy_dataclass import dataclass

#: Raised by one whenever a reader of the JSON form would have to change.
CHECK_SCHEMA_VERSION = 1

#: What happens when a limit does not hold.
Level = Literal["off", "warn", "error"]
LEVELS: tuple[Level, ...] = get_args(Level)
#: The outcome of a limit.
State = Literal["held", "broken", "unknown", "off"]
STATES: tuple[State, ...] = get_args(State)
HELD: Final = "held"
BROKEN: Final = "broken"
UNKNOWN: Final = "unknown"
OFF: Final = "off"
#: What limits are on, in the order in which they are listed.
LimitGroup = Literal["engine", "findings", "regression", "part", "total"]
#: On which side of a limit values hold.
LimitBound = Literal["max", "min"]
#: The tables of a configuration that have limits; "engine" is [budget] itself. [budget.metrics] has limits on
#: figures of the whole model, and on how far they may be below or above those of the baseline.
LimitTable = Literal[
    "engine", "metrics", "metric-drop", "metric-rise", "findings", "places", "regression", "part", "total"
]
#: What to bear in mind of a check itself.
CheckRemark = Literal["unused-baseline"]

#: Why a figure is not known, and what to bear in mind; `trexreport/wording/budget.py` has the sentences.
MetricReasonCode = Literal[
    # No file states it.
    "no-latency",
    "no-percentile",
    "no-throughput",
    "no-size",
    "no-profile",
    "no-accuracy",
    "no-metric",
    "no-relative-error",
    "accuracy-of-other-model",
    "accuracy-of-other-sizes",
    "not-finite",
    "names-only",
    "no-layers",
    # A part of it is not known.
    "weights-of-unknown-size",
    "weights-not-reported",
    "tensors-of-unknown-size",
    "precisions-not-stated",
    "layers-not-measured",
    "impossible-values",
    "times-are-sums",
    "no-tensors",
    "rule-not-run",
    "rules-not-run",
    "rules-left-out",
    "rules-not-run-on-baseline",
    "contradictory-files",
    "failed-runs",
    # Of parts of the engine.
    "nothing-fits",
    "rows-not-measured",
    "layers-not-known-in-full",
    "blocks-not-known-in-full",
    # Against the baseline.
    "no-baseline",
    "no-p99-of-both",
    "none-in-baseline",
    "no-time-in-baseline",
    "not-known-of-baseline",
    # Of all phases of a set.
    "no-phase-in-baseline",
    "no-count-of-phases",
    "no-time-of-all-phases",
    "phases-left-out",
    "other-phases-in-baseline",
    "different-conditions",
    # What to bear in mind.
    "mean-of-runs",
    "size-from-run-log",
    "totals-alone",
    "most-of-layers",
    "most-of-blocks",
    "found-by",
    "newly-found-by",
    "rules-without-rare-inputs",
]
#: What of a verdict says so: its evidence on the median or the p99, or why it does not decide.
VerdictReasonCode = Literal["median", "p99", "inconclusive", "p99-inconclusive", "not-slower"]


@dataclass(frozen=True)
class MetricReason:
    """Why a figure is not known, or what to bear in mind.

    Attributes:
        count: How many layers, tensors, rules, runs or others the code is about.
        total: Among how many they are.
        names: Of rules or conditions; of a rule that alone could not run, its code and its own reason; of
            files that contradict each other, what the reader says of them.
        of: The reasons of the baseline, or of the first part that is not fully known.
    """

    code: MetricReasonCode
    count: int = 0
    total: int = 0
    names: Sequence[str] = ()
    of: Sequence[LimitReason] = ()


@dataclass(frozen=True)
class VerdictReason:
    """What a verdict says about the change of a time.

    Attributes:
        metric: Which time the verdict compares.
        scaling: By which factor layers differ alike, as in another state of the GPU.
    """

    code: VerdictReasonCode
    verdict: Verdict
    metric: str
    scaling: LayerScaling | None = None


LimitReason = MetricReason | VerdictReason


@dataclass(frozen=True)
class LimitTitle:
    """What is limited.

    Attributes:
        key: Name of the limit in its table.
        severity: The slightest findings that count, where rules are limited.
        part: As the configuration calls the part of the engine; empty for the whole.
    """

    table: LimitTable
    key: str
    severity: Severity = "info"
    part: str = ""


@dataclass(frozen=True)
class LimitOutcome:
    """One limit and what came of it.

    Attributes:
        id: As the configuration names it, such as "latency-p99-ms" or "findings.TRX302".
        group: What the limit is on.
        title: What is limited; JSON has it in words.
        unit: Of `limit` and `value`; empty for counts.
        bound: "max" or "min".
        value: None if nothing is known.
        at_least: The value is a lower bound, as a part of it is not known.
        state: One of `STATES`; a value that equals the limit holds.
        severity: What follows: "error" fails the check, "warn" gives a warning, empty is neither.
        reason: Why the value is not known, and what to bear in mind; JSON has it in sentences. May be empty.
        layers: Names of the slowest layers in the part of the engine that is limited.
    """

    id: str
    group: LimitGroup
    title: LimitTitle
    unit: str
    bound: LimitBound
    limit: float
    value: float | None
    at_least: bool
    state: State
    severity: Literal["", "warn", "error"]
    reason: Sequence[LimitReason] = ()
    layers: Sequence[str] = ()


@dataclass(frozen=True)
class BudgetCheck:
    """All limits of a budget and what came of them.

    Attributes:
        engine: What was checked.
        baseline: What it was compared with; None without one.
        budget: File with the limits, for messages.
        failed: Whether a limit of severity "error" does not hold.
        counts: How many limits "held", were "broken", are "unknown" or "off", and how many are of
            severity "warn" and "error".
        outcomes: In the order of `LimitGroup`, then as the documentation lists them.
        remarks: About the check itself; JSON has a sentence of each.
        sources: The files that the engine was read from.
    """

    engine: Identity
    baseline: Identity | None
    budget: str
    failed: bool
    counts: dict[str, int]
    outcomes: Sequence[LimitOutcome]
    remarks: Sequence[CheckRemark]
    sources: Sequence[SourceFacts]
    generator: str = "trexreport"
    schema: str = "trexreport.check"
    schema_version: int = CHECK_SCHEMA_VERSION


@dataclass(frozen=True)
class SuggestedLimit:
    """A limit as a configuration may state it.

    Attributes:
        table: Its heading, such as "budget.findings".
        value: None where the figure is not known in whole.
        missing: Why it is not.
    """

    table: str
    key: str
    value: float | None
    missing: Sequence[LimitReason] = ()

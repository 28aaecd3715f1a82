"""What the rules found: where, how much could be gained at most, and what to do."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

#: How grave a finding is.
Severity = Literal["error", "warning", "info"]
#: From grave to slight.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
#: Why a rule was not checked: its input is missing, or it raised.
UncheckedCode = Literal["skipped", "broken"]


@dataclass(frozen=True)
class Place:
    """One place of the engine where a rule applies.

    Attributes:
        message: What is there, in one sentence that names no layer, as the layers stand beside it.
        layers: Indices of the layers that show it, the one to look at first; empty for the whole engine.
        gain_ms: The most that mending it could save; never more than the time of `layers`. None if unknown.
        evidence: Label to text, such as {"format": "INT8 → FP16"}.
        fingerprint: Stays the same from build to build as long as the layers keep their names.
    """

    message: str
    layers: Sequence[int] = ()
    gain_ms: float | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass(frozen=True)
class Finding:
    """What one rule found, with all places of one severity.

    Attributes:
        code: Such as "TRX102".
        name: Dotted name, family first, such as "convolution.float-output".
        severity: One of `SEVERITIES`.
        title: What is wrong in general, as a short statement.
        message: What is wrong here, in one sentence with the figures.
        section: Section of the report in which to read on.
        places: The dearest first.
        layers: Indices of all layers of the places, each once.
        time_ms: Time of `layers`; None where none was measured.
        gain_ms: The most that mending all places could save: the sum of theirs, at most `time_ms`.
        gain_percent: Of the sum of all layers' times; of the time of a query where no layer is concerned.
        savings: How `gain_ms` is estimated.
        cost: Why it costs time.
        recommendation: What to do.
        false_alarm: When there is nothing wrong.
        overlaps: Codes of larger findings, of other rules, that have most of these layers: one problem
            that is told from another side. Empty where there are none.
    """

    code: str
    name: str
    severity: Severity
    title: str
    message: str
    section: str
    places: Sequence[Place]
    layers: Sequence[int]
    time_ms: float | None
    gain_ms: float | None
    gain_percent: float | None
    savings: str
    cost: str
    recommendation: str
    false_alarm: str
    overlaps: Sequence[str] = ()


@dataclass(frozen=True)
class ThresholdFacts:
    """A bound of a rule that the configuration may change.

    Attributes:
        name: As the configuration spells it.
        minimum, maximum: The allowed values.
        meaning: What it bounds, with the unit.
    """

    name: str
    default: float
    minimum: float
    maximum: float
    meaning: str


@dataclass(frozen=True)
class RuleFacts:
    """What there is to be said of a rule; texts are paragraphs, one a line."""

    code: str
    name: str
    family: str
    severity: Severity
    title: str
    cost: str
    recommendation: str
    false_alarm: str
    savings: str
    needs: tuple[str, ...] = ()
    thresholds: tuple[ThresholdFacts, ...] = ()


@dataclass(frozen=True)
class SuppressedPlace:
    """A place that the configuration keeps quiet, with the reason that it gives.

    Attributes:
        severity: That the place would have had.
    """

    code: str
    severity: Severity
    place: Place
    reason: str


@dataclass(frozen=True)
class UncheckedRule:
    """A rule that said nothing, and why.

    Attributes:
        why: "skipped" (its input is missing) or "broken" (it raised).
    """

    code: str
    name: str
    why: UncheckedCode
    reason: str


@dataclass(frozen=True)
class Lint:
    """The outcome of all rules.

    Attributes:
        findings: Those that could gain most first, counting with what no larger one of their subject has
            told of; then by severity and code.
        suppressed: What the configuration keeps quiet.
        unchecked: Rules that were skipped or broke.
        remarks: About the configuration: suppressions that match nothing or have expired.
        checked: How many rules ran to their end.
    """

    findings: Sequence[Finding] = ()
    suppressed: Sequence[SuppressedPlace] = ()
    unchecked: Sequence[UncheckedRule] = ()
    remarks: Sequence[str] = ()
    checked: int = 0

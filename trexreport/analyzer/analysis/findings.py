"""What the rules found: where, how much could be gained at most, and what to do."""

from __future__ import annotations

from dataclasses import dataclass, field

#: From grave to slight.
SEVERITIES = ("error", "warning", "info")


@dataclass
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
    layers: list[int] = field(default_factory=list)
    gain_ms: float | None = None
    evidence: dict[str, str] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass
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
    severity: str
    title: str
    message: str
    section: str
    places: list[Place]
    layers: list[int]
    time_ms: float | None
    gain_ms: float | None
    gain_percent: float | None
    savings: str
    cost: str
    recommendation: str
    false_alarm: str
    overlaps: list[str] = field(default_factory=list)


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
    severity: str
    title: str
    cost: str
    recommendation: str
    false_alarm: str
    savings: str
    needs: tuple[str, ...] = ()
    thresholds: tuple[ThresholdFacts, ...] = ()


@dataclass
class SuppressedPlace:
    """A place that the configuration keeps quiet, with the reason that it gives.

    Attributes:
        severity: That the place would have had.
    """

    code: str
    severity: str
    place: Place
    reason: str


@dataclass
class UncheckedRule:
    """A rule that said nothing, and why.

    Attributes:
        why: "skipped" (its input is missing) or "broken" (it raised).
    """

    code: str
    name: str
    why: str
    reason: str


@dataclass
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

    findings: list[Finding] = field(default_factory=list)
    suppressed: list[SuppressedPlace] = field(default_factory=list)
    unchecked: list[UncheckedRule] = field(default_factory=list)
    remarks: list[str] = field(default_factory=list)
    checked: int = 0

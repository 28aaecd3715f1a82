"""The findings of the rules: where, the savings, and the recommendation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field
from typing import Literal, get_args

from trexreport.analyzer.analysis.gains import Gain
from trexreport.lazy_dataclass import dataclass

#: How severe a finding is.
Severity = Literal["error", "warning", "info"]
#: The most severe first.
SEVERITIES: tuple[Severity, ...] = get_args(Severity)
#: Why a rule was not checked: its input is missing, or it raised.
UncheckedCode = Literal["skipped", "broken"]
#: Savings from which on two states of the run's times matter as much as the engine, in percent.
_MUCH_PERCENT = 10.0


@dataclass(frozen=True)
class Place:
    """One place of the engine where a rule applies.

    Attributes:
        message: What is there, as one statement; it names the first layer, shortened.
        layers: Indices of the layers that show it, the most important first; empty for the whole engine.
        gain: The time that a fix saves; None if not known.
        evidence: Label to text, such as {"format": "INT8 → FP16"}.
        fingerprint: The same in every build in which the layers have the same names.
    """

    message: str
    layers: Sequence[int] = ()
    gain: Gain | None = None
    evidence: Mapping[str, str] = field(default_factory=dict)
    fingerprint: str = ""


@dataclass(frozen=True)
class Consequence:
    """Places of another rule that the fix of a finding also resolves; they are not findings of their own.

    The attributes are those of `Finding`, except

    Attributes:
        causes: For each of `places` the index of the finding's place that explains it.
        in_part: Other findings explain or report some of what the rule found.
    """

    code: str
    name: str
    severity: Severity
    title: str
    message: str
    places: Sequence[Place]
    layers: Sequence[int]
    time_ms: float | None
    causes: Sequence[int]
    in_part: bool = False


@dataclass(frozen=True)
class LogFinding:
    """What a rule found in a log, or in a run of one, that is not shown."""

    file: str
    code: str
    severity: Severity
    message: str
    recommendation: str = ""


@dataclass(frozen=True)
class Finding:
    """What one rule found, with all places of one severity that no other rule explains.

    Attributes:
        code: Such as "TRX102".
        name: Dotted name, family first, such as "convolution.float-output".
        severity: One of `SEVERITIES`.
        title: The problem in general, as a short statement.
        message: The problem in this engine, as one statement with figures.
        section: The report's section with the details.
        places: The largest first.
        layers: Indices of all layers of the places, each once.
        time_ms: Time of `layers`; None where none was measured.
        gain: What fixing all places saves: the sum of their savings, up to the time of the layers whose time
            becomes shorter; None if not known of any place.
        savings: How `gain` is computed.
        cost: Why it costs time.
        recommendation: What to do.
        false_alarm: When nothing is wrong.
        consequences: What else fixing the places resolves, by severity and time; the savings include it.
        about: "measurement" if it concerns the run or its files rather than the engine.
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
    gain: Gain | None
    savings: str
    cost: str
    recommendation: str
    false_alarm: str
    consequences: Sequence[Consequence] = ()
    about: Literal["engine", "measurement"] = "engine"

    @property
    def is_apart(self) -> bool:
        """Whether it is listed after the findings on the engine, with those on the measurement.

        Queries that differ so much that the times are not those of one state matter as much as the engine.
        """
        if self.about == "engine" or self.gain is None:
            return self.about != "engine"
        measured = any(basis.code == "measured-queries" for basis in self.gain.bases)
        return not measured or (self.gain.ranking_percent or 0.0) < _MUCH_PERCENT


def with_consequences(findings: Iterable[Finding]) -> Iterator[Finding | Consequence]:
    """Yield findings, each followed by its consequences: everything that the rules found."""
    for finding in findings:
        yield finding
        yield from finding.consequences


@dataclass(frozen=True)
class ThresholdFacts:
    """A limit of a rule that the configuration can change.

    Attributes:
        name: As the configuration spells it.
        minimum, maximum: The allowed values.
        meaning: What it limits, with the unit.
    """

    name: str
    default: float
    minimum: float
    maximum: float
    meaning: str


@dataclass(frozen=True)
class RuleFacts:
    """The documentation of a rule; texts are paragraphs, one per line."""

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
    """A place that the configuration suppresses, with the stated reason.

    Attributes:
        severity: Of the place without the suppression.
    """

    code: str
    severity: Severity
    place: Place
    reason: str


@dataclass(frozen=True)
class UncheckedRule:
    """A rule that did not run, and why.

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
        findings: On the engine, then on the measurement: of each errors without savings first, then the
            largest savings; without an estimate a tenth of the layers' time counts, of information a third.
        suppressed: Places that the configuration suppresses.
        unchecked: Rules that were skipped or failed.
        remarks: About the configuration: suppressions that match nothing or have expired.
        checked: Number of rules that ran.
    """

    findings: Sequence[Finding] = ()
    suppressed: Sequence[SuppressedPlace] = ()
    unchecked: Sequence[UncheckedRule] = ()
    remarks: Sequence[str] = ()
    checked: int = 0

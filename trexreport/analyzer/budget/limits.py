"""What a budget is made of: limits, and what is known of the figures that they bound."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, NamedTuple

from trexreport.analyzer.analysis import Analysis, Severity
from trexreport.analyzer.analysis import budget as facts
from trexreport.analyzer.analysis.contradictions import FigureGroup, contradicted
from trexreport.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Limit:
    """A bound of one figure.

    Attributes:
        key: Name of the figure in its table of the configuration, unit included.
        value: In the unit that the key names; a figure that equals it holds.
        level: One of `LEVELS`: what it is if the figure is beyond the bound.
        unknown: One of `LEVELS`: what it is if the figure is not known.
        severity: The slightest findings that count, where rules are limited.
    """

    key: str
    value: float
    level: facts.Level = "error"
    unknown: facts.Level = "warn"
    severity: Severity = "info"


#: What a limit on a figure of the whole model bounds: the figure, or how much it is less or more than that of
#: the baseline.
MetricLimitKind = Literal["min", "max", "max-drop", "max-rise"]


@dataclass(frozen=True)
class MetricLimit(Limit):
    """A bound of a figure of the whole model, such as top1; `key` is its name."""

    kind: MetricLimitKind = "min"

    @property
    def needs_baseline(self) -> bool:
        """Whether it holds the engine against another."""
        return self.kind in ("max-drop", "max-rise")


@dataclass(frozen=True)
class Part:
    """Limits of a part of the engine, chosen by a shell pattern.

    Attributes:
        pattern: Of names of layers, or of paths of blocks.
        is_block: Which of the two.
        each: Hold every layer or block that fits against the limits by itself, not their sum.
        title: As messages call it.
        limits: Each key once.
    """

    pattern: str
    is_block: bool
    each: bool
    title: str
    limits: tuple[Limit, ...]


@dataclass(frozen=True)
class Budget:
    """All limits that an engine is checked against.

    Attributes:
        file: Where they stand, for messages.
        engine: On figures of the whole engine.
        metrics: On figures of the whole model.
        findings, places: On what the rules find; a key is a severity or chooses rules.
        regression: On what is more than in the baseline.
        parts: On layers and blocks.
    """

    file: str = ""
    engine: tuple[Limit, ...] = ()
    metrics: tuple[MetricLimit, ...] = ()
    findings: tuple[Limit, ...] = ()
    places: tuple[Limit, ...] = ()
    regression: tuple[Limit, ...] = ()
    parts: tuple[Part, ...] = ()

    @property
    def limits(self) -> tuple[Limit, ...]:
        """All limits, those of the parts too."""
        of_parts = (limit for part in self.parts for limit in part.limits)
        return (*self.engine, *self.metrics, *self.findings, *self.places, *self.regression, *of_parts)

    @property
    def needs_blocks(self) -> bool:
        """Whether a limit is on blocks."""
        return any(part.is_block for part in self.parts)

    @property
    def against_baseline(self) -> tuple[Limit, ...]:
        """The limits that are not off and hold the engine against another."""
        of_parts = (limit for part in self.parts for limit in part.limits if limit.key == REGRESSION_OF_PART)
        of_metrics = (limit for limit in self.metrics if limit.needs_baseline)
        limits = (*self.regression, *of_metrics, *of_parts)
        return tuple(limit for limit in limits if limit.level != "off")

    @property
    def needs_baseline(self) -> bool:
        """Whether a limit that is not off holds the engine against another."""
        return bool(self.against_baseline)


#: The limit of a part that needs a baseline.
REGRESSION_OF_PART = "regression-percent"


class MetricValue(NamedTuple):
    """What is known of a figure.

    Attributes:
        value: None for nothing; at least this if something is missing.
        missing: Why it is not known; empty if the value is certain.
        remarks: What else to bear in mind.
        layers: Names of layers that it is about.
    """

    value: float | None
    missing: Sequence[facts.LimitReason] = ()
    remarks: Sequence[facts.LimitReason] = ()
    layers: Sequence[str] = ()


@dataclass(frozen=True)
class Limited:
    """A figure that can be limited.

    Attributes:
        unit: Of limit and value; empty for counts.
        bound: On which side of the limit values hold.
        most: The largest limit that makes sense.
        rests_on: What of the files must not be contradicted.
    """

    unit: str = ""
    bound: facts.LimitBound = "max"
    most: float = 1e12
    rests_on: Sequence[FigureGroup] = ()


def unless_contradicted(
    known: MetricValue, groups: Sequence[FigureGroup], *analyses: Analysis
) -> MetricValue:
    """Return what is known of a figure: nothing where files contradict each other in what it rests on."""
    found = [each for one in analyses for each in contradicted(one.contradictions, groups)]
    if not found:
        return known
    return MetricValue(
        None, [facts.MetricReason("contradictory-files", names=[each.message for each in found])]
    )


class Subject(NamedTuple):
    """What a limit is on, as an outcome states it."""

    id: str
    group: facts.LimitGroup
    title: facts.LimitTitle
    unit: str
    bound: facts.LimitBound = "max"


def judge(limit: Limit, known: MetricValue, subject: Subject) -> facts.LimitOutcome:
    """Return what comes of a limit.

    A value of which a part is missing is a lower bound: that can break a limit of "at most", but not hold it.
    What has to be at least something is known in whole or not at all.
    """
    state = _state(limit, known, subject.bound)
    level = {facts.BROKEN: limit.level, facts.UNKNOWN: limit.unknown}.get(state, "off")
    return facts.LimitOutcome(
        **subject._asdict(),
        limit=limit.value,
        value=known.value,
        at_least=known.value is not None and bool(known.missing),
        state=state,
        severity="" if level == "off" else level,
        reason=() if state == facts.OFF else (*known.missing, *known.remarks),
        layers=[] if state in (facts.HELD, facts.OFF) else list(known.layers),
    )


def _state(limit: Limit, known: MetricValue, bound: str) -> facts.State:
    if limit.level == "off":
        return facts.OFF
    if known.value is None:
        return facts.UNKNOWN
    if known.value < limit.value if bound == "min" else known.value > limit.value:
        return facts.BROKEN
    return facts.UNKNOWN if known.missing else facts.HELD

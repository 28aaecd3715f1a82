"""The outcome of checking an engine against a budget, as plain values."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, get_args

from trexreport.analyzer.analysis.engine import Identity, SourceFacts

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
LimitGroup = Literal["engine", "findings", "regression", "part"]
#: On which side of a limit values hold.
LimitBound = Literal["max", "min"]


@dataclass(frozen=True)
class LimitOutcome:
    """One limit and what came of it.

    Attributes:
        id: As the configuration names it, such as "latency-p99-ms" or "findings.TRX302".
        group: What the limit is on.
        title: What is limited, in words.
        unit: Of `limit` and `value`; empty for counts.
        bound: "max" or "min".
        value: None if nothing is known.
        at_least: The value is a lower bound, as a part of it is not known.
        state: One of `STATES`; a value that equals the limit holds.
        severity: What follows: "error" fails the check, "warn" gives a warning, empty is neither.
        reason: Why the value is not known; else what to bear in mind. May be empty.
        layers: Names of the slowest layers in the part of the engine that is limited.
    """

    id: str
    group: LimitGroup
    title: str
    unit: str
    bound: LimitBound
    limit: float
    value: float | None
    at_least: bool
    state: State
    severity: Literal["", "warn", "error"]
    reason: str = ""
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
        remarks: About the check itself, one sentence each.
        sources: The files that the engine was read from.
    """

    engine: Identity
    baseline: Identity | None
    budget: str
    failed: bool
    counts: dict[str, int]
    outcomes: Sequence[LimitOutcome]
    remarks: Sequence[str]
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
    missing: str = ""

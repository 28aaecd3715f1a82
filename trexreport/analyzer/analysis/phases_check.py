"""The outcome of checking the phases of a set against a budget, as plain values."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.budget import BudgetCheck, LimitOutcome
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.lazy_dataclass import dataclass

#: Raised by one whenever a reader of the JSON form would have to change.
PHASES_CHECK_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class PhaseCheck:
    """The limits of one phase and what came of them.

    Attributes:
        name: Of the phase.
        check: Its limits; those of `[budget]` hold for every phase.
    """

    name: str
    check: BudgetCheck


@dataclass(frozen=True)
class PhasesCheck:
    """All limits of a budget on the phases of a set and on their total.

    Attributes:
        title: Of the set.
        baseline: Title of the set that it was compared with; null without one.
        budget: File with the limits, for messages.
        failed: Whether a limit of severity "error" does not hold.
        counts: As those of a single engine, of all limits.
        phases: In their order.
        together: What the phases take, and the total by stated counts.
        total: Limits on the total.
        only_in_baseline: Phases that the baseline has and this set has not.
    """

    title: str
    baseline: str | None
    budget: str
    failed: bool
    counts: dict[str, int]
    phases: Sequence[PhaseCheck]
    together: PhasesFacts
    total: Sequence[LimitOutcome]
    only_in_baseline: Sequence[str]
    generator: str = "trexreport"
    schema: str = "trexreport.phases-check"
    schema_version: int = PHASES_CHECK_SCHEMA_VERSION

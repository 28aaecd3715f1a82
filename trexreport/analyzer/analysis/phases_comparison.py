"""Sets of phases beside a baseline set."""

from __future__ import annotations

from collections.abc import Sequence

from trexreport.analyzer.analysis.comparison import Comparison
from trexreport.analyzer.analysis.phases import PhasesFacts
from trexreport.lazy_dataclass import dataclass

#: Version of the JSON documents of compared sets of phases.
PHASES_COMPARISON_SCHEMA_VERSION = 1


@dataclass(frozen=True)
class MissingPhase:
    """A phase that not every set has, and so is not compared.

    Attributes:
        sets: Indices of the sets that have it.
    """

    name: str
    sets: Sequence[int]


@dataclass(frozen=True)
class PhasesComparison:
    """Sets of phases, compared phase by phase.

    Attributes:
        sets: Names of the sets, in the order given.
        baseline: Index of the set that the others are compared with.
        together: For each set, what the compared phases take; measured alike in all sets.
        comparisons: One for each compared phase, in the order of `together[0].phases`; its engines are those
            of the sets.
        missing: Phases that are not compared.
    """

    sets: Sequence[str]
    baseline: int
    together: Sequence[PhasesFacts]
    comparisons: Sequence[Comparison]
    missing: Sequence[MissingPhase]
    schema_version: int = PHASES_COMPARISON_SCHEMA_VERSION

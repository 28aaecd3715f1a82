"""What phases take together."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

from trexreport.analyzer.analysis import Analysis
from trexreport.lazy_dataclass import dataclass

#: Version of the JSON documents of several phases.
PHASES_SCHEMA_VERSION = 1
#: What the time of a phase is: the median of one of trtexec's figures, or the total layer time.
PhaseMeasure = Literal["gpu_compute", "latency", "layers"]


@dataclass(frozen=True)
class PhaseFacts:
    """One phase among the others.

    Attributes:
        name: As the user or the set's manifest states it.
        times: Runs for a request; null if the user states no count of it.
        run_ms: Time of one run, by the measure that all phases have; null without one.
        total_ms: Time of all runs of a request; null without a count or a time.
        percent: Share of the total; null without one.
    """

    name: str
    times: int | None
    run_ms: float | None
    total_ms: float | None
    percent: float | None


@dataclass(frozen=True)
class PhasesFacts:
    """Phases beside one another.

    Attributes:
        measure: What `run_ms` is; null if no figure is known of all phases.
        total_ms: Time of a request; null unless the counts and times of all phases are known.
        gpus: Those that the phases ran on, if there are several: one total then is of no single GPU.
    """

    phases: Sequence[PhaseFacts]
    measure: PhaseMeasure | None
    total_ms: float | None
    gpus: Sequence[str] = ()


@dataclass(frozen=True)
class PhasesReport:
    """Everything in a report of several phases.

    Attributes:
        title: Of the set.
        together: What the phases take.
        analyses: One for each phase, in their order.
    """

    title: str
    together: PhasesFacts
    analyses: Sequence[Analysis]
    schema_version: int = PHASES_SCHEMA_VERSION

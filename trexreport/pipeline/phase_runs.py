"""Further measurements of the phases of a set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.errors import UsageError
from trexreport.numbers import list_names
from trexreport.pipeline.captures import CaptureInput
from trexreport.pipeline.phases import PhasesInput, choose_phases

_MAX_NAMED = 8


def with_runs(phases: PhasesInput, paths: Sequence[str]) -> PhasesInput:
    """Return a set with further measurements of its phases, which are sets themselves.

    Args:
        phases: The set.
        paths: Of the further measurements; each has the phases of the set, and may have others.

    Raises:
        UsageError: A path is not a set, or lacks a phase.
        InputError: A list of phases is damaged.
    """
    runs = []
    for path in paths:
        run = choose_phases(CaptureInput((path,), redaction=phases.capture.redaction), (), ())
        found = () if run is None else tuple(phase.name for phase in run.phases)
        missing = [phase.name for phase in phases.phases if phase.name not in found]
        if run is None or missing:
            what = "is one engine" if run is None else f"has no phase {list_names(missing, _MAX_NAMED)}"
            raise UsageError(
                f"{path} {what}, so it is not a further run of several phases.", "Measure all phases again."
            )
        runs.append(run)
    return replace(phases, runs=tuple(runs))

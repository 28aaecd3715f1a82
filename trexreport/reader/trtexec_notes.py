"""Say what is missing or odd about a trtexec log."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from trexreport.model.capture import ReadNote

_FIGURES = ("overview",)


@dataclass(frozen=True)
class RunState:
    """What is worth a note about one run of trtexec.

    Attributes:
        started: Whether it has a line that begins or ends a run.
        ended: Whether it says PASSED or FAILED.
        lines: Lines that are not blank.
        records: Lines with trtexec's prefix.
        measured: Whether it has a performance summary.
        asks_help: Whether it only prints help.
        empty_engine: Whether it built an engine of no size.
        leaves_out: Whether options were left out because the run does not use them.
        unmeasured_profile: Whether layers were timed in place of queries.
        unreadable: Names in the performance summary whose figures are not numbers.
    """

    started: bool
    ended: bool
    lines: int
    records: int
    measured: bool
    asks_help: bool
    empty_engine: bool
    leaves_out: bool
    unmeasured_profile: bool
    unreadable: tuple[str, ...]


def write_notes(
    runs: Sequence[RunState], finished: bool | None, errors: Sequence[str], source_name: str
) -> tuple[ReadNote, ...]:
    """Return the notes about a log, in the order of how much they matter."""
    notes: list[ReadNote] = []

    def note(severity: str, slug: str, message: str, hint: str = "", affects: tuple[str, ...] = ()) -> None:
        notes.append(ReadNote(severity, slug, message, source_name, affects, hint))

    if not any(run.lines for run in runs):
        note("info", "log-empty", "The log is empty.")  # as standard error is when all went well
        return tuple(notes)
    if not any(run.started or run.records for run in runs) and not errors:
        note("degraded", "log-not-trtexec", "No line of this text is trtexec's.", affects=_FIGURES)
        return tuple(notes)
    if any(run.asks_help for run in runs):
        note("info", "log-help", "trtexec printed its help and ran nothing.")
    if any(run.empty_engine for run in runs):
        note(
            "degraded", "log-empty-engine", "The build produced an empty engine.", "Look for errors above it."
        )
    if finished is False:
        reason = f": {errors[0]}" if errors else "."
        note("degraded", "log-failed", "trtexec says that it failed" + reason, affects=_FIGURES)
    elif any(run.started and not run.ended and not run.asks_help for run in runs):
        message = "The log ends before trtexec says whether it passed."
        note("degraded", "log-unfinished", message, "It crashed, or the log was cut.", _FIGURES)
    elif not any(run.started for run in runs):
        note(
            "info",
            "log-no-banner",
            "The log lacks trtexec's first and last line; a part of it may be missing.",
        )
    measured = sum(run.measured for run in runs)
    if measured > 1:
        message = f"The log holds {measured} measured runs; the first one is shown."
        note("degraded", "log-several-runs", message, "Give one log for each engine.", _FIGURES)
    unreadable = [name for run in runs for name in run.unreadable]
    if unreadable:
        message = f"Figures that are not numbers were left out: {', '.join(dict.fromkeys(unreadable))}."
        note("degraded", "log-not-a-number", message, affects=_FIGURES)
    if any(run.unmeasured_profile for run in runs):
        message = "trtexec timed layers in this run and so reports no latency."
        note("info", "log-profile-only", message, "Add --separateProfileRun to have both.")
    if any(run.leaves_out for run in runs):
        note("info", "log-unused-options", "Options that the run prints but does not use were left out.")
    return tuple(notes)

"""What makes the files of a capture: the seam between `collect` and its backends.

`Progress` is what the user sees while a capture is made.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from typing import Protocol

from trexreport.collector.jobs import Job, Plan
from trexreport.collector.journal import Journal
from trexreport.lazy_dataclass import dataclass


@dataclass(frozen=True)
class Session:
    """All that a backend gets.

    Attributes:
        job: What to collect. `job.folder` is a working folder, from which files move on when all is done;
            those of runs that the journal does not call finished count for nothing.
        journal: Where each run is accounted for, with `journal.run(...)`.
        progress: What the user sees.
        measuring: Gives for the title of a run, such as "timing 2", the context to enter around its
            measurement, in which the GPU is watched.
        timeout_s: For each run; None for no limit.
    """

    job: Job
    journal: Journal
    progress: Progress
    measuring: Callable[[str], AbstractContextManager[object]]
    timeout_s: float | None


class Backend(Protocol):
    """One way to make a capture.

    Attributes:
        name: As `--backend` takes it.
    """

    name: str

    def plan(self, job: Job) -> Plan:
        """Return the commands for a job.

        Raises:
            UsageError: The arguments do not fit this version of TensorRT.
        """

    def collect(self, session: Session) -> None:
        """Write the engine (if it is built), the layer information, layer times, query times and logs.

        The files have the names of `Job.path`: "" for the engine, ".graph.json", ".profile.json",
        ".timing.json", ".timing.2.json" and so on, ".build.log", ".profile.log", ".timing.log". Each run is
        accounted for in the journal as it begins and ends, so that an interruption loses nothing; what the
        backend learns of versions and GPU goes there, too.

        Raises:
            UsageError, MissingToolError: It can't be run at all.
            ToolFailedError: A run failed; the message says why in one line.
        """


class Progress:
    """Shows nothing, and is the base of what shows something; a backend calls it in any case."""

    def begin(self, title: str) -> None:
        """Say that a run begins, such as "build"."""

    def advance(self, text: str, fraction: float | None = None) -> None:
        """Say what the run does, and how much of it is done (0 to 1), if that is known."""

    def line(self, text: str) -> None:
        """Show a line of the run's log to those who want to see it all."""

    def end(self, text: str) -> None:
        """Say in a few words how the run ended."""

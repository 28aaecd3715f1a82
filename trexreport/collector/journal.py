"""Record what a collector does, so that the manifest is true at any moment, also after an interruption."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import Any

from trexreport.collector.jobs import Command
from trexreport.errors import OutputError

Clock = Callable[[], dt.datetime]


def utc_now() -> dt.datetime:
    """Return the time of day."""
    return dt.datetime.now(dt.timezone.utc)


@dataclass
class Run:
    """One run: the build, the profile run or a timing run.

    Attributes:
        exit_status: As subprocess gives it: negative for a signal; None while it runs.
        warnings: What its log warns of, each once.
        finished: Whether it went well and all its files are whole.
    """

    command: Command
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    exit_status: int | None = None
    warnings: list[str] = field(default_factory=list)
    finished: bool = False


@dataclass
class Journal:
    """What was done and learned so far.

    Attributes:
        backend: Name of the backend.
        versions: Such as {"tensorrt": "10.16.1", "driver": "550.54"}.
        gpu: Facts about the GPU, in TensorRT's or NVML's words.
        notes: What the user should know, each once.
        missing: File (its name in the capture) or fact to why it is missing.
        changed: Called after every change that is worth writing down.
    """

    backend: str = ""
    runs: list[Run] = field(default_factory=list)
    versions: dict[str, str] = field(default_factory=dict)
    gpu: dict[str, Any] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    missing: dict[str, str] = field(default_factory=dict)
    clock: Clock = utc_now
    changed: Callable[[], None] = lambda: None

    def note(self, *texts: str) -> None:
        """Note what the user should know."""
        self.notes += [text for text in dict.fromkeys(texts) if text not in self.notes]

    @contextmanager
    def run(self, command: Command) -> Iterator[Run]:
        """Account for one run: when it was, and whether it came to a good end, which an exception denies."""
        run = Run(command, started=self.clock())
        self.runs.append(run)
        self.changed()
        try:
            yield run
        except BaseException:
            run.ended = self.clock()
            # Why the run failed says more than why that can't be written down.
            with suppress(OutputError):
                self.changed()
            raise
        run.finished = True
        run.ended = self.clock()
        self.changed()

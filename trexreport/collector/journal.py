"""Keep account of what a collector does, so that it can be told at any moment, also after an interruption."""

from __future__ import annotations

import datetime as dt
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trexreport.collector.flags import Stage
from trexreport.errors import ToolFailedError

Clock = Callable[[], dt.datetime]


def utc_now() -> dt.datetime:
    """Return the time of day."""
    return dt.datetime.now(dt.timezone.utc)


@dataclass
class Run:
    """One run: the build, the profile run or a timing run.

    Attributes:
        title: What a person calls it, such as "build" or "timing 2".
        command: The command line, a word each; empty where no program was started.
        log: Path of its log.
        writes: Paths of the files that must be there and not empty afterwards.
        exit_status: As subprocess gives it: negative for a signal; None while it runs or without a program.
        warnings: What its log warns of, each once.
        finished: Whether it went well and all its files are whole.
    """

    stage: Stage
    title: str
    command: tuple[str, ...] = ()
    log: str = ""
    writes: tuple[str, ...] = ()
    started: dt.datetime | None = None
    ended: dt.datetime | None = None
    exit_status: int | None = None
    warnings: list[str] = field(default_factory=list)
    finished: bool = False


@dataclass
class Journal:
    """What was done and learnt so far.

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
    def run(
        self,
        stage: Stage,
        title: str,
        *,
        command: Iterable[str] = (),
        log: str = "",
        writes: Iterable[str] = (),
    ) -> Iterator[Run]:
        """Account for one run: its times, and whether it came to a good end.

        Raises:
            ToolFailedError: The run ended well but left a file missing or empty.
        """
        run = Run(stage, title, tuple(command), log, tuple(writes), started=self.clock())
        self.runs.append(run)
        self.changed()
        try:
            yield run
            for path in run.writes:
                check_written(path, run)
            run.finished = True
        finally:
            run.ended = self.clock()
            self.changed()


def check_written(path: str, run: Run) -> None:
    """Raise if a file that a run was to write is missing or empty."""
    place = Path(path)
    if not place.is_file():
        raise ToolFailedError(f"The {run.title} run left no {place.name}.", f"See {run.log}.")
    if not place.stat().st_size:
        raise ToolFailedError(f"The {run.title} run left an empty {place.name}.", f"See {run.log}.")

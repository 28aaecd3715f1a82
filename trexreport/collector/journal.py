"""Record what a collector does, so that the manifest is true at any moment, also after an interruption.

The manifest states what was run, on what, with which result, and what is missing and why.
"""

from __future__ import annotations

import datetime as dt
import hashlib
import json
import platform
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from trexreport import __version__
from trexreport.collector.accuracy import ACCURACY
from trexreport.collector.jobs import Command, Job
from trexreport.errors import OutputError

Clock = Callable[[], dt.datetime]

SCHEMA = "trexreport-capture"
SCHEMA_VERSION = 1
_CHUNK_BYTES = 2**20


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


def describe_file(path: str | Path) -> dict[str, Any]:
    """Return path, size in bytes and SHA-256 of a file."""
    digest = hashlib.sha256()
    size = 0
    with Path(path).open("rb") as file:
        while chunk := file.read(_CHUNK_BYTES):
            digest.update(chunk)
            size += len(chunk)
    return {"path": str(path), "size_bytes": size, "sha256": digest.hexdigest()}


def render_manifest(
    job: Job,
    journal: Journal,
    *,
    source: Mapping[str, Any],
    engine: Mapping[str, Any] | None,
    failure: str = "",
    complete: bool,
) -> bytes:
    """Return the manifest as JSON.

    Args:
        job: What was asked for.
        journal: What was done.
        source: The model or engine, as `describe_file` gives it.
        engine: The engine that was measured; None as long as there is none.
        failure: Why it is not complete, in one line.
        complete: Whether everything that was asked for is there.
    """
    started = [run.started for run in journal.runs if run.started]
    ended = [run.ended for run in journal.runs if run.ended]
    document = {
        "schema": SCHEMA,
        "schema_version": SCHEMA_VERSION,
        "generator": "trexreport",
        "complete": complete,
        "failure": failure or None,
        "missing": _missing(job, journal, failure),
        "backend": journal.backend,
        "versions": {"trexreport": __version__, **dict(sorted(journal.versions.items()))},
        "gpu": journal.gpu,
        "system": {"platform": platform.platform(), "machine": platform.machine()},
        "arguments": list(job.arguments),
        "source": dict(source),
        "engine": None if engine is None else dict(engine),
        "started": _time(min(started, default=None)),
        "ended": _time(max(ended, default=None)),
        "runs": [_run(run) for run in journal.runs],
        "notes": journal.notes,
    }
    # A name of a file may be no text; a lone surrogate is an escape that JSON knows.
    return (json.dumps(document, indent=2, ensure_ascii=False) + "\n").encode(errors="backslashreplace")


def _run(run: Run) -> dict[str, Any]:
    return {
        "title": run.command.title,
        "command": list(run.command.words),
        "log": Path(run.command.log).name,
        "writes": [Path(path).name for path in run.command.writes],
        "started": _time(run.started),
        "ended": _time(run.ended),
        "exit_status": run.exit_status,
        "finished": run.finished,
        "warnings": run.warnings,
    }


def _missing(job: Job, journal: Journal, failure: str) -> dict[str, str]:
    """Return the files that should be there and are not, with the reason."""
    there = {Path(path).name for run in journal.runs if run.finished for path in run.command.writes}
    wanted = [job.path("")] if job.builds else []
    timings = ["timing", *(f"timing.{number}" for number in range(2, job.runs + 1))]
    if job.measures:
        wanted += [job.path(f".{role}.json") for role in ("graph", "profile", *timings)]
    if job.accuracy is not None:
        wanted.append(job.path(ACCURACY))
    why = failure or "The collector was ended before it was made."
    missing = {name: why for name in (Path(path).name for path in wanted) if name not in there}
    return {**missing, **journal.missing}


def _time(moment: dt.datetime | None) -> str | None:
    return None if moment is None else moment.isoformat(timespec="seconds")

"""What one engine is read from, and reading it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from functools import partial
from pathlib import Path

from trexreport.errors import UsageError, in_part
from trexreport.lazy_dataclass import dataclass
from trexreport.model import Engine
from trexreport.pipeline.targets import refuse_to_overwrite
from trexreport.reader import add_runs, assemble, read_engine
from trexreport.reader.capture import Capture
from trexreport.redaction.kinds import Redaction

#: No log has runs whose numbers have more digits.
_MOST_DIGITS = 6


@dataclass(frozen=True)
class CaptureInput:
    """What one engine is read from.

    Attributes:
        paths: Capture folders, files of a capture, archives or earlier reports; "LOG#2" for a run of a log.
        files: Role to file, for files of which the user states the role.
        optimization_profile: Index of the one to read; the one that was measured by default.
        name: Title of the engine; from the file names by default.
        redaction: What is redacted before anything is read.
        metrics: Figures of the whole model's accuracy.
        log_run: Which run of a log with several to show, from 1; the last complete one by default.
        carried: One of several captures that the report or archive at the path carries; it is read instead.
    """

    paths: tuple[str, ...]
    files: Mapping[str, str] = field(default_factory=dict)
    optimization_profile: int | None = None
    name: str | None = None
    redaction: Redaction | None = None
    metrics: Mapping[str, float] = field(default_factory=dict)
    log_run: int | None = None
    carried: Capture | None = None

    def read(self, outputs: Iterable[str] = (), *, keeps_inputs: bool = False) -> Engine:
        """Read the engine.

        Args:
            outputs: Files that results are written to, which must not be files that are read here.
            keeps_inputs: The results carry all inputs, so that one may replace the report that it is made of.

        Raises:
            UsageError: There is nothing to read, or an output is one of the inputs.
            InputError: A file can't be read, or holds nothing usable.
        """
        if not self.paths and not self.files:
            raise UsageError(
                "There is nothing to read.", "Give a capture folder, a *.graph.json file or a report."
            )
        change = None
        if self.redaction is not None:
            from trexreport.redaction.capture import redact_capture

            change = partial(redact_capture, redaction=self.redaction, keep_name=self.name is not None)
        if self.carried is not None:
            for output in outputs:
                refuse_to_overwrite(output, self.paths)
            carried = self.carried
            if self.log_run is not None:
                from trexreport.reader.log_sources import with_log_run

                carried = with_log_run(carried, self.log_run)
            return assemble(
                carried if change is None else change(carried), self.optimization_profile, self.name
            )
        paths, log_run = _with_run(self.paths) if self.log_run is None else (self.paths, self.log_run)
        engine = read_engine(
            *paths,
            files=self.files,
            optimization_profile=self.optimization_profile,
            name=self.name,
            change=change,
            metrics=self.metrics,
            log_run=log_run,
        )
        places = [Path(path) for path in (*paths, *self.files.values())]
        folders = {place if place.is_dir() else place.parent for place in places}
        read = [folder / source.name for folder in folders for source in engine.sources]
        for output in outputs:
            # A report or an archive may be the only copy of the files in it.
            refuse_to_overwrite(output, read if keeps_inputs else [*read, *places])
        return engine


def _with_run(paths: tuple[str, ...]) -> tuple[tuple[str, ...], int | None]:
    """Return paths, and the run of a log that follows a single one as "all.log#2"; None without."""
    path, hash_, number = paths[0].rpartition("#") if len(paths) == 1 else ("", "", "")
    is_run = number.isascii() and number.isdecimal() and len(number) <= _MOST_DIGITS and int(number) > 0
    if not (hash_ and is_run and Path(path).exists()) or Path(paths[0]).exists():
        return paths, None
    return (path,), int(number)


def read_with_runs(capture: CaptureInput, runs: Sequence[str], outputs: Sequence[str]) -> Engine:
    """Read an engine and further measurements of it, none of whose files is an output.

    Args:
        capture: Of the engine.
        runs: Paths of the further measurements.
        outputs: Files that results are written to.

    Raises:
        UsageError: An output is one of the inputs.
        InputError: A file can't be read, or holds nothing usable.
    """
    # A run is named by its path, which redaction must not disclose.
    further = [
        CaptureInput((run,), name=None if capture.redaction else run, redaction=capture.redaction)
        for run in runs
    ]
    engine = capture.read(outputs)
    measured = []
    for run, each in zip(runs, further, strict=True):
        with in_part(run):
            measured.append(each.read(outputs))
    return add_runs(engine, measured)

"""Make a capture with a backend: prepare the folder, keep account, put everything in its place."""

from __future__ import annotations

import contextlib
import json
import shutil
import signal
import sys
from dataclasses import field, replace
from pathlib import Path
from typing import Any

from trexreport.collector.backend import Backend, Progress, Session
from trexreport.collector.engine_file import how_to_remove, metadata_of
from trexreport.collector.gpu import GpuOptions, gpu_session
from trexreport.collector.gpu.jetson import describe_board
from trexreport.collector.interruption import Interrupted, signals_raise, signals_wait
from trexreport.collector.jobs import TIMING_CACHE, Job
from trexreport.collector.journal import Clock, Journal, describe_file, render_manifest, utc_now
from trexreport.collector.workspace import Workspace
from trexreport.errors import InputError, OutputError, TrexReportError, UsageError, explained
from trexreport.lazy_dataclass import dataclass
from trexreport.output import write_output

#: Endings of models for other programs; any but these may be an engine.
_OTHER_MODELS = frozenset(
    {".pt", ".pth", ".pb", ".uff", ".caffemodel", ".prototxt", ".h5", ".keras", ".tflite", ".safetensors"}
)


@dataclass(frozen=True)
class Options:
    """How to collect, besides the job.

    Attributes:
        force: Whether an earlier capture may be replaced.
        timeout_s: For each run; None for no limit.
        gpu: How to treat the GPU.
        clock: Returns the time of day.
    """

    force: bool = False
    timeout_s: float | None = None
    gpu: GpuOptions = field(default_factory=GpuOptions)
    clock: Clock = utc_now


def collect(job: Job, backend: Backend, progress: Progress, options: Options | None = None) -> Journal:
    """Make a capture in the job's folder and return the journal of it.

    Whatever goes wrong, nothing that was there before is lost, and what was finished is kept, marked as
    incomplete.

    Raises:
        InputError: The model or engine can't be read.
        OutputError: The folder can't be written to, or holds an earlier capture.
        UsageError, MissingToolError, ToolFailedError: As the backend says.
        Interrupted: A signal came.
    """
    if sys.platform == "win32":
        raise UsageError(
            "trexreport collects on Linux and other POSIX systems only.",
            "--dry-run shows the commands to run by hand.",
        )
    options = options or Options()
    with signals_raise():
        check_source(job)
        backend.plan(job)
        workspace = Workspace(job)
        with workspace.opened(force=options.force):
            return _Collection(job, backend, progress, options, workspace).run()


def check_source(job: Job) -> None:
    """Raise an InputError if the model or the engine is not there, can't be read, or is neither."""
    path = Path(job.source)
    kind = "model" if job.builds else "engine"
    if path.suffix.lower() in _OTHER_MODELS:
        raise InputError(f"{path} is not a model that TensorRT reads.", "Export it to ONNX first.")
    if path.is_fifo() or path.is_char_device() or path.is_socket():
        # It is read several times, and to its end.
        raise InputError(f"{path} is not a regular file.", "Save the model or the engine in one.")
    try:
        with path.open("rb") as file:
            if not file.read(1):
                raise InputError(f"The {kind} {path} is empty.", "Was it copied whole?")
    except FileNotFoundError:
        raise InputError(f"The {kind} {path} does not exist.", "Check the path.") from None
    except IsADirectoryError:
        raise InputError(f"{path} is a folder.", "Give a model (*.onnx) or an engine.") from None
    except OSError as error:
        raise InputError(f"The {kind} {path} can't be read: {error.strerror or error}.") from None


class _Collection:
    """One capture on its way."""

    def __init__(
        self, job: Job, backend: Backend, progress: Progress, options: Options, workspace: Workspace
    ) -> None:
        self._job = replace(job, folder=str(workspace.working))
        self._backend = backend
        self._progress = progress
        self._options = options
        self._workspace = workspace
        self._source: dict[str, Any] = {"path": job.source}
        self._journal = Journal(backend.name, clock=options.clock)

    def run(self) -> Journal:
        """Collect, and put everything in its place; see `collect`."""
        self._write_down()
        try:
            self._collect()
            complete = self._manifest(engine=self._describe_engine(), complete=True)
        except KeyboardInterrupt as error:
            number = error.signal if isinstance(error, Interrupted) else signal.SIGINT
            kept_in = self._keep(f"It was interrupted by {signal.Signals(number).name}.")
            raise Interrupted(number, kept_in) from None
        except TrexReportError as error:
            kept_in = self._keep(str(error))
            if self._journal.runs:
                log = Path(self._journal.runs[-1].command.log).name
                error.details += (f"The whole log: {kept_in / log}",)
            raise
        with signals_wait():
            self._publish(complete)
        return self._journal

    def _publish(self, complete: bytes) -> None:
        workspace = self._workspace
        incomplete = self._manifest(failure="Its files were not all moved here.", complete=False)
        keeps_build = not self._job.builds and workspace.is_of_engine(self._source["sha256"])
        try:
            workspace.publish(
                self._journal, incomplete=incomplete, complete=complete, keeps_build=keeps_build
            )
        except OutputError as error:
            error.details += (
                f"What was made and not moved is in {workspace.working}; the next run removes it.",
            )
            raise

    def _collect(self) -> None:
        journal = self._journal
        self._source = _described(self._job.source)
        journal.changed = self._write_down
        if not self._options.gpu.is_remote:
            board, versions = describe_board()
            journal.gpu |= board
            journal.versions |= versions
        self._strip_metadata()
        job = self._job
        with gpu_session(self._options.gpu) as gpu:
            try:
                session = Session(job, journal, self._progress, gpu.phase, self._options.timeout_s)
                self._backend.collect(session)
            finally:
                journal.note(*gpu.notes)
        self._keep_samples(gpu.document())
        self._keep_structure()
        journal.note(*gpu.notes, *self._notes_on_cache())

    def _strip_metadata(self) -> None:
        """Measure a copy of the plan alone where the engine's file has metadata before it."""
        path = Path(self._job.source)
        if self._job.builds:
            return
        found = metadata_of(path)
        if found is None:
            return
        if self._job.is_remote:
            raise InputError(
                f"{path} has metadata of Ultralytics before its plan, which trtexec can't load.",
                f"Remove it on that machine: {how_to_remove(path, found)}",
            )
        plan = self._workspace.working / "plan" / f"{path.stem}.engine"
        plan.parent.mkdir()
        with explained(InputError, f"{path} can't be read"), path.open("rb") as file, plan.open("wb") as copy:
            file.seek(found.plan_at)
            shutil.copyfileobj(file, copy)
        self._job = replace(self._job, source=str(plan))
        self._journal.note(f"The file has metadata of Ultralytics before the plan, left out: {found}.")

    def _notes_on_cache(self) -> list[str]:
        """Note that the build took timings of another GPU, which newer trtexec does without a word."""
        others, gpu = self._workspace.gpus_of_cache, self._journal.gpu.get("name")
        cache = Path(self._job.timing_cache)
        # A word for ssh is quoted, and its path absolute.
        flags = {f"--timingCacheFile={path}" for path in (cache, cache.absolute())}
        words = {part for word in self._journal.runs[0].command.words for part in (word, word.strip("'"))}
        if not others or not gpu or gpu in others or not flags & words:
            return []
        names = ", ".join(sorted(others))
        advice = f"Remove {TIMING_CACHE} and collect again."
        return [f"The build took timings of {names} and may not be the fastest on {gpu}. {advice}"]

    def _describe_engine(self) -> dict[str, Any]:
        """Return what the manifest says of the engine, under the path that it will have."""
        if not self._job.builds:
            return self._source
        return {**_described(self._job.engine), "path": self._workspace.final(self._job.engine)}

    def _keep_samples(self, samples: dict[str, Any] | None) -> None:
        """Write the GPU samples, or a note that the GPU was not watched."""
        path = Path(self._job.path(".gpu.json"))
        if samples is None:
            self._journal.missing[path.name] = "The GPU was not watched; see the notes."
            return
        write_output(path, (json.dumps(samples) + "\n").encode(), force=True)
        facts = samples.get("gpu") or {}
        self._journal.gpu |= {key: value for key, value in facts.items() if value is not None}
        names = ("driver", "cuda")
        self._journal.versions |= {name: str(facts[name]) for name in names if facts.get(name)}

    def _keep_structure(self) -> None:
        """Write the structure of the model, so that reports show its nodes without it.

        One that can't be read, which TensorRT has just read, is left out: nothing else depends on it.
        """
        if not self._job.builds:
            return
        # Imported late: engines have no model.
        from trexreport.reader.onnx.companion import onnx_source
        from trexreport.reader.onnx.structure import SUFFIX

        with contextlib.suppress(InputError):
            content = onnx_source(Path(self._job.source)).data
            write_output(Path(self._job.path(SUFFIX)), content, force=True)

    def _manifest(self, *, engine: dict[str, Any] | None = None, failure: str = "", complete: bool) -> bytes:
        return render_manifest(
            self._job, self._journal, source=self._source, engine=engine, failure=failure, complete=complete
        )

    def _write_down(self) -> None:
        self._workspace.write_manifest(self._manifest(complete=False))

    def _keep(self, failure: str) -> Path:
        with signals_wait():
            incomplete = self._manifest(failure=failure, complete=False)
            try:
                return self._workspace.keep(self._journal, incomplete=incomplete)
            except OutputError:
                # The manifest there says "incomplete" already; why it came to this says more than this.
                return self._workspace.working


def _described(path: str) -> dict[str, Any]:
    """Return what the manifest says of a file, which may be gone since it was looked at."""
    with explained(InputError, f"{path} can't be read"):
        return describe_file(path)

"""The backend that runs trtexec: find it, ask for its version, build, profile, time."""

from __future__ import annotations

import os
import shlex
import shutil
import tempfile
from collections.abc import Mapping
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

from trexreport.collector.backend import Progress, Session
from trexreport.collector.causes import Failure, explain_errors, explain_failure
from trexreport.collector.commands import plan_commands
from trexreport.collector.flags import Stage
from trexreport.collector.jobs import Job, Plan
from trexreport.collector.journal import Run
from trexreport.collector.log_notes import notes_on_log, text_of_log, warnings_of
from trexreport.collector.metadata import build_metadata, profile_metadata
from trexreport.collector.polygraphy import explain_comparison
from trexreport.collector.process import run_logged
from trexreport.collector.versions import Version, trtexec_version
from trexreport.errors import MissingToolError, ToolFailedError, UsageError
from trexreport.numbers import format_limit
from trexreport.output import write_output
from trexreport.reader.accuracy.limits import LARGEST_BYTES
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.regex import regex
from trexreport.toml_table import quoted

VARIABLE = "TREXREPORT_TRTEXEC"
#: Programs that build and measure: TensorRT's, and that of TensorRT for RTX.
TOOLS = ("trtexec", "tensorrt_rtx")
#: Where NVIDIA's packages and containers put it, which is not on PATH.
USUAL_PLACES = (
    "/usr/src/tensorrt/bin/trtexec",
    "/opt/tensorrt/bin/trtexec",
    "/workspace/tensorrt/bin/trtexec",
)
_HOW_TO_GET_IT = (
    "It comes with TensorRT's archive and system packages (libnvinfer-bin), with JetPack and in NVIDIA's "
    f"TensorRT container, not with pip. Say where it is with --trtexec or {VARIABLE}, which may be a command "
    'such as "docker run … trtexec". trexreport[tensorrt] collects without it.'
)
_HOW_TO_GET_RTX = (
    "It comes with the archive of TensorRT for RTX, not with pip. Add its folder to PATH, or say where it is "
    "with --trtexec."
)
#: A container may have to be fetched first.
_VERSION_TIMEOUT_S = 600.0
_WHOLE_JSON = regex(rb"[\]}]\s*\Z")
_NO_ROOM_BYTES = 2**20
#: How far a build has come, as the program of the other backend says.
_PERCENT = regex(r"\[I\] \[progress\] (\d+) ?% (.*)")
#: What a line of the log says about where the run is.
_PHASES = (
    ("Start parsing network model", "parsing the model"),
    ("Finished parsing network model", "building the engine"),
    ("Engine built in", "saving the engine"),
    ("Loading standard plugins", "loading"),
    ("Starting inference", "measuring"),
    ("=== Performance summary ===", "writing"),
)


def find_trtexec(
    stated: str | None = None,
    environment: Mapping[str, str] = os.environ,
    places: tuple[str, ...] = USUAL_PLACES,
    tool: str = TOOLS[0],
) -> tuple[str, ...]:
    """Return the words that start a tool: as stated, else as the environment says, else as found.

    The environment and the usual places have trtexec alone.

    Raises:
        UsageError: What is stated can't be split into words.
        MissingToolError: There is none.
    """
    if tool != TOOLS[0] and stated is None:
        if (found := shutil.which(tool, path=environment.get("PATH"))) is not None:
            return (found,)
        raise MissingToolError(f"{tool} was not found.", _HOW_TO_GET_RTX)
    text, origin = (stated, "--trtexec") if stated is not None else (environment.get(VARIABLE), VARIABLE)
    if text is not None and (stated is not None or text.strip()):
        try:
            words = tuple(shlex.split(text))
        except ValueError as error:
            raise UsageError(f"{origin}: {quoted(text)} can't be split into words: {error}.") from None
        if not words:
            raise UsageError(f"{origin} is empty.", "Give a path, or a command such as docker run … trtexec.")
        return words
    found = shutil.which("trtexec", path=environment.get("PATH"))
    for place in (found, *places):
        if place and os.access(place, os.X_OK):
            return (place,)
    raise MissingToolError("trtexec was not found.", _HOW_TO_GET_IT)


def ask_version(program: tuple[str, ...], timeout_s: float | None = None) -> Version:
    """Return the version of TensorRT that a trtexec belongs to; its help says it, without a GPU.

    Raises:
        MissingToolError: It can't be started, or what was started is not trtexec.
    """
    with tempfile.TemporaryDirectory(prefix="trexreport-") as folder:
        log = Path(folder) / "help.log"
        try:
            status = run_logged([*program, "--help"], log, timeout_s=timeout_s or _VERSION_TIMEOUT_S)
        except MissingToolError as error:
            hint = error.hint if Path(program[0]).exists() else _HOW_TO_GET_IT
            raise MissingToolError(error.args[0], hint) from None
        except ToolFailedError as error:
            raise MissingToolError(
                f"It did not print its version: {error.args[0]}", "Is it trtexec?"
            ) from None
        output = log.read_bytes().decode("utf-8", "replace")
    version = trtexec_version(output)
    if version is not None:
        return version
    shown = quoted(shlex.join(program))
    if status:
        failure = explain_failure(output, status)
        raise MissingToolError(
            f"{shown} did not print its version: {failure.message}", failure.hint, failure.lines
        )
    raise MissingToolError(
        f"{shown} printed nothing that trtexec prints.", "Does it end with trtexec?", output.splitlines()[:2]
    )


class TrtexecBackend:
    """Collects with trtexec.

    Attributes:
        program: The words that start it.
        version: TensorRT's.
    """

    name = "trtexec"

    def __init__(self, program: tuple[str, ...], version: Version) -> None:
        self.program = program
        self.version = version

    def plan(self, job: Job) -> Plan:
        """Return the commands that this backend runs for a job; see `plan_commands`."""
        return plan_commands(replace(job, program=self.program), self.version)

    def collect(self, session: Session) -> None:
        """Run the commands of the plan one after the other; see `Backend.collect`."""
        plan = self.plan(session.job)
        journal = session.journal
        journal.versions["tensorrt"] = str(self.version)
        journal.note(*plan.notes)
        for command in plan.commands:
            with journal.run(command) as run:
                self._run(run, session)
            session.progress.end(f"{command.title} done")
        _write_metadata(session)

    def explain(self, log: str, status: int, stage: Stage) -> Failure:
        """Return why a run failed."""
        return explain_failure(log, status, stage)

    def _run(self, run: Run, session: Session) -> None:
        command, progress = run.command, session.progress
        progress.begin(command.title)
        measured = command.stage is not Stage.BUILD and command.tool is None
        with session.measuring(command.title) if measured else nullcontext():
            try:
                run.exit_status = run_logged(
                    command.words,
                    command.log,
                    timeout_s=session.timeout_s,
                    on_line=lambda line: _show(line, progress),
                )
            except ToolFailedError as error:
                raise _failed(run, Failure(error.args[0], error.hint, ())) from None
        log = text_of_log(command.log)
        run.warnings = warnings_of(log)
        session.journal.note(*notes_on_log(log, builds=session.job.builds))
        if run.exit_status and not _has_compared(run):
            failure = self.explain(log, run.exit_status, command.stage)
            if command.tool == "polygraphy":
                failure = explain_comparison(log, run.exit_status)
            elif command.tool:
                # Its exit status is that of the tool, or what the tool passes on.
                message = failure.message.replace("trtexec failed", f"{command.tool} failed")
                failure = replace(failure, message=message)
            raise _failed(run, failure if _has_room(command.log) else _without_room(failure))
        for path in command.writes:
            _check_whole(path, run, log)
            if command.tool in {"polygraphy", "trtexec"}:
                _check_size(path, run)


def _write_metadata(session: Session) -> None:
    """Write TREx's files, and into the journal what the log of the last run says of the GPU."""
    job = session.job
    runs = [run for run in session.journal.runs if run.command.tool is None]
    logs = {run.command.stage: text_of_log(run.command.log) for run in reversed(runs)}
    if Stage.BUILD in logs:
        content = build_metadata(logs[Stage.BUILD])
        write_output(job.path(".build.metadata.json"), content, force=True)
    if job.measures:
        measured = logs.get(Stage.TIMING) or logs[Stage.PROFILE]
        write_output(job.path(".profile.metadata.json"), profile_metadata(measured), force=True)
    device = read_trtexec_log(logs.get(Stage.TIMING) or logs[runs[-1].command.stage], "").setup.device
    names = {"name": "Selected Device", "uuid": "Selected Device UUID"}
    session.journal.gpu |= {key: device[label] for key, label in names.items() if device.get(label)}


def _show(line: str, progress: Progress) -> None:
    progress.line(line)
    # Nearly all of a verbose log ends here.
    if "[I]" not in line:
        return
    if found := _PERCENT.search(line):
        progress.advance(found[2], int(found[1]) / 100)
    for start, phase in _PHASES:
        if start in line:
            progress.advance(phase)


def _has_compared(run: Run) -> bool:
    """Return whether a comparison came to its end and found differences, which is what it is for."""
    return run.command.compares and run.exit_status == 1 and all(map(os.path.exists, run.command.writes))


def _failed(run: Run, failure: Failure) -> ToolFailedError:
    return ToolFailedError(
        f"The {run.command.title} run failed: {failure.message}", failure.hint, failure.lines
    )


def _has_room(path: str) -> bool:
    """Return whether the disk that a file is on takes more."""
    return shutil.disk_usage(Path(path).parent).free >= _NO_ROOM_BYTES


def _without_room(failure: Failure) -> Failure:
    """Return a failure as a full disk explains it, whatever trtexec makes of it."""
    return Failure("The disk is full.", "Make room, or give a folder on another disk.", failure.lines)


def _check_size(path: str, run: Run) -> None:
    """Raise if an accuracy file is larger than reports read."""
    if Path(path).stat().st_size > LARGEST_BYTES:
        raise ToolFailedError(
            f"The {run.command.title} run wrote more than {format_limit(LARGEST_BYTES)}.",
            "Compare fewer tensors by hand, and give the file to the report with --accuracy.",
        )


def _check_whole(path: str, run: Run, log: str) -> None:
    """Raise if a file is missing, empty or cut, which trtexec does not notice on a full disk."""
    place = Path(path)
    try:
        size = place.stat().st_size
        with place.open("rb") as file:
            file.seek(max(0, size - 16))
            end = file.read()
    except OSError:
        size, end = 0, b""
    if size and (place.suffix != ".json" or _WHOLE_JSON.search(end)):
        return
    failure = explain_errors(log)
    what = "is cut short" if size else "is missing or empty"
    if not _has_room(path):
        failure = _without_room(failure)
    message = f"The {run.command.title} run ended well, but {place.name} {what}. {failure.message}"
    raise ToolFailedError(message.rstrip(), failure.hint, failure.lines)

"""Make a capture from logs only: put them in place under the names that a collector gives them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PureWindowsPath

from trexreport.collector.causes import error_lines
from trexreport.collector.flags import Stage
from trexreport.collector.jobs import Command, Job
from trexreport.collector.journal import Journal, Run, render_manifest
from trexreport.collector.log_notes import warnings_of
from trexreport.collector.metadata import build_metadata, profile_metadata
from trexreport.collector.workspace import Workspace
from trexreport.errors import InputError, explained
from trexreport.input_file import open_input
from trexreport.lazy_dataclass import dataclass
from trexreport.output import write_output
from trexreport.reader.json_text import decode_text
from trexreport.reader.log_text import plain_log
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.regex import regex

_NEXT_FLAG = regex(r" +(?=--[A-Za-z])")
_OPTION = regex(r"--(\w+)(?:=(.*))?", re.DOTALL)


@dataclass(frozen=True)
class _Log:
    """A log and what it says."""

    path: str
    data: bytes
    text: str
    facts: SetupFacts

    @property
    def command(self) -> str:
        return self.facts.setup.commands[0]


def capture_from_logs(paths: Sequence[str], folder: str, *, force: bool) -> Journal:
    """Make a capture of logs of trtexec, one for each kind of run at most, and return its journal.

    What kind of run a log is of, and the name of the engine, are read from the command line in it. The
    manifest says that layer information, layer times and query times are missing.

    Raises:
        InputError: A file can't be read or is not a log of trtexec, or two are of the same kind.
        OutputError: The folder can't be written to, or holds an earlier capture.
    """
    logs: dict[Stage, _Log] = {}
    for path in paths:
        log = _read(path)
        stage = _stage_of(log.command)
        if stage in logs:
            raise InputError(
                f"{logs[stage].path} and {path} are both logs of a {stage.value} run.", "Give one of them."
            )
        logs[stage] = log
    ordered = {stage: logs[stage] for stage in Stage if stage in logs}
    return _write(Job(f"{_name(ordered.values())}.onnx", folder), ordered, force=force)


def _read(path: str) -> _Log:
    with explained(InputError, f"{path} can't be read", "Check the path."), open_input(path) as file:
        data = file.read()
    text = decode_text(plain_log(data, path)[0], path)[0]
    facts = read_trtexec_log(text, path)
    if not facts.setup.commands:
        raise InputError(
            f"{path} is not a log of trtexec, or lacks its first line.", "That begins with &&&& RUNNING."
        )
    return _Log(path, data, text, facts)


def _stage_of(command: str) -> Stage:
    options = _options(command)
    if {"exportProfile", "dumpProfile", "exportLayerInfo"} & set(options) and "loadEngine" in options:
        return Stage.PROFILE
    return Stage.BUILD if "onnx" in options else Stage.TIMING


def _words(command: str) -> tuple[str, ...]:
    """Return the words of a command line in a log, where they are joined by spaces without quotes."""
    return tuple(_NEXT_FLAG.split(command))


def _options(command: str) -> dict[str, str]:
    found = (_OPTION.fullmatch(word) for word in _words(command))
    return {match[1]: match[2] or "" for match in found if match}


def _name(logs: Iterable[_Log]) -> str:
    """Return the name of the engine without its ending, as a command has it."""
    for log in logs:
        options = _options(log.command)
        for flag in ("saveEngine", "loadEngine", "onnx"):
            # A log may be from Windows, whose paths have both kinds of strokes.
            if name := PureWindowsPath(options.get(flag, "")).name:
                return re.sub(r"\.(?:engine|plan|trt|onnx)$", "", name) or "engine"
    return "engine"


def _write(job: Job, logs: Mapping[Stage, _Log], *, force: bool) -> Journal:
    workspace = Workspace(job)
    journal = Journal("logs")
    with workspace.opened(force=force):
        made = replace(job, folder=str(workspace.working))
        for stage, log in logs.items():
            _take(journal, made, stage, log)
        manifest = render_manifest(
            made,
            journal,
            source={"path": None, "logs": [log.path for log in logs.values()]},
            engine=None,
            failure="Logs were all that was given.",
            complete=False,
        )
        workspace.publish(journal, incomplete=manifest, complete=manifest)
    return journal


def _take(journal: Journal, job: Job, stage: Stage, log: _Log) -> None:
    """Put a log and what TREx makes of it in place."""
    facts, place = log.facts, job.path(f".{stage.value}.log")
    write_output(place, log.data, force=True)
    command = Command(stage, stage.value, _words(log.command), place, ())
    warnings = warnings_of(log.text)
    journal.runs.append(Run(command, warnings=warnings, finished=bool(facts.finished)))
    journal.note(*(f"{Path(log.path).name}: {line}" for line in error_lines(log.text)))
    if facts.setup.tensorrt_version:
        journal.versions["tensorrt"] = facts.setup.tensorrt_version
    if stage is Stage.BUILD:
        write_output(job.path(".build.metadata.json"), build_metadata(log.text), force=True)
    if facts.measurement.summary:
        write_output(job.path(".profile.metadata.json"), profile_metadata(log.text), force=True)

"""The commands that compare an engine with its model, whose files are named as reports find them."""

from __future__ import annotations

import os
import shlex
from collections.abc import Sequence
from pathlib import PurePath

from trexreport.collector import debug_tensors, polygraphy
from trexreport.collector.arguments import Argument
from trexreport.collector.flags import FlagTable, Stage
from trexreport.collector.jobs import Command, Job
from trexreport.collector.polygraphy import Polygraphy
from trexreport.collector.stage_arguments import arguments_for, with_absolute_files
from trexreport.collector.versions import Version
from trexreport.errors import UsageError

#: Endings of the files by which reports find the accuracy of the engine, and that of a reference.
ACCURACY, ACCURACY_REFERENCE = ".accuracy.json", ".accuracy-reference.json"


def accuracy_commands(
    job: Job, arguments: Sequence[Argument], shapes: Argument | None, version: Version, table: FlagTable
) -> tuple[list[Command], tuple[str, ...]]:
    """Return the commands that compare the engine with its model, and notes on them.

    Args:
        job: What to collect.
        arguments: The user's, in the words of the version.
        shapes: The shapes that the engine is measured with; None for those of the model.
        version: Of trtexec.
        table: What is known of its flags.

    Raises:
        UsageError: There is no model, or trtexec of this version can't.
    """
    if job.accuracy is None:
        return [], ()
    if not job.builds:
        raise UsageError(
            "The accuracy of an engine is that of its model.", "Give the model (*.onnx) with --accuracy."
        )
    launcher = job.program[:-1] if job.launcher is None else job.launcher
    building = arguments_for(arguments, Stage.BUILD, table)
    results = job.path(ACCURACY)
    if isinstance(job.accuracy, Polygraphy):
        words = _quoted(job, job.accuracy.words(job.source, results, building, shapes))
        log = job.path(".accuracy.out")
        command = Command(
            Stage.TIMING, "accuracy", (*launcher, *words), log, (results,), "polygraphy", compares=True
        )
        return [command], polygraphy.notes_on(building)
    debug_tensors.check_version(version, table)
    common = [*building, *arguments_for(arguments, Stage.TIMING, table)]
    if not any(each.name in {"noBuilderCache", "timingCacheFile"} for each in building):
        common.append(Argument("timingCacheFile", job.timing_cache))
    ours = debug_tensors.summary_arguments(_absolute(job.source), with_absolute_files(common), version, table)
    reference = debug_tensors.reference_arguments(ours)
    program = job.program[-1]
    if not launcher and os.sep in program:
        program = _absolute(program)
    commands = []
    for ending, own in ((ACCURACY, ours), (ACCURACY_REFERENCE, reference)):
        if own is not None:
            path = job.path(ending)
            run = debug_tensors.in_folder(
                (program, *map(str, own)), _absolute(job.folder), PurePath(path).name
            )
            title, log = ending[1:-5].replace("-", " "), job.path(ending.replace(".json", ".out"))
            words = (*launcher, *_quoted(job, run))
            commands.append(Command(Stage.BUILD, title, words, log, (path,), "trtexec"))
    return commands, (debug_tensors.note_on(reference),)


def _absolute(path: str) -> str:
    return os.path.abspath(path)  # noqa: PTH100


def _quoted(job: Job, words: Sequence[str]) -> tuple[str, ...]:
    """Return words as a shell on another machine reads them."""
    return tuple(shlex.quote(word) for word in words) if job.is_remote else tuple(words)

"""Make the logs of a capture what the readers of logs expect: plain lines of the runs of one engine."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from trexreport.errors import InputError
from trexreport.model import InputWarning, Source
from trexreport.model.measured_log import MeasuredLog
from trexreport.numbers import counted
from trexreport.reader.capture import Capture
from trexreport.reader.files_of_run import files_of_run
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_engines import runs_of_one_engine
from trexreport.reader.log_runs import LoggedRun, find_runs, text_of
from trexreport.reader.log_text import plain_log
from trexreport.reader.several_logs import logs_of_one_run, runs_of_a_log

_SEVERAL = 2
#: Notes that say which runs of a log are left out.
_LISTED = frozenset({"log-several-engines", "log-several-runs"})


def with_plain_logs(sources: Sequence[Source]) -> LogChoice:
    """Return the files with logs as readers expect them, and what logs of separate runs measured."""
    found, notes = [], []
    names = {source.name for source in sources if source.role != "log"}
    for source in sources:
        if source.role == "log":
            plain, undone = plain_log(source.data, source.name)
            data, left_out = runs_of_one_engine(plain, source.name, names)
            notes += [*undone, *left_out]
            found.append(source if data is source.data else replace(source, data=data))
        else:
            found.append(source)
    choice = logs_of_one_run(found)
    measured, others = choice.measured, choice.others
    if not (measured or others):
        measured, others = _measured_runs(sources, found)
    if measured:
        # The table of logs lists the runs.
        notes = [replace(each, severity="info") if each.slug in _LISTED else each for each in notes]
    return LogChoice(tuple(choice.sources), [*notes, *choice.notes], measured, others)


def _measured_runs(
    sources: Sequence[Source], kept: Sequence[Source]
) -> tuple[list[MeasuredLog], list[Capture]]:
    """Return what the runs of a single log measured, where they are separate, and those not shown.

    Args:
        sources: The files.
        kept: The files with the runs that are shown.
    """
    whole, shown = ([each for each in files if each.role == "log"] for files in (sources, kept))
    if not len(whole) == len(shown) == 1:
        return [], []
    plain = plain_log(whole[0].data, whole[0].name)[0]
    runs = find_runs(plain)
    if len(runs) < _SEVERAL:
        return [], []
    return runs_of_a_log(shown[0], [text_of(plain, runs, run) for run in runs])


def with_log_run(capture: Capture, number: int) -> Capture:
    """Return a capture whose log has one run alone, and what that run loads or builds.

    The file is cut, so that a report that carries it is about the same run.

    Args:
        capture: Of its logs those with several runs are cut.
        number: Of the run, 1 for the first.

    Raises:
        InputError: No log has such a run.
    """
    # Notes name no file and no engine: what is redacted is redacted later.
    sources, notes = [], list(capture.notes)
    cut: list[tuple[list[LoggedRun], LoggedRun]] = []
    for source in capture.sources:
        plain = plain_log(source.data, source.name)[0] if source.role == "log" else source.data
        runs = find_runs(plain) if source.role == "log" else []
        if len(runs) > 1 or (len(runs) == number == 1):
            kept, _ = runs_of_one_engine(plain, source.name, wanted=number)
            message = f"Of a log with {counted(len(runs), 'run')}, run {number} is shown, as asked for."
            notes.append(InputWarning("info", "log-run", message))
            sources.append(replace(source, data=kept))
            cut.append((runs, runs[number - 1]))
        else:
            sources.append(source)
    if not cut:
        raise InputError(
            f"{capture.name} has no log with several runs, so run {number} can't be shown.",
            "Leave out the number of a run; each run has a line &&&& RUNNING, or a summary of its own.",
        )
    for runs, wanted in cut:
        sources, left_out = files_of_run(sources, runs, wanted)
        notes += left_out
    return replace(capture, sources=tuple(sources), notes=tuple(notes))

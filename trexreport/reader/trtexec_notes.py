"""Say what is missing or odd about a trtexec log."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from trexreport.model import InputWarning
from trexreport.model.capture import STATES_ERROR
from trexreport.numbers import counted
from trexreport.reader.impossible import quoted
from trexreport.reader.next_run import has_timed
from trexreport.reader.trtexec_run import Run
from trexreport.reader.wrapper_results import stated_failures
from trexreport.regex import regex

_AFFECTED = ("overview",)
#: How a run ended that did not pass: what identifies the note on it, and how its message begins.
_FAILED = ("log-failed", "trtexec says that it failed")
_UNFINISHED = ("log-unfinished", "The log ends before trtexec says whether it passed")
_CUT = "Give the whole log; if it ends here, trtexec crashed: run it again with --verbose."
_COMPLETED = "Engine generation completed in "
_SEVERAL = 2
_IMPLICIT_BATCH = "mplicit batch dimension mode has been deprecated"
#: What a program prints that averages no measurements: "Average time of both engines: 0".
_ZERO_AVERAGE = regex(
    r"^[ \t]{0,8}(?:average|mean|median)\b[^\n:=]{0,120}\b(?:time|latency)\b[^\n:=]{0,120}[:=][ \t]{0,4}"
    r"0(?:\.0{1,9})?[ \t]{0,4}(?:ms|s|us)?[ \t\r]{0,4}$",
    re.IGNORECASE | re.MULTILINE,
)
#: Notes that rows of layer times lack the beginning of their table.
CUT_TABLE = "log-cut-table"
#: A row of --dumpProfile: total, average, median from TensorRT 8.4 on, share and name.
_ROW = regex(r"\[I\] {2,40}(?:\d{1,12}\.\d{1,12} {1,40}){3,4}\S", re.ASCII)


def write_notes(
    text: str, runs: Sequence[Run], finished: bool | None, errors: Sequence[str], source_name: str
) -> tuple[InputWarning, ...]:
    """Return the notes about a log, in the order of how much they matter, but for `note_on_runs`."""
    if not any(run.lines for run in runs):
        # Standard error is empty when all went well.
        return (InputWarning("info", "log-empty", "The log is empty.", source_name),)
    if not any(run.commands or run.records or run.table.headed for run in runs) and not errors:
        message = f"No line of {source_name} is trtexec's."
        return (InputWarning("degraded", "log-not-trtexec", message, source_name, _AFFECTED),)
    return (
        *_notes_on_end(text, runs, finished, errors, source_name),
        *_notes_on_content(runs, source_name),
        *_notes_on_text(text, runs, source_name),
    )


def _notes_on_text(text: str, runs: Sequence[Run], source_name: str) -> Iterator[InputWarning]:
    """Yield the notes about what TensorRT warns of for later versions, and what another program averaged."""
    if _IMPLICIT_BATCH in text:
        message = "The network has an implicit batch, which is deprecated and missing from TensorRT 10 on."
        hint = "Build from an ONNX model, or with an explicit batch (NetworkDefinitionCreationFlag)."
        yield InputWarning("info", "log-implicit-batch", message, source_name, hint=hint)
    zeros = 0 if any(run.is_measured for run in runs) else sum(1 for _ in _ZERO_AVERAGE.finditer(text))
    if zeros:
        message = f"{counted(zeros, 'average')} of 0 in the log: nothing was measured."
        hint = "Look for the error before them, which left out the measurement."
        yield InputWarning("degraded", "log-zero-averages", message, source_name, _AFFECTED, hint)


def note_on_cut_table(text: str, source_name: str) -> tuple[InputWarning, ...]:
    """Return that a log without a table of layer times has rows of one, if it has some."""
    rows = [row.start() for row in _ROW.finditer(text)]
    if not rows:
        return ()
    are = "is a row" if len(rows) == 1 else "are rows"
    message = (
        f"{counted(len(rows), 'line')} {are} of a table of layer times whose beginning is missing, from line "
        f"{text.count(chr(10), 0, rows[0]) + 1} on. They were left out."
    )
    hint = "Give the whole log, with the heading of the table."
    return (InputWarning("degraded", CUT_TABLE, message, source_name, ("latency", "layers"), hint),)


def _notes_on_end(
    text: str, runs: Sequence[Run], finished: bool | None, errors: Sequence[str], source_name: str
) -> Iterator[InputWarning]:
    """Yield the notes about how the runs ended."""
    if any(run.asks_help for run in runs):
        yield InputWarning("info", "log-help", "trtexec printed its help and ran nothing.", source_name)
    failed = stated_failures(text)
    unfinished = [run for run in runs if run.commands and run.finished is None and not run.asks_help]
    # What printed a summary had ended its work, so that only lines are missing.
    is_unfinished = bool(errors and unfinished) or any(not run.is_measured for run in unfinished)
    if any(run.build_facts.get("Engine size") == "0 MiB" for run in runs):
        message = "The build produced an empty engine."
        hint = "" if errors else "Look for errors in the log."
        yield InputWarning("degraded", "log-empty-engine", message, source_name, hint=hint)
    if finished is False or is_unfinished:
        kind = _FAILED if finished is False else _UNFINISHED
        yield _note_on_failure(text, runs, errors, source_name, kind)
    elif failed and not errors and not any(run.commands or run.is_measured for run in runs):
        message = (
            f"The program that ran TensorRT states that it failed ({failed}), and no line is an error of "
            "TensorRT."
        )
        hint = "The cause is in lines that are not here or in a later step: look at the whole log."
        yield InputWarning("degraded", _FAILED[0], message, source_name, _AFFECTED, hint)
    elif not any(run.commands for run in runs):
        # A build that was completed outlived the errors before.
        built = text.rfind(_COMPLETED)
        late = (
            errors if built < 0 else [each for each in dict.fromkeys(errors) if text.find(each, built) >= 0]
        )
        if not any(run.is_measured for run in runs) and (says := _says_of_failure(text, late)):
            yield _note_on_failure(text, runs, late, source_name, (_FAILED[0], says))
            return
        reason = f" Its first error: {errors[0]}" if errors else ""
        message = f"The log lacks trtexec's first and last line; a part of it may be missing.{reason}"
        yield InputWarning("info", "log-no-banner", message, source_name)
    elif unfinished:
        message = "The log lacks trtexec's last line; lines before it may be missing, too."
        yield InputWarning("info", "log-no-banner", message, source_name)


def _says_of_failure(text: str, errors: Sequence[str]) -> str:
    """Return how a note on these errors of a log begins; empty if no run failed, as far as they say."""
    from trexreport.reader.application_times import application_times
    from trexreport.reader.failed_run import OF_PROGRAM, REPEATS, says_of_error

    says = says_of_error(errors)
    if says == OF_PROGRAM and application_times(text[text.rfind(errors[-1]) :]):
        # It went on.
        return ""
    # trtexec may say so in other words than its last line.
    return _FAILED[1] if says != OF_PROGRAM and any(map(REPEATS.match, errors)) else says


def _note_on_failure(
    text: str, runs: Sequence[Run], errors: Sequence[str], source_name: str, kind: tuple[str, str]
) -> InputWarning:
    """Return the note that a run failed, with its cause and what to do about it."""
    # Imported late: most runs pass.
    from trexreport.reader.failed_run import why_failed

    commands = [command for run in runs for command in run.commands]
    why = why_failed(text, errors, commands, next((run.version for run in runs if run.version), ""))
    cause = f": {why.cause}." if why.cause else "."
    end = "" if why.error.endswith((".", "!", "?", "…")) else "."
    error = f"{STATES_ERROR}{why.error}{end}" if why.error else ""
    slug, says = kind
    hint = why.remedy or (_CUT if kind == _UNFINISHED else "")
    return InputWarning("degraded", slug, f"{says}{cause}{error}", source_name, _AFFECTED, hint)


def note_on_runs(runs: Sequence[Run], shown: Run, source_name: str) -> tuple[InputWarning, ...]:
    """Return which of several measured runs is shown; empty if there are not several."""
    measured = [run for run in runs if has_timed(run)]
    if len(measured) < _SEVERAL:
        return ()
    number = next(at for at, run in enumerate(measured, 1) if run is shown)
    message = f"{source_name} has {len(measured)} measured runs; run {number} of these is shown."
    hint = "Give one log for each engine."
    if not any(run.commands for run in runs):
        hint = "Give one log for each engine, or choose a run with --log-run, counted from 1."
    return (InputWarning("degraded", "log-several-runs", message, source_name, _AFFECTED, hint),)


def _notes_on_content(runs: Sequence[Run], source_name: str) -> Iterator[InputWarning]:
    """Yield the notes about what the runs say."""
    unreadable = dict.fromkeys(name for run in runs for name in run.summary.unreadable)
    if unreadable:
        message = f"Figures that are not numbers were left out: {', '.join(unreadable)}."
        yield InputWarning("degraded", "log-not-a-number", message, source_name, _AFFECTED)
    for name, part in {key: each for run in runs for key, each in run.summary.cut.items()}.items():
        message = f"The line of {name} is cut at {quoted(part)}; the figures before that were read."
        yield InputWarning("info", "log-cut-line", message, source_name)
    stages = [stage for run in runs for stage in run.stages]
    if len(stages) > 1:
        message = f"The log has {len(stages)} tables of layers; the first one is shown, of {stages[0]}."
        hint = "Give one log for each stage."
        yield InputWarning(
            "degraded", "log-several-stages", message, source_name, ("latency", "layers"), hint
        )
    if any(run.unmeasured_profile for run in runs):
        message = "trtexec timed layers in this run and so reports no latency."
        hint = "Add --separateProfileRun to have both."
        yield InputWarning("info", "log-profile-only", message, source_name, hint=hint)
    if any(run.leaves_out for run in runs):
        message = "Options that the run prints but does not use were left out."
        yield InputWarning("info", "log-unused-options", message, source_name)

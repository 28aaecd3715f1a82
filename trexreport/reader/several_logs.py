"""Choose among the logs of a folder that are of several runs: figures of different runs must not mix."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from trexreport.model import InputWarning, Source
from trexreport.model.capture import NoteSeverity
from trexreport.model.measured_log import TYPES, MeasuredLog, are_comparable, fastest
from trexreport.numbers import counted, format_rate, join_names, list_names
from trexreport.reader.capture import Capture
from trexreport.reader.compared_logs import ComparedLog, compared_log, differ, may_be_one_run
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_figures import with_possible_batches

#: What else shows of which engine and run a capture is.
_OF_ONE_ENGINE = frozenset({"graph", "profile", "layer-table", "manifest", "timing", "end-to-end"})
#: Two runs of one engine whose times differ by more are not one measurement.
_SAME_TIME = 1.1
_MOST_LISTED = 8


def logs_of_one_run(sources: Sequence[Source]) -> LogChoice:
    """Return the files without logs of other measured runs than the fastest, and what each measured.

    A log of the build beside one of the run stays. Where layers or times are beside, the log whose command
    wrote them is shown; without such a command every log stays, and the contradictions show which are not of
    them. Of builds alone the one of the lowest precision that states layers is shown.

    Args:
        sources: The files of a capture, logs as the readers expect them.
    """
    logs = [source for source in sources if source.role == "log"]
    if len(logs) < 2:
        return LogChoice(sources)
    read = [compared_log(source) for source in logs]
    if any(source.role in _OF_ONE_ENGINE for source in sources):
        return _beside_files(sources, read)
    measured = [each for each in read if each.is_measured]
    if len(measured) < 2 or all(may_be_one_run(measured[0], other) for other in measured[1:]):
        return _without_other_builds(sources, read, measured)
    logs_measured = _figures(read)
    shown = measured[logs_measured.index(fastest(logs_measured))]
    logs_measured = [
        replace(log, is_shown=each is shown) for log, each in zip(logs_measured, measured, strict=True)
    ]
    kept = [each for each in read if each is shown or not (each.is_measured or differ(shown, each))]
    rates = [
        f"{log.file} ({format_rate(log.throughput_qps)} qps)" if log.throughput_qps else log.file
        for log in logs_measured
    ]
    message = (
        f"There are logs of {counted(len(measured), 'run')}: {_listed(rates)}; {shown.source.name} is shown."
    )
    left = [each for each in read if not each.is_measured and each not in kept]
    if left:
        message += f" {_of_others(left)}."
    note = _note("degraded" if left else "info", message, [each.source.name for each in measured])
    return LogChoice(_only(sources, kept), [note], logs_measured, _without(read, kept))


def _beside_files(sources: Sequence[Source], read: Sequence[ComparedLog]) -> LogChoice:
    """Return the files without logs of other runs than those whose commands wrote the others."""
    names = {source.name.casefold() for source in sources if source.role != "log"}
    writers = [each for each in read if each.exports & names]
    others = [
        each for each in read if each not in writers and all(_is_other_run(own, each) for own in writers)
    ]
    if not (writers and others):
        return LogChoice(sources)
    kept = [each for each in read if each not in others]
    shown = next((each for each in writers if each.is_measured), writers[0])
    table = _figures([shown, *others]) if shown.is_measured else []
    names_of_runs = [each.source.name for each in (shown, *others)]
    message = f"There are logs of {counted(len(names_of_runs), 'run')}: {_listed(names_of_runs)}; "
    message += f"{shown.source.name} is shown, whose command wrote the files beside it."
    note = _note("info" if table else "degraded", message, names_of_runs)
    listed = [replace(log, is_shown=at == 0) for at, log in enumerate(table)]
    return LogChoice(_only(sources, kept), [note], listed, _without(read, kept))


def _is_other_run(one: ComparedLog, other: ComparedLog) -> bool:
    """Return whether a log measured another engine, or the same one in another way, or another one failed."""
    if not other.is_measured:
        # A build that failed left no engine that another run loads.
        left_none = bool(other.models) and not (one.has_failed or one.engines & other.engines)
        return other.has_failed and (left_none or differ(one, other))
    sizes = {one.measured.batch, other.measured.batch} - {None}
    is_other = len(sizes) > 1 or not are_comparable(one.measured, other.measured)
    # A build may measure, too.
    return differ(one, other) or (is_other and not other.models)


def runs_of_a_log(source: Source, texts: Sequence[bytes]) -> tuple[list[MeasuredLog], list[Capture]]:
    """Return what each run of a log measured, and the others; nothing where all may be one measurement.

    Args:
        source: The log.
        texts: Of its runs, in order.
    """
    read = [compared_log(replace(source, data=text), number) for number, text in enumerate(texts, 1)]
    measured = [each for each in read if each.is_measured]
    if not any(differ(one, other) or _run_otherwise(one, other) for one, other in pairwise(measured)):
        return [], []
    shown = compared_log(source).measured.figures
    figures = _figures(read)
    number = max((at for at, each in enumerate(figures) if each.figures == shown), default=None)
    others: list[Capture] = [
        Capture(each.measured.file, (replace(each.source, name=each.measured.file),))
        for at, each in enumerate(measured)
        if at != number
    ]
    return [replace(each, is_shown=at == number) for at, each in enumerate(figures)], others


def _run_otherwise(one: ComparedLog, other: ComparedLog) -> bool:
    """Return whether two runs of one log had other batches, GPUs, options of the measurement or times."""
    figures = one.measured, other.measured
    times = sorted(each.time_ms for each in figures)
    if not times[0]:
        # A log may end before the times of one.
        times = sorted(each.throughput_qps or 0.0 for each in figures)
    # Profiling alone may make one of two runs slower.
    is_one_profiled = bool(one.facts.profile) != bool(other.facts.profile)
    is_timed_alike = times[1] <= _SAME_TIME * times[0] or is_one_profiled
    sizes = {each.batch for each in figures} - {None}
    return len(sizes) > 1 or not are_comparable(*figures) or bool(times[0] and not is_timed_alike)


def _figures(read: Sequence[ComparedLog]) -> list[MeasuredLog]:
    """Return what logs measured; one that loads an engine has the precisions with which another built it."""
    types = {file: each.measured.types for each in read for file in each.engines if each.models}
    found = [
        replace(log, types=next((types[file] for file in each.engines if file in types), ()))
        if not (log := each.measured).types and each.is_measured
        else log
        for each in read
        if each.is_measured
    ]
    return with_possible_batches(found)


def _without_other_builds(
    sources: Sequence[Source], read: Sequence[ComparedLog], measured: Sequence[ComparedLog]
) -> LogChoice:
    """Return the files without logs of other builds than that of the measured run, and a note on these."""
    passed = [each for each in read if not each.has_failed]
    # Of builds alone the one of the lowest precision is what the others lead to; of tables the longest one.
    lowest = max(passed, key=lambda log: (_lists_layers(log), _precision(log), _layers_ms(log)), default=None)
    shown = measured[0] if measured else lowest
    # Tries that failed alike are shown together.
    others = [each for each in read if shown and each not in measured and differ(shown, each)]
    if shown is None or not others:
        return LogChoice(sources)
    names = [each.source.name for each in others]
    message = f"{_of_others(others)}; {shown.source.name} is shown."
    kept = [each for each in read if each not in others]
    note = _note("degraded", message, [shown.source.name, *names])
    return LogChoice(_only(sources, kept), [note], others=_without(read, kept))


def _of_others(logs: Sequence[ComparedLog]) -> str:
    """Return which logs are of other builds or runs, and which of them say that trtexec failed."""
    failed = [each.source.name for each in logs if each.has_failed]
    names = [each.source.name for each in logs if each.source.name not in failed]
    parts = []
    if names:
        # Layer times are those of a run.
        what = "run" if any(each.facts.profile for each in logs if not each.has_failed) else "build"
        others = f"another {what}" if len(names) == 1 else f"other {what}s"
        parts.append(f"{_listed(names)} {_are(names)} of {others}")
    if failed:
        parts.append(
            f"{_listed(failed)} {_are(failed)} of a failed run: trexreport lint {failed[0]} says why"
        )
    return ", and ".join(parts)


def _are(names: Sequence[str]) -> str:
    return "is a log" if len(names) == 1 else "are logs"


def _lists_layers(log: ComparedLog) -> bool:
    # Imported late: few captures have several logs.
    from trexreport.reader.logged_layers import MARKS

    return any(mark.encode() in log.source.data for mark in MARKS)


def _layers_ms(log: ComparedLog) -> float:
    return log.facts.profile.layers_ms if log.facts.profile else 0.0


def _precision(log: ComparedLog) -> int:
    """Return the place of the lowest precision of a build among all; -1 where none is known."""
    return max(map(TYPES.index, log.measured.types), default=-1)


def _only(sources: Sequence[Source], kept: Sequence[ComparedLog]) -> list[Source]:
    """Return the files with no logs but these."""
    ids = {id(each.source) for each in kept}
    return [each for each in sources if each.role != "log" or id(each) in ids]


def _without(read: Sequence[ComparedLog], kept: Sequence[ComparedLog]) -> list[Capture]:
    """Return the logs that are left out."""
    return [Capture(each.source.name, (each.source,)) for each in read if each not in kept]


def _note(severity: NoteSeverity, message: str, names: Sequence[str]) -> InputWarning:
    command = " ".join(names[:_MOST_LISTED])
    hint = f"Compare them: trexreport compare {command}. Or give one of them."
    return InputWarning(severity, "several-runs", message, "", ("overview", "timing"), hint)


def _listed(names: Sequence[str]) -> str:
    return join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)

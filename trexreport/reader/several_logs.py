"""Choose among the logs of a folder that are of several runs: figures of different runs must not mix."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise
from typing import NamedTuple

from trexreport.model import InputWarning, Source
from trexreport.model.capture import NoteSeverity
from trexreport.model.measured_log import TYPES, MeasuredLog, are_comparable, fastest
from trexreport.numbers import counted, format_rate, join_names, list_names
from trexreport.reader.file_names import plain_name
from trexreport.reader.layer_names import without_profile
from trexreport.reader.log_choice import LogChoice
from trexreport.reader.log_figures import measured_log, with_possible_batches
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.regex import regex

#: What else shows of which engine and run a capture is.
_OF_ONE_ENGINE = frozenset({"graph", "profile", "layer-table", "manifest", "timing", "end-to-end"})
_ENGINE = regex(r"--(?:loadEngine|saveEngine)=(\S{1,4000})")
_MODEL = regex(r"--(?:onnx|uff|deploy|model)=(\S{1,4000})")
#: Options that make two builds of one model, or two runs of one engine, different.
_BUILD = regex(
    r"--(?:fp16|bf16|int8|fp8|int4|best|stronglyTyped|noTF32|sparsity=\S{1,40}|useDLACore=\d)(?!\S)"
)
_RUN = regex(r"--(?:shapes|batch|optShapes|streams|infStreams)=\S{1,4000}")
#: Notes that a run failed, and what a build states of the engine that it made.
_FAILED = frozenset({"log-failed", "log-empty-engine"})
_OF_AN_ENGINE = frozenset(
    {"Engine built in", "Engine generation completed in", "Engine size", "Loaded engine size"}
)
#: Throughputs of the same run that two logs state are equal, but for digits.
_SAME_RATE = 1.001
#: Two runs of one engine whose times differ by more are not one measurement.
_SAME_TIME = 1.1
_MOST_LISTED = 8


class _Log(NamedTuple):
    """A log, and what it states and measured of its engine and run."""

    source: Source
    facts: SetupFacts
    measured: MeasuredLog
    engines: frozenset[str]
    models: frozenset[str]
    build: frozenset[str]
    run: frozenset[str]

    @property
    def inputs(self) -> frozenset[str]:
        """The names of the inputs that trtexec created."""
        return frozenset(map(without_profile, self.facts.setup.input_names))

    @property
    def has_failed(self) -> bool:
        """True if it says that its run failed, or left no engine."""
        return self.facts.finished is False or any(note.slug in _FAILED for note in self.facts.notes)

    @property
    def has_built(self) -> bool:
        """True if it shows the engine of a build."""
        return not self.has_failed and bool(_OF_AN_ENGINE & self.facts.setup.build_facts.keys())

    @property
    def is_measured(self) -> bool:
        measurement = self.facts.measurement
        return bool(measurement.summary or measurement.throughput_qps or measurement.averages)


def logs_of_one_run(sources: Sequence[Source]) -> LogChoice:
    """Return the files without logs of other measured runs than the fastest, and what each measured.

    A log of the build beside one of the run stays, and so does every log where layers, times or a manifest
    are beside: these are of one of them, which the contradictions show. Of builds alone the one of the lowest
    precision that states layers is shown.

    Args:
        sources: The files of a capture, logs as the readers expect them.
    """
    logs = [source for source in sources if source.role == "log"]
    if len(logs) < 2 or any(source.role in _OF_ONE_ENGINE for source in sources):
        return LogChoice(sources)
    read = [_log(source) for source in logs]
    measured = [each for each in read if each.is_measured]
    if len(measured) < 2 or all(_may_be_one_run(measured[0], other) for other in measured[1:]):
        return _without_other_builds(sources, read, measured)
    logs_measured = _figures(read)
    shown = measured[logs_measured.index(fastest(logs_measured))]
    logs_measured = [
        replace(log, is_shown=each is shown) for log, each in zip(logs_measured, measured, strict=True)
    ]
    kept = [each for each in read if each is shown or not (each.is_measured or _differ(shown, each))]
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


def runs_of_a_log(source: Source, texts: Sequence[bytes]) -> tuple[list[MeasuredLog], list[Source]]:
    """Return what each run of a log measured, and the others; nothing where all may be one measurement.

    Args:
        source: The log.
        texts: Of its runs, in order.
    """
    read = [_log(replace(source, data=text), number) for number, text in enumerate(texts, 1)]
    measured = [each for each in read if each.is_measured]
    differ = any(_differ(one, other) or _run_otherwise(one, other) for one, other in pairwise(measured))
    if not differ:
        return [], []
    shown = _log(source).measured.figures
    figures = _figures(read)
    number = max((at for at, each in enumerate(figures) if each.figures == shown), default=None)
    others = [
        replace(each.source, name=each.measured.file) for at, each in enumerate(measured) if at != number
    ]
    return [replace(each, is_shown=at == number) for at, each in enumerate(figures)], others


def _run_otherwise(one: _Log, other: _Log) -> bool:
    """Return whether two runs of one log had other batches, GPUs, options of the measurement or times."""
    figures = one.measured, other.measured
    times = sorted(each.time_ms for each in figures)
    # Profiling alone may make one of two runs slower.
    is_one_profiled = bool(one.facts.profile) != bool(other.facts.profile)
    is_timed_alike = times[1] <= _SAME_TIME * times[0] or is_one_profiled
    sizes = {each.batch for each in figures} - {None}
    return len(sizes) > 1 or not are_comparable(*figures) or bool(times[0] and not is_timed_alike)


def _figures(read: Sequence[_Log]) -> list[MeasuredLog]:
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
    sources: Sequence[Source], read: Sequence[_Log], measured: Sequence[_Log]
) -> LogChoice:
    """Return the files without logs of other builds than that of the measured run, and a note on these."""
    passed = [each for each in read if not each.has_failed]
    # Of builds alone the one of the lowest precision is what the others lead to; of tables the longest one.
    lowest = max(passed, key=lambda log: (_lists_layers(log), _precision(log), _layers_ms(log)), default=None)
    shown = measured[0] if measured else lowest
    # Tries that failed alike are shown together.
    others = [each for each in read if shown and each not in measured and _differ(shown, each)]
    if shown is None or not others:
        return LogChoice(sources)
    names = [each.source.name for each in others]
    message = f"{_of_others(others)}; {shown.source.name} is shown."
    kept = [each for each in read if each not in others]
    note = _note("degraded", message, [shown.source.name, *names])
    return LogChoice(_only(sources, kept), [note], others=_without(read, kept))


def _of_others(logs: Sequence[_Log]) -> str:
    """Return which logs are of other builds or runs, and which of them say that trtexec failed."""
    failed = [each.source.name for each in logs if each.has_failed]
    names = [each.source.name for each in logs if each.source.name not in failed]
    parts = []
    if names:
        builds = "another build" if len(names) == 1 else "other builds"
        parts.append(f"{_listed(names)} {_are(names)} of {builds}")
    if failed:
        parts.append(
            f"{_listed(failed)} {_are(failed)} of a failed run: trexreport lint {failed[0]} says why"
        )
    return ", and ".join(parts)


def _are(names: Sequence[str]) -> str:
    return "is a log" if len(names) == 1 else "are logs"


def _lists_layers(log: _Log) -> bool:
    # Imported late: few captures have several logs.
    from trexreport.reader.logged_layers import MARKS

    return any(mark.encode() in log.source.data for mark in MARKS)


def _layers_ms(log: _Log) -> float:
    return log.facts.profile.layers_ms if log.facts.profile else 0.0


def _precision(log: _Log) -> int:
    """Return the place of the lowest precision of a build among all; -1 where none is known."""
    return max(map(TYPES.index, log.measured.types), default=-1)


def _only(sources: Sequence[Source], kept: Sequence[_Log]) -> list[Source]:
    """Return the files with no logs but these."""
    ids = {id(each.source) for each in kept}
    return [each for each in sources if each.role != "log" or id(each) in ids]


def _without(read: Sequence[_Log], kept: Sequence[_Log]) -> list[Source]:
    """Return the logs that are left out."""
    return [each.source for each in read if each not in kept]


def _note(severity: NoteSeverity, message: str, names: Sequence[str]) -> InputWarning:
    command = " ".join(names[:_MOST_LISTED])
    hint = f"Compare them: trexreport compare {command}. Or give one of them."
    return InputWarning(severity, "several-runs", message, "", ("overview", "timing"), hint)


def _listed(names: Sequence[str]) -> str:
    return join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)


def _log(source: Source, run: int | None = None) -> _Log:
    facts = read_trtexec_log(source.data.decode(errors="replace"), source.name)
    command = " ".join(facts.setup.commands)
    return _Log(
        source,
        facts,
        measured_log(source, facts, run),
        _names(_ENGINE.findall(command)),
        _names(_MODEL.findall(command)),
        frozenset(_BUILD.findall(command)),
        frozenset(_RUN.findall(command)),
    )


def _names(paths: Collection[str]) -> frozenset[str]:
    return frozenset(plain_name(path.strip("'\"")).casefold() for path in paths)


def _differ(one: _Log, other: _Log) -> bool:
    """Return whether two logs state different engines, models, inputs or options of the run."""
    if one.inputs and other.inputs and one.inputs != other.inputs:
        return True
    tables = one.facts.profile, other.facts.profile
    if tables[0] and tables[1] and tables[0].names.isdisjoint(tables[1].names):
        return True
    if one.engines and other.engines:
        if not one.engines & other.engines:
            return True
    elif one.models and other.models:
        if (one.models, one.build) != (other.models, other.build):
            return True
    elif _are_of_other_builds(one, other):
        return True
    return bool(one.run and other.run and one.run != other.run)


def _are_of_other_builds(one: _Log, other: _Log) -> bool:
    """Return whether logs are of builds of which one failed, or one measured nothing and is of other types.

    Those of runs are distinguished by what they measured.
    """
    types, its_types = set(one.measured.types), set(other.measured.types)
    states_builds = one.facts.setup.build_options and other.facts.setup.build_options
    if states_builds and ((one.has_failed and other.has_built) or (one.has_built and other.has_failed)):
        return True
    if (one.is_measured and other.is_measured) or not (types and its_types):
        return False
    return not (types <= its_types or its_types <= types)


def _may_be_one_run(one: _Log, other: _Log) -> bool:
    """Return whether what two logs measured may be one run, also where nothing distinguishes them.

    A log of a build and one of its engine are. Two logs that only load an engine are if they agree.
    """
    if _differ(one, other):
        return False
    states_engine = (one.engines or one.models) and (other.engines or other.models)
    if states_engine and (one.models or other.models):
        return True
    figures = [one.measured, other.measured]
    rates = [each.throughput_qps or 0.0 for each in figures]
    times = [0.0 if any(rates) else each.time_ms for each in figures]
    return max(rates) <= _SAME_RATE * min(rates) and max(times) <= _SAME_RATE * min(times)

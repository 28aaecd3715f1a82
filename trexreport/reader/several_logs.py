"""Choose among the logs of a folder that are of several runs: figures of different runs must not mix."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from trexreport.model import InputWarning, Source
from trexreport.model.measured_log import MeasuredLog, fastest
from trexreport.numbers import counted, format_rate, join_names, list_names
from trexreport.reader.file_names import plain_name
from trexreport.reader.log_figures import measured_log
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
#: Throughputs of the same run that two logs state are equal, but for digits.
_SAME_RATE = 1.001
_MOST_LISTED = 8


class _Log(NamedTuple):
    """A log, and what it states of its engine and run."""

    source: Source
    facts: SetupFacts
    engines: frozenset[str]
    models: frozenset[str]
    build: frozenset[str]
    run: frozenset[str]

    @property
    def is_measured(self) -> bool:
        measurement = self.facts.measurement
        return bool(measurement.summary or measurement.throughput_qps or measurement.averages)


def logs_of_one_run(
    sources: Sequence[Source],
) -> tuple[Sequence[Source], list[InputWarning], list[MeasuredLog]]:
    """Return the files without logs of other measured runs than the fastest, a note, and what each measured.

    A log of the build beside one of the run stays, and so does every log where layers, times or a manifest
    are beside: these are of one of them, which the contradictions show.

    Args:
        sources: The files of a capture, logs as the readers expect them.
    """
    logs = [source for source in sources if source.role == "log"]
    if len(logs) < 2 or any(source.role in _OF_ONE_ENGINE for source in sources):
        return sources, [], []
    read = [_log(source) for source in logs]
    measured = [each for each in read if each.is_measured]
    if len(measured) < 2 or all(_may_be_one_run(measured[0], other) for other in measured[1:]):
        return sources, [], []
    logs_measured = [measured_log(each.source, each.facts) for each in measured]
    shown = measured[logs_measured.index(fastest(logs_measured))]
    kept = {
        id(each.source) for each in read if each is shown or not (each.is_measured or _differ(shown, each))
    }
    names = [each.source.name for each in measured]
    rates = [
        f"{each.source.name} ({format_rate(rate)} qps)" if rate else each.source.name
        for each in measured
        for rate in [each.facts.measurement.throughput_qps]
    ]
    message = (
        f"There are logs of {counted(len(measured), 'run')}: {_listed(rates)}; {shown.source.name} is shown."
    )
    command = " ".join(names[:_MOST_LISTED])
    hint = f"Compare them: trexreport compare {command}. Or give one of them."
    note = InputWarning("info", "several-runs", message, "", ("overview", "timing"), hint)
    return [each for each in sources if each.role != "log" or id(each) in kept], [note], logs_measured


def _listed(names: Sequence[str]) -> str:
    return join_names(names) if len(names) <= _MOST_LISTED else list_names(names, _MOST_LISTED)


def _log(source: Source) -> _Log:
    facts = read_trtexec_log(source.data.decode(errors="replace"), source.name)
    command = " ".join(facts.setup.commands)
    return _Log(
        source,
        facts,
        _names(_ENGINE.findall(command)),
        _names(_MODEL.findall(command)),
        frozenset(_BUILD.findall(command)),
        frozenset(_RUN.findall(command)),
    )


def _names(paths: Collection[str]) -> frozenset[str]:
    return frozenset(plain_name(path.strip("'\"")).casefold() for path in paths)


def _differ(one: _Log, other: _Log) -> bool:
    """Return whether two logs state different engines, models or options of the run."""
    if one.engines and other.engines:
        if not one.engines & other.engines:
            return True
    elif one.models and other.models and ((one.models, one.build) != (other.models, other.build)):
        return True
    return bool(one.run and other.run and one.run != other.run)


def _may_be_one_run(one: _Log, other: _Log) -> bool:
    """Return whether what two logs measured may be one run, also where nothing distinguishes them."""
    states_engine = (one.engines or one.models) and (other.engines or other.models)
    if states_engine or _differ(one, other):
        return not _differ(one, other)
    figures = [measured_log(each.source, each.facts) for each in (one, other)]
    rates = [each.throughput_qps or 0.0 for each in figures]
    times = [0.0 if any(rates) else each.time_ms for each in figures]
    return max(rates) <= _SAME_RATE * min(rates) and max(times) <= _SAME_RATE * min(times)

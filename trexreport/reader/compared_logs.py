"""What logs state of their engine and run, and whether two of them are of one."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

from trexreport.model import Source
from trexreport.model.measured_log import MeasuredLog
from trexreport.reader.file_names import plain_name
from trexreport.reader.layer_names import without_profile
from trexreport.reader.log_figures import measured_log
from trexreport.reader.setup_facts import SetupFacts
from trexreport.reader.trtexec_log import read_trtexec_log
from trexreport.regex import regex

_ENGINE = regex(r"--(?:loadEngine|saveEngine)=(\S{1,4000})")
_EXPORT = regex(r"--export\w{1,40}=(\S{1,4000})")
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
#: Tables of two engines have less than this part of the names of the shorter one in common.
_MOST_ALIKE = 0.5
#: Tables of one engine on one GPU do not differ by this factor.
_TWICE = 2
_SEVERAL = 2


class ComparedLog(NamedTuple):
    """A log, and what it states and measured of its engine and run."""

    source: Source
    facts: SetupFacts
    measured: MeasuredLog
    engines: frozenset[str]
    models: frozenset[str]
    build: frozenset[str]
    run: frozenset[str]
    exports: frozenset[str]

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
        """True if it states how long queries took."""
        measurement = self.facts.measurement
        stated = measurement.summary, measurement.throughput_qps, measurement.averages, measurement.timed_qps
        return any(stated)


def compared_log(source: Source, run: int | None = None) -> ComparedLog:
    """Return what a log, or a numbered run of one, states and measured."""
    facts = read_trtexec_log(source.data.decode(errors="replace"), source.name)
    command = " ".join(facts.setup.commands)
    return ComparedLog(
        source,
        facts,
        measured_log(source, facts, run),
        _names(_ENGINE.findall(command)),
        _names(_MODEL.findall(command)),
        frozenset(_BUILD.findall(command)),
        frozenset(_RUN.findall(command)),
        _names(_EXPORT.findall(command)),
    )


def _names(paths: Collection[str]) -> frozenset[str]:
    return frozenset(plain_name(path.strip("'\"")).casefold() for path in paths)


def differ(one: ComparedLog, other: ComparedLog) -> bool:
    """Return whether two logs state different engines, models, inputs or options of the run."""
    if one.inputs and other.inputs and one.inputs != other.inputs:
        return True
    if _have_other_tables(one, other):
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


def _have_other_tables(one: ComparedLog, other: ComparedLog) -> bool:
    """Return whether each of two logs has layer times of its own, and these are not of one engine and GPU.

    An output or a first layer may be called alike in every engine, and an excerpt has a part of the layers.
    """
    tables = [each.facts.profile for each in (one, other) if each.facts.profile]
    if len(tables) < _SEVERAL:
        return False
    names = [each.names for each in tables]
    times = sorted(each.layers_ms for each in tables)
    return len(names[0] & names[1]) < _MOST_ALIKE * min(map(len, names)) or times[1] > _TWICE * times[0] > 0


def _are_of_other_builds(one: ComparedLog, other: ComparedLog) -> bool:
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


def may_be_one_run(one: ComparedLog, other: ComparedLog) -> bool:
    """Return whether what two logs measured may be one run, also where nothing distinguishes them.

    A log of a build and one of its engine are. Two logs that only load an engine are if they agree.
    """
    if differ(one, other):
        return False
    states_engine = (one.engines or one.models) and (other.engines or other.models)
    if states_engine and (one.models or other.models):
        return True
    figures = [one.measured, other.measured]
    rates = [each.throughput_qps or 0.0 for each in figures]
    times = [0.0 if any(rates) else each.time_ms for each in figures]
    return max(rates) <= _SAME_RATE * min(rates) and max(times) <= _SAME_RATE * min(times)

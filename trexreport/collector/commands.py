"""Write the commands that build an engine, profile its layers and time it, in the words of one version."""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import PurePath

from trexreport.collector.accuracy import accuracy_commands
from trexreport.collector.arguments import Argument, check_arguments, notes_on, read_arguments
from trexreport.collector.flags import FlagTable, Stage, flag_table, table_for
from trexreport.collector.jobs import Command, Job, Plan
from trexreport.collector.nsight import ENDINGS, LENGTHS, NsightTool, under_tool
from trexreport.collector.spelling import measuring_arguments, respelled, without_switched
from trexreport.collector.stage_arguments import (
    arguments_for,
    check_refit,
    with_absolute_files,
    without_build,
)
from trexreport.collector.versions import Version
from trexreport.errors import UsageError
from trexreport.regex import regex
from trexreport.toml_table import quoted

#: How tensorrt_rtx names the choice of CUDA graphs.
_RTX_GRAPHS = "rtxCudaGraphStrategy"
_VERBOSITY = Argument("profilingVerbosity", "detailed")
_RTX_NOTE = (
    "tensorrt_rtx is built from the source of trtexec; which flags it takes is from NVIDIA's documentation."
)
#: Seconds of a measurement; several timing runs share it, none of which may be too short for its warm-up.
_DURATION_S, _MIN_DURATION_S = 3, 1
_SHAPE_FLAGS = frozenset({"shapes", "minShapes", "optShapes", "maxShapes"})
_RANGE = ("minShapes", "optShapes", "maxShapes")
_SIZES = regex(r"-?\d+(?:x-?\d+)*", re.ASCII)
# A name in quotes may hold commas.
_TENSOR = regex(r"(?:'[^']*'|[^,'])+")
_FIRST_EMPTY, _FIRST_SCALAR = (9, 3), (10, 0)
#: Up to 8.4 the optimum alone, or all three; later versions copy what is missing.
_LAST_STRICT = (8, 4)


def plan_commands(job: Job, version: Version) -> Plan:
    """Return the commands that make a capture with trtexec of a version.

    Layer information comes from the profile run, for only a run with an execution context knows the shapes
    and formats of dynamic tensors. What trtexec warns of is not used where the version has a newer way.

    Raises:
        UsageError: trtexec of this version would refuse an argument, or misunderstand it.
    """
    table = table_for(version)
    if version.release < table.studied[0]:
        raise UsageError(
            f"trtexec of TensorRT {version} writes no layer information.",
            f"It does from {'.'.join(map(str, table.studied[0]))} on.",
        )
    if not (job.builds or job.measures):
        raise UsageError(f"{job.source} is built already.", "Give a model, or leave --build-only out.")
    given = read_arguments(job.arguments, table)
    if job.is_remote:
        # ssh starts in the user's home folder.
        source, folder = (os.path.abspath(path) for path in (job.source, job.folder))  # noqa: PTH100
        job = replace(job, source=source, folder=folder)
        given = with_absolute_files(given)
    if job.builds:
        check_refit(given)
    # Wanted or not, the profile run is always separate: without that there is no summary in its log.
    given = tuple(each for each in given if each.name != "separateProfileRun")
    # tensorrt_rtx reads shapes as the newest trtexec.
    grammar = Version(*flag_table().studied[-1]) if version.is_rtx else version
    for argument in given:
        check_shapes(argument, grammar)
    shapes = measured_shapes(given)
    given, notes = (given, ()) if job.builds else without_build(given, table)
    measuring = measuring_arguments(given, version, table)
    if any(each.name == _RTX_GRAPHS for each in given):
        measuring = tuple(each for each in measuring if each.name != "useCudaGraph")
    arguments, changes = respelled(without_switched(given), version, table)
    check_arguments(arguments, version, table)
    arguments = completed_shapes(arguments, grammar)
    notes = (
        *_program_notes(job, version, table),
        *notes,
        *changes,
        *notes_on(arguments, version, table),
        *_verbosity_note(arguments),
    )
    commands = [_build(job, arguments, version, table)] if job.builds else []
    if not job.measures:
        return Plan(job, version, tuple(commands), notes)
    common = [*([] if shapes is None else [shapes]), *measuring]
    commands.append(_profile(job, [*common, *_length(1)], arguments, version, table))
    timed = [*common, *_length(job.runs)]
    commands += [_timing(job, number, timed, arguments, table) for number in range(1, job.runs + 1)]
    recorded = [*([] if shapes is None else [shapes]), *measuring]
    commands += [_recording(job, tool, recorded, arguments, table) for tool in job.tools]
    compared, more_notes = accuracy_commands(job, arguments, shapes, version, table)
    return Plan(job, version, (*commands, *compared), (*notes, *more_notes))


def _length(runs: int) -> tuple[Argument, ...]:
    """Return how long each run measures; --avgRuns only keeps the log short."""
    return (
        Argument("warmUp", "500"),
        Argument("duration", str(max(_MIN_DURATION_S, _DURATION_S // max(1, runs)))),
        Argument("iterations", "100"),
        Argument("avgRuns", "100"),
    )


def _program_notes(job: Job, version: Version, table: FlagTable) -> Iterator[str]:
    """Yield notes on how trtexec is started, and on a version that is newer than all that are known."""
    name = PurePath(job.program[0]).name
    if name in {"docker", "podman"} and "run" in job.program and "--init" not in job.program:
        # The first process of a container ignores SIGTERM.
        yield f"{name} run without --init does not end trtexec when trexreport ends."
    newest = table.studied[-1]
    if version.is_rtx:
        yield _RTX_NOTE
    elif version.major > newest[0]:
        known = ".".join(map(str, newest))
        yield f"TensorRT {version} is not known here: the commands are those for {known}."


def _verbosity_note(arguments: Iterable[Argument]) -> tuple[str, ...]:
    for argument in arguments:
        if argument.name == _VERBOSITY.name and argument.value != _VERBOSITY.value:
            return (f"With {argument} the engine states little about its layers; the report will show less.",)
    return ()


def _build(job: Job, arguments: Sequence[Argument], version: Version, table: FlagTable) -> Command:
    skips = "skipInference" if table.takes("skipInference", version) else "buildOnly"
    ours = [Argument("onnx", job.source), Argument("saveEngine", job.engine), Argument(skips), _VERBOSITY]
    if not version.is_rtx and not any(each.name == "noBuilderCache" for each in arguments):
        ours.append(Argument("timingCacheFile", job.timing_cache))
    words = _words(job, ours, arguments_for(arguments, Stage.BUILD, table))
    return Command(Stage.BUILD, "build", words, job.path(".build.log"), (job.engine,))


def _profile(
    job: Job, common: Sequence[Argument], arguments: Sequence[Argument], version: Version, table: FlagTable
) -> Command:
    writes = {"exportLayerInfo": job.path(".graph.json"), "exportProfile": job.path(".profile.json")}
    if not job.runs:
        writes["exportTimes"] = job.path(".timing.json")
    ours = [Argument("loadEngine", job.engine), *(Argument(*each) for each in writes.items()), _VERBOSITY]
    if not table.is_without_effect("separateProfileRun", version):
        ours.append(Argument("separateProfileRun"))
    if table.takes("dumpOptimizationProfile", version):
        ours.append(Argument("dumpOptimizationProfile"))
    words = _words(job, [*ours, *common], arguments_for(arguments, Stage.PROFILE, table))
    return Command(Stage.PROFILE, "profile", words, job.path(".profile.log"), tuple(writes.values()))


def _timing(
    job: Job, number: int, common: Sequence[Argument], arguments: Sequence[Argument], table: FlagTable
) -> Command:
    title, name = (f"timing {number}", f".timing.{number}") if number > 1 else ("timing", ".timing")
    times = job.path(f"{name}.json")
    ours = [Argument("loadEngine", job.engine), Argument("exportTimes", times), *common]
    words = _words(job, ours, arguments_for(arguments, Stage.TIMING, table))
    return Command(Stage.TIMING, title, words, job.path(f"{name}.log"), (times,))


def _recording(
    job: Job, tool: NsightTool, common: Sequence[Argument], arguments: Sequence[Argument], table: FlagTable
) -> Command:
    ours = [Argument("loadEngine", job.engine), *common, *LENGTHS[tool]]
    # The user's length is that of the measurement; a trace of that length would have gigabytes.
    fixed = {each.name for each in LENGTHS[tool]}
    theirs = [each for each in arguments_for(arguments, Stage.TIMING, table) if each.name not in fixed]
    path, place = job.path(ENDINGS[tool]), len(job.program) - 1
    words = under_tool(tool, _words(job, ours, theirs), place, path, is_remote=job.is_remote)
    # Not a log of trtexec for a report: its times are those under the tool.
    return Command(Stage.TIMING, tool, words, job.path(f".{tool}.out"), (path,), tool)


def _words(job: Job, ours: Iterable[Argument], theirs: Sequence[Argument]) -> tuple[str, ...]:
    """Join our arguments, but for those that the user set otherwise, and the user's."""
    named = {each.name for each in theirs}
    words = [*(str(each) for each in ours if each.name not in named), *map(str, theirs)]
    # What ssh is given is joined and read by a shell on the other side.
    return (*job.program, *(shlex.quote(word) if job.is_remote else word for word in words))


def check_shapes(argument: Argument, version: Version) -> None:
    """Refuse shapes that this version can't read, for which trtexec says no more than "stoi".

    A name is the text before the last colon; it may be in quotes, and must be if it has a comma.

    Raises:
        UsageError: A shape does not parse.
    """
    if argument.name not in _SHAPE_FLAGS or argument.value is None:
        return
    tensors = _TENSOR.findall(argument.value)
    if not tensors or len(",".join(tensors)) != len(argument.value):
        raise _wrong(argument, argument.value)
    for tensor in tensors:
        _check_tensor(argument, tensor, version)


def completed_shapes(arguments: Sequence[Argument], version: Version) -> tuple[Argument, ...]:
    """Return the arguments with the ranges of shapes that this version does not complete by itself.

    Raises:
        UsageError: The optimum is missing and can't be copied from the others.
    """
    given = {each.name: each for each in arguments if each.name in _RANGE}
    if version.release > _LAST_STRICT or not given or set(given) in ({"optShapes"}, set(_RANGE)):
        return tuple(arguments)
    # As later versions do: the nearest that is given, the larger one first.
    nearest = {
        "minShapes": ("optShapes", "maxShapes"),
        "optShapes": ("maxShapes", "minShapes"),
        "maxShapes": ("optShapes", "minShapes"),
    }
    missing = [name for name in _RANGE if name not in given]
    copied = [
        Argument(name, next(given[other].value for other in nearest[name] if other in given))
        for name in missing
    ]
    return (*arguments, *copied)


def measured_shapes(arguments: Iterable[Argument]) -> Argument | None:
    """Return the --shapes to measure a built engine with, or None for a model without dynamic shapes.

    These are the user's own, else the optimum of the profile that is measured, as trtexec itself takes it
    where it builds and measures in one run.
    """
    used = next((each.value for each in arguments if each.name == "useProfile"), "0")
    ranges: dict[str, str | None] = {}
    profile: str | None = "0"
    for argument in arguments:
        if argument.name == "shapes":
            return argument
        if argument.name == "profile":
            profile = argument.value
        elif argument.name in _RANGE and profile == used:
            ranges[argument.name] = argument.value
    for name in ("optShapes", "maxShapes", "minShapes"):
        if name in ranges:
            return Argument("shapes", ranges[name])
    return None


def _check_tensor(argument: Argument, tensor: str, version: Version) -> None:
    name, colon, sizes = tensor.rpartition(":")
    if not (colon and name.strip("'")):
        raise _wrong(argument, tensor)
    if not _SIZES.fullmatch(sizes):
        first = {"": _FIRST_EMPTY, "scalar": _FIRST_SCALAR}.get(sizes)
        if first is None:
            raise _wrong(argument, tensor)
        if version.release < first:
            raise UsageError(
                f"--{argument.name}: trtexec {version} reads no shape without sizes as in {quoted(tensor)}.",
                f"It needs TensorRT {first[0]}.{first[1]}.",
            )


def _wrong(argument: Argument, part: str) -> UsageError:
    return UsageError(
        f"--{argument.name}: {quoted(part)} is not a shape.",
        "Write the input and its sizes, as in x:1x3x224x224.",
    )

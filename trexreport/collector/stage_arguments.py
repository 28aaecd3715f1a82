"""Choose the arguments that each run gets, and make paths absolute for one that starts in another folder."""

from __future__ import annotations

import os
from collections.abc import Iterable, Sequence
from pathlib import Path

from trexreport.collector.arguments import Argument
from trexreport.collector.flags import FlagTable, Stage
from trexreport.errors import UsageError

#: What makes weights replaceable when an engine is built.
_REFITTABLE = frozenset({"refit", "stripWeights", "stripAllWeights"})
_REFIT = Argument("refit")
#: What may follow each --refPair.
_PAIRED = frozenset({"loadInputs", "loadRefOutputs"})

#: Flags whose value is one path that trtexec writes; it does not have to exist yet.
_WRITTEN = frozenset({"exportOutput", "timingCacheFile", "tempdir", "tuningCacheFile", "tuningResultFile"})
#: Flags whose value lists tensors with their files: `name:path,name:path`.
_LISTS = frozenset({"loadInputs", "loadRefOutputs", "saveDebugTensors"})


def arguments_for(arguments: Sequence[Argument], stage: Stage, table: FlagTable) -> list[Argument]:
    """Return the arguments that a run is to have.

    A run that loads an engine refits it only with --refit. Timing runs compare no outputs: of several pairs
    of inputs and reference outputs they get the inputs of the first.
    """
    chosen = [each for each in arguments if stage in table.stages_of(each.name)]
    if stage is Stage.BUILD:
        return chosen
    if stage is Stage.TIMING and any(each.name == "refPair" for each in arguments):
        chosen = _with_first_inputs(chosen)
    if any(each.name == "refitFromOnnx" for each in chosen):
        chosen.append(_REFIT)
    return chosen


def without_build(
    arguments: Sequence[Argument], table: FlagTable
) -> tuple[tuple[Argument, ...], tuple[str, ...]]:
    """Return the arguments that mean something for a built engine, and a note about the others."""
    only_builds = {
        each.name
        for each in arguments
        if table.stages_of(each.name) == {Stage.BUILD} and each.name not in table.own
    }
    names = ", ".join(dict.fromkeys(f"--{each.name}" for each in arguments if each.name in only_builds))
    notes = (f"Left out, for the engine is built already: {names}.",) if names else ()
    return tuple(each for each in arguments if each.name not in only_builds), notes


def check_refit(arguments: Iterable[Argument]) -> None:
    """Refuse to refit an engine that is built without a flag that makes it refittable.

    Raises:
        UsageError: --refitFromOnnx is given alone.
    """
    names = {each.name for each in arguments}
    if "refitFromOnnx" in names and not names & _REFITTABLE:
        raise UsageError("--refitFromOnnx needs an engine that can be refitted.", "Add --refit.")


def _with_first_inputs(arguments: Iterable[Argument]) -> list[Argument]:
    """Return the arguments with one --loadInputs at most."""
    kept: list[Argument] = []
    for argument in arguments:
        if argument.name not in _PAIRED or argument.name not in {each.name for each in kept}:
            kept.append(argument)
    return kept


def with_absolute_files(arguments: Iterable[Argument]) -> tuple[Argument, ...]:
    """Return the arguments with absolute paths of the files that exist here or are to be written."""
    return tuple(_absolute(each) for each in arguments)


def _absolute(argument: Argument) -> Argument:
    name, value = argument.name, argument.value
    if not value:
        return argument
    if name in _WRITTEN:
        return Argument(name, os.path.abspath(value))  # noqa: PTH100
    if name in _LISTS:
        return Argument(name, ",".join(_of_tensor(each, name) for each in value.split(",")))
    return Argument(name, _if_there(value))


def _of_tensor(text: str, flag: str) -> str:
    """Return "x:/home/u/x.bin" for "x:x.bin"; files of debug tensors are still to be written."""
    tensor, colon, path = text.rpartition(":")
    if not colon:
        return text
    is_written = flag == "saveDebugTensors"
    return f"{tensor}:{os.path.abspath(path) if is_written else _if_there(path)}"  # noqa: PTH100


def _if_there(path: str) -> str:
    """Return a path made absolute, or the text itself where no file has this name."""
    try:
        return os.path.abspath(path) if Path(path).is_file() else path  # noqa: PTH100
    except (OSError, ValueError):  # too long for a name, or with a NUL byte
        return path

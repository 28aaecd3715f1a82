"""Make paths absolute for a program that starts in another folder, on a machine with the same folders."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

from trexreport.collector.arguments import Argument

#: Flags whose value is one path that trtexec writes; it does not have to exist yet.
_WRITTEN = frozenset({"exportOutput", "timingCacheFile", "tempdir", "tuningCacheFile", "tuningResultFile"})
#: Flags whose value lists tensors with their files: `name:path,name:path`.
_LISTS = frozenset({"loadInputs", "loadRefOutputs", "saveDebugTensors"})


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

"""Check and complete the shapes that trtexec is to build for and to run with."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from trexreport.collector.arguments import Argument
from trexreport.collector.versions import Version
from trexreport.errors import UsageError
from trexreport.regex import regex
from trexreport.toml_table import quoted

_SHAPE_FLAGS = frozenset({"shapes", "minShapes", "optShapes", "maxShapes"})
_RANGE = ("minShapes", "optShapes", "maxShapes")
_SIZES = regex(r"-?\d+(?:x-?\d+)*", re.ASCII)
# A name in quotes may hold commas.
_TENSOR = regex(r"(?:'[^']*'|[^,'])+")
_FIRST_EMPTY, _FIRST_SCALAR = (9, 3), (10, 0)
#: Up to 8.4 the optimum alone, or all three; later versions copy what is missing.
_LAST_STRICT = (8, 4)


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

"""For which shapes a build made the engine, by its command, its options, and what trtexec says of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from trexreport.model import FileFacts
from trexreport.numbers import format_shape
from trexreport.reader.contradictions.stated import Stated, flag_values, option_values
from trexreport.regex import regex

#: It begins where a name can: elsewhere a long name would be tried at each of its characters.
SHAPE = regex(r"(?<![^\s,=<>\"'])([^\s,=<>\"']+)[=:](\d{1,18}(?:x\d{1,18})*)(?=[\s,+]|$)", re.ASCII)
#: The smallest, the best and the largest shape, as trtexec lists them: "x=1x3+2x3+4x3".
_RANGE = regex(
    r"(?<![^\s,=])([^\s,=]+)=(\d{1,18}(?:x\d{1,18})*)\+(?:[\dx]+)\+(\d{1,18}(?:x\d{1,18})*)(?=,|$)", re.ASCII
)


class Shape(NamedTuple):
    """Extents of a tensor, or the smallest and largest that they may be; -1 is unknown.

    Attributes:
        has_batch: They are known to state the batch.
        is_of_layer: They are those that a layer states, which may see the tensor in another shape.
    """

    least: tuple[int, ...]
    most: tuple[int, ...]
    has_batch: bool = False
    is_of_layer: bool = False


def allowed_shapes(file: FileFacts) -> Iterator[Stated]:
    """Yield the shapes for which one build makes the engine: of its options or command, and as it says."""
    builds = [each for each in file.setup.commands if "--loadEngine" not in each]
    listed = [*option_values(file.setup.build_options, "Input build shape")]
    ranges = dict(_ranges_of(file, builds[0]) if len(builds) == 1 else ())
    if len(listed) == 1 and (len(builds) == 1 or file.role == "build-metadata"):
        ranges = {name: (least, most) for name, least, most in _RANGE.findall(listed[0])} or ranges
    for name, texts in ranges.items():
        least, most = (tuple(map(int, each.split("x"))) for each in texts)
        if len(least) == len(most):
            yield Stated(file.file, Shape(least, most), range_text(least, most), name)
    profiles = {profile for profile, _ in file.setup.shape_ranges}
    # Of several optimization profiles the run may have used another one.
    for (_, name), (least, _, most) in file.setup.shape_ranges.items() if len(profiles) == 1 else ():
        yield Stated(file.file, Shape(least, most), range_text(least, most), name)


def range_text(least: tuple[int, ...], most: tuple[int, ...]) -> str:
    """Return the smallest and the largest shape as messages show them; one where they are the same."""
    return f"{format_shape(least)} to {format_shape(most)}" if least != most else format_shape(least)


def _ranges_of(file: FileFacts, command: str) -> Iterator[tuple[str, tuple[str, str]]]:
    """Yield names with their smallest and largest shapes, as trtexec completes the flags of a command."""
    # Each further profile has flags of its own.
    if command.count("--optShapes=") > 1 or "--profile=" in command:
        return
    given: dict[str, dict[str, str]] = {
        flag: dict(found for text in flag_values(file, flag) for found in SHAPE.findall(text))
        for flag in ("minShapes", "optShapes", "maxShapes")
    }
    for name, best in given["optShapes"].items():
        yield name, (given["minShapes"].get(name, best), given["maxShapes"].get(name, best))

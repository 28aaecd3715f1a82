"""The shapes of inputs that command lines of trtexec state, and the batch size that shapes have."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

from trexreport.model.commands import times_queries
from trexreport.regex import regex

_SHAPES = regex(
    r"--(?P<kind>min|opt|max|)[sS]hapes=(?P<shapes>\S+)|--profile=(?P<profile>\d{1,9})(?!\S)", re.ASCII
)
_USED_PROFILE = regex(r"--useProfile=(\d{1,9})(?!\S)", re.ASCII)
#: One input: a name, perhaps in quotation marks and with colons in it, and extents, at most 8 as in TensorRT.
_INPUT = regex(r"(?P<name>.+):(?P<extents>\d{1,15}(?:x\d{1,15}){0,7})", re.ASCII)
#: The extents of inputs by their names.
Shapes = Mapping[str, tuple[int, ...]]


class StatedShapes(NamedTuple):
    """Shapes by input.

    Attributes:
        run: Those of the last run that measured; empty where it states none.
        optimal: Those of each --optShapes; only those of the profile that this run uses, if it states one.
        largest: Those of each --maxShapes.
        smallest: Those of each --minShapes.
    """

    run: Shapes
    optimal: list[Shapes]
    largest: list[Shapes]
    smallest: list[Shapes]


def stated_shapes(commands: Iterable[str]) -> StatedShapes:
    """Return the shapes that commands state."""
    optimal: list[tuple[str, Shapes]] = []
    ends: dict[str, list[Shapes]] = {"min": [], "max": []}
    run: Shapes = {}
    used = ""
    for command in commands:
        profile = "0"
        shapes: Shapes = {}
        for found in _SHAPES.finditer(command):
            profile = found["profile"] or profile
            if found["kind"] == "opt":
                optimal.append((profile, _inputs(found["shapes"])))
            elif found["kind"] in ends:
                ends[found["kind"]].append(_inputs(found["shapes"]))
            elif found["shapes"]:
                shapes = _inputs(found["shapes"])
        if times_queries(command):
            # The last run counts: without --shapes it has others than an earlier one.
            run = shapes
            used = next((each.lstrip("0") or "0" for each in _USED_PROFILE.findall(command)), "")
    of_used = [each for profile, each in optimal if profile == used]
    return StatedShapes(run, of_used or [each for _, each in optimal], ends["max"], ends["min"])


def common_batch(shapes: Iterable[Sequence[int]]) -> int | None:
    """Return the first extent that the shapes of rank 2 and more agree on; None where they don't."""
    firsts = {shape[0] for shape in shapes if len(shape) > 1}
    return firsts.pop() if len(firsts) == 1 and min(firsts) > 0 else None


def _inputs(text: str) -> Shapes:
    """Return the extents of each input that a flag states."""
    found = (_INPUT.fullmatch(part.strip("'\"")) for part in text.split(","))
    return {each["name"].strip("'\""): tuple(map(int, each["extents"].split("x"))) for each in found if each}

"""The shapes of inputs that command lines of trtexec state, and the batch size that shapes have."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, Protocol

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
        optimal: Those of each --optShapes; only those of the profile that this run uses, if any are.
        largest: Those of each --maxShapes.
        smallest: Those of each --minShapes.
        profile: The optimization profile that this run uses: 0 unless it states another; empty without a run.
        others: The other profiles that take the shapes of the run, each with those of its --optShapes.
    """

    run: Shapes
    optimal: list[Shapes]
    largest: list[Shapes]
    smallest: list[Shapes]
    profile: str
    others: list[tuple[str, Shapes]]


class _Ranged(Protocol):
    """An input or output with the shapes of its optimization profile, where a file states them."""

    @property
    def name(self) -> str: ...

    @property
    def shape_range(self) -> Sequence[Sequence[int]] | None: ...


def stated_shapes(
    commands: Iterable[str], bindings: Iterable[_Ranged] = (), of_bindings: int = 0
) -> StatedShapes:
    """Return the shapes that commands state.

    Args:
        commands: Command lines of trtexec.
        bindings: The inputs of the engine, whose ranges count where no command of the build states any, and
            the run did not use another optimization profile.
        of_bindings: The optimization profile of these ranges.
    """
    stated: dict[str, list[tuple[str, Shapes]]] = {"min": [], "opt": [], "max": []}
    run: Shapes = {}
    used = ""
    for command in commands:
        profile = "0"
        shapes: Shapes = {}
        for found in _SHAPES.finditer(command):
            profile = (found["profile"] or profile).lstrip("0") or "0"
            if found["kind"]:
                stated[found["kind"]].append((profile, _inputs(found["shapes"])))
            elif found["shapes"]:
                shapes = _inputs(found["shapes"])
        if times_queries(command):
            # The last run counts: without --shapes it has others than an earlier one.
            run = shapes
            used = next((each.lstrip("0") or "0" for each in _USED_PROFILE.findall(command)), "0")
    if not any(stated.values()) and used in ("", str(of_bindings)):
        ranges = [(each.name, each.shape_range) for each in bindings if each.shape_range]
        for at, kind in enumerate(stated):
            shapes = {name: tuple(ends[at]) for name, ends in ranges if ends[at]}
            stated[kind] = [(str(of_bindings), shapes)] if shapes else []
    smallest, optimal, largest = ([shapes for _, shapes in each] for each in stated.values())
    of_used = [shapes for profile, shapes in stated["opt"] if profile == used]
    others = [each for each in stated["opt"] if used not in ("", each[0]) and _takes(stated, each[0], run)]
    return StatedShapes(run, of_used or optimal, largest, smallest, used, others)


def differing_inputs(stated: StatedShapes, factor: float = 1.0) -> list[str]:
    """Return the inputs that the run has with other extents than the builder optimized for; none if unknown.

    Args:
        stated: The shapes.
        factor: Minimum factor between the elements of an input.
    """
    differing = [
        [name for name in stated.run if _differ(stated.run, each, name, factor)] for each in stated.optimal
    ]
    return differing[0] if differing and all(differing) else []


def _differ(used: Shapes, optimal: Shapes, name: str, factor: float) -> bool:
    times = ratio(used[name], optimal.get(name, used[name]))
    return max(times, 1 / times) >= factor and times != 1


def ratio(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return how many times as many elements one shape has as another."""
    return max(math.prod(one), 1) / max(math.prod(other), 1)


def common_batch(inputs: Iterable[Sequence[int]], outputs: Iterable[Sequence[int]] = ()) -> int | None:
    """Return the first extent that the inputs of rank 2 and more agree on; None where they don't.

    That of cameras or frames, from which outputs of a batch of 1 are computed, is not one either.

    Args:
        inputs: Their shapes.
        outputs: Those of the outputs, as far as they are known.
    """
    firsts = {shape[0] for shape in inputs if len(shape) > 1}
    results = [shape for shape in outputs if len(shape) > 1]
    if len(firsts) != 1 or min(firsts) <= 0:
        return None
    is_of_one = results and all(shape[0] == 1 and not firsts & set(shape) for shape in results)
    return None if is_of_one else firsts.pop()


def _takes(stated: Mapping[str, Iterable[tuple[str, Shapes]]], profile: str, run: Shapes) -> bool:
    """Return whether an optimization profile takes the shapes of a run, as far as its ends are stated."""
    ends = (
        (least, most, used)
        for _, smallest in (each for each in stated["min"] if each[0] == profile)
        for _, largest in (each for each in stated["max"] if each[0] == profile)
        for name, extents in run.items()
        for least, most, used in zip(
            smallest.get(name, extents), largest.get(name, extents), extents, strict=False
        )
    )
    return all(least <= used <= most for least, most, used in ends)


def _inputs(text: str) -> Shapes:
    """Return the extents of each input that a flag states."""
    found = (_INPUT.fullmatch(part.strip("'\"")) for part in text.split(","))
    return {each["name"].strip("'\""): tuple(map(int, each["extents"].split("x"))) for each in found if each}


def shapes_text(shapes: Shapes) -> str:
    """Return shapes as --shapes takes them."""
    named = ((f"'{name}'" if ":" in name else name, extents) for name, extents in shapes.items())
    return ",".join(f"{name}:{'x'.join(map(str, extents))}" for name, extents in named)


def is_shape_of(extents: Sequence[int], dimensions: Sequence[int]) -> bool:
    """Return whether extents are those of dimensions, where -1 is not known."""
    return len(extents) == len(dimensions) and all(
        known in (-1, extent) for extent, known in zip(extents, dimensions, strict=True)
    )

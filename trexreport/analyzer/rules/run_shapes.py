"""The shapes of the inputs in a run, and those for which the builder chose its kernels."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence

from trexreport.analyzer.rules.context import Context
from trexreport.model.commands import times_queries
from trexreport.regex import regex

_SHAPES = regex(r"--(?P<kind>opt|)[sS]hapes=(?P<shapes>\S+)", re.ASCII)
#: One input: a name, perhaps in quotation marks and with colons in it, and extents, at most 8 as in TensorRT.
_INPUT = regex(r"(?P<name>.+):(?P<extents>\d{1,15}(?:x\d{1,15}){0,7})", re.ASCII)
#: Factor between the elements of an input from which on other kernels may be faster.
OTHER_FACTOR = 1.5
#: The extents of inputs by their names.
Shapes = Mapping[str, tuple[int, ...]]


def has_other_shapes(context: Context) -> bool:
    """Return whether the run has other shapes than those for which the builder chose its kernels."""
    return differing_shapes(context, OTHER_FACTOR) is not None


def differing_shapes(context: Context, factor: float) -> tuple[Sequence[str], Shapes, Shapes] | None:
    """Return the inputs with other extents, those of the run, and the optimum; None if there are none.

    Args:
        context: The engine.
        factor: Minimum factor between the elements of an input.
    """
    optimal: list[Shapes] = []
    used: Shapes = {}
    for command in context.analysis.commands:
        stated = list(_SHAPES.finditer(command))
        optimal += [_inputs(found["shapes"]) for found in stated if found["kind"]]
        if times_queries(command):
            # The last run counts: without --shapes it has others than an earlier one.
            used = next((_inputs(found["shapes"]) for found in reversed(stated) if not found["kind"]), {})
    differing = [[name for name in used if _differ(used, each, name, factor)] for each in optimal]
    if not differing or not all(differing):
        return None
    return differing[0], used, optimal[0]


def _inputs(text: str) -> dict[str, tuple[int, ...]]:
    """Return the extents of each input that a flag states."""
    found = (_INPUT.fullmatch(part.strip("'\"")) for part in text.split(","))
    return {each["name"].strip("'\""): tuple(map(int, each["extents"].split("x"))) for each in found if each}


def _differ(used: Shapes, optimal: Shapes, name: str, factor: float) -> bool:
    times = ratio(used[name], optimal.get(name, used[name]))
    return max(times, 1 / times) >= factor and times != 1


def ratio(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return how many times as many elements one shape has as another."""
    return max(math.prod(one), 1) / max(math.prod(other), 1)

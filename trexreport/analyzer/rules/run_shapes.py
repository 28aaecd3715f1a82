"""The shapes of the inputs in a run, and those for which the builder chose its kernels."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.rules.context import Context
from trexreport.model.stated_shapes import Shapes, stated_shapes

#: Factor between the elements of an input from which on other kernels may be faster.
OTHER_FACTOR = 1.5


def has_other_shapes(context: Context) -> bool:
    """Return whether the run has other shapes than those for which the builder chose its kernels."""
    return differing_shapes(context, OTHER_FACTOR) is not None


def differing_shapes(context: Context, factor: float) -> tuple[Sequence[str], Shapes, Shapes] | None:
    """Return the inputs with other extents, those of the run, and the optimum; None if there are none.

    Args:
        context: The engine.
        factor: Minimum factor between the elements of an input.
    """
    used, optimal, *_ = stated_shapes(context.analysis.commands)
    differing = [[name for name in used if _differ(used, each, name, factor)] for each in optimal]
    if not differing or not all(differing):
        return None
    return differing[0], used, optimal[0]


def _differ(used: Shapes, optimal: Shapes, name: str, factor: float) -> bool:
    times = ratio(used[name], optimal.get(name, used[name]))
    return max(times, 1 / times) >= factor and times != 1


def ratio(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    """Return how many times as many elements one shape has as another."""
    return max(math.prod(one), 1) / max(math.prod(other), 1)

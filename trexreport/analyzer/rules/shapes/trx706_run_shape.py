"""TRX706 shapes.run-shape."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, built_in_rule
from trexreport.analyzer.rules.run_shapes import OTHER_FACTOR, differing_shapes, ratio
from trexreport.numbers import TIMES, counted, list_names

#: How many inputs the evidence shows.
_MAX_SHOWN = 4


@built_in_rule(
    "warning",
    needs=(),
    section="build",
    explains={"engine": ("TRX605",)},
    thresholds=(
        Threshold("factor", OTHER_FACTOR, 1, 1e6, "Minimum factor between the elements of an input."),
    ),
)
def run_shape(context: Context, *, factor: float) -> Iterator[Hit]:
    """The engine runs at other shapes than those for which the builder chose its kernels.

    Cost:
        The builder times kernels at the optimum shapes of the profile (--optShapes). Others between minimum
        and maximum work, but another kernel may be faster there, the more the shapes differ.

    Recommendation:
        Build with the shapes that occur most as --optShapes, and measure with them. For several that matter
        build one optimization profile each, or one engine each. [9.3..: trtexec takes --profile=0,
        --profile=1, each with its --minShapes, --optShapes and --maxShapes.]

    False alarm:
        The run measures an extreme case, and most queries have the optimum shapes.

    Est. savings:
        Not estimated: only an engine that is built for the shapes shows it.
    """
    found = differing_shapes(context, factor)
    if found is None:
        return
    names, used, optimal = found
    most = max(names, key=lambda name: abs(math.log(ratio(used[name], optimal[name]))))
    shown = [f"{name} {_text(used[name])} (optimum {_text(optimal[name])})" for name in names]
    also = (
        f"; {counted(len(names) - 1, 'other input differs', 'other inputs differ')}" if len(names) > 1 else ""
    )
    yield Hit(
        f"Input {most} has the shape {_text(used[most])} in the run, and the kernels were chosen for "
        f"{_text(optimal[most])}{also}.",
        (),
        None,
        {"Shapes": list_names(shown, _MAX_SHOWN)},
    )


def _text(extents: tuple[int, ...]) -> str:
    return TIMES.join(map(str, extents))

"""TRX706 shapes.run-shape."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, built_in_rule
from trexreport.model.commands import times_queries
from trexreport.numbers import TIMES, counted, list_names
from trexreport.regex import regex

_SHAPES = regex(r"--(?P<kind>opt|)[sS]hapes=(?P<shapes>\S+)", re.ASCII)
#: How many inputs the evidence shows.
_MAX_SHOWN = 4
#: One input: a name, perhaps in quotation marks and with colons in it, and extents, at most 8 as in TensorRT.
_INPUT = regex(r"(?P<name>.+):(?P<extents>\d{1,15}(?:x\d{1,15}){0,7})", re.ASCII)


@built_in_rule(
    "warning",
    needs=(),
    section="build",
    thresholds=(Threshold("factor", 1.5, 1, 1e6, "Minimum factor between the elements of an input."),),
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
    optimal: list[Mapping[str, tuple[int, ...]]] = []
    used: Mapping[str, tuple[int, ...]] = {}
    for command in context.analysis.commands:
        stated = list(_SHAPES.finditer(command))
        optimal += [_inputs(found["shapes"]) for found in stated if found["kind"]]
        if times_queries(command):
            # The last run counts: without --shapes it has others than an earlier one.
            used = next((_inputs(found["shapes"]) for found in reversed(stated) if not found["kind"]), {})
    differing = [[name for name in used if _differ(used, each, name, factor)] for each in optimal]
    if not differing or not all(differing):
        return
    names = differing[0]
    most = max(names, key=lambda name: abs(math.log(_ratio(used[name], optimal[0][name]))))
    shown = [f"{name} {_text(used[name])} (optimum {_text(optimal[0][name])})" for name in names]
    also = (
        f"; {counted(len(names) - 1, 'other input differs', 'other inputs differ')}" if len(names) > 1 else ""
    )
    yield Hit(
        f"Input {most} has the shape {_text(used[most])} in the run, and the kernels were chosen for "
        f"{_text(optimal[0][most])}{also}.",
        (),
        None,
        {"Shapes": list_names(shown, _MAX_SHOWN)},
    )


def _inputs(text: str) -> dict[str, tuple[int, ...]]:
    """Return the extents of each input that a flag states."""
    found = (_INPUT.fullmatch(part.strip("'\"")) for part in text.split(","))
    return {each["name"].strip("'\""): tuple(map(int, each["extents"].split("x"))) for each in found if each}


def _differ(
    used: Mapping[str, tuple[int, ...]], optimal: Mapping[str, tuple[int, ...]], name: str, factor: float
) -> bool:
    ratio = _ratio(used[name], optimal.get(name, used[name]))
    return max(ratio, 1 / ratio) >= factor and ratio != 1


def _ratio(one: tuple[int, ...], other: tuple[int, ...]) -> float:
    return max(math.prod(one), 1) / max(math.prod(other), 1)


def _text(extents: tuple[int, ...]) -> str:
    return TIMES.join(map(str, extents))

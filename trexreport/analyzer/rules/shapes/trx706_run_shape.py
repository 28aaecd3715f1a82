"""TRX706 shapes.run-shape."""

from __future__ import annotations

import math

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.expected import TYPICAL_SHARES
from trexreport.analyzer.rules.limits import min_share
from trexreport.analyzer.rules.phrases import takes_time
from trexreport.analyzer.rules.product_rates import (
    Product,
    at_usual_shares,
    products_of_run,
    reached_share,
)
from trexreport.analyzer.rules.run_shapes import OTHER_FACTOR, differing_shapes, fitting_profile, shapes_of
from trexreport.model.stated_shapes import Shapes, ratio
from trexreport.numbers import TIMES, counted, format_percent, list_names

#: How many inputs the evidence shows.
_MAX_SHOWN = 4


@built_in_rule(
    "warning",
    needs=(),
    section="build",
    explains={"engine": ("TRX605", "TRX703", "TRX707", "TRX904")},
    thresholds=(
        Threshold("factor", OTHER_FACTOR, 1, 1e6, "Minimum factor between the elements of an input."),
        min_share(10.0, "slow products together, of which savings are estimated"),
    ),
)
def run_shape(context: Context, *, factor: float, share_percent: float) -> Hits:
    """The engine runs at other shapes than those for which the builder chose its kernels.

    Cost:
        The builder times kernels at the optimum shapes of the profile (--optShapes). Others between minimum
        and maximum work, but another kernel may be faster there, the more the shapes differ.

    Recommendation:
        [if fitting-profile: Run these shapes with the optimization profile that is built for them: trtexec
        takes --useProfile={Profile|N} and 0 without it, an execution context setOptimizationProfileAsync.]
        [unless fitting-profile: Build with the shapes that occur most as --optShapes, and measure with them.
        For several that matter build one optimization profile each, or one engine each.] [9.3.., unless
        fitting-profile: trtexec takes --profile=0, --profile=1, each with its --minShapes, --optShapes and
        --maxShapes.]

    False alarm:
        The run measures an extreme case, and most queries have the optimum shapes.

    Est. savings:
        An estimate where the convolutions and matrix multiplications take a tenth of layer time and reach
        less than 45% of the roofline together: what they save at the 45 to 85% that kernels chosen for their
        shapes usually reach, from 0 on where the run is smaller than the optimum. Where a file leaves their
        rows open they have at most as many as the run has tokens, so that they may reach less than is
        stated. Otherwise not estimated: only an engine that is built for the shapes shows it.
    """
    found = differing_shapes(context, factor)
    if found is None:
        return
    names, used, optimal = found
    most = max(names, key=lambda name: _difference(used[name], optimal[name]))
    shown = [f"{name} {_text(used[name])} (optimum {_text(optimal[name])})" for name in names]
    also = (
        f"; {counted(len(names) - 1, 'other input differs', 'other inputs differ')}" if len(names) > 1 else ""
    )
    slow = _slow_products(context, used, share_percent)
    rate, layers, gain = "", tuple(each.layer for each in slow), None
    if slow:
        is_larger = math.prod(ratio(used[name], optimal[name]) for name in names) > 1
        gain = at_usual_shares(context, slow, may_stay=not is_larger)
        rate = _rate(context, slow)
    fitting, of_profile, better = fitting_profile(context, factor), "", ""
    evidence = {"Shapes": list_names(shown, _MAX_SHOWN)}
    if fitting:
        profile, optimum = fitting
        of_profile = f" of optimization profile {shapes_of(context).profile}"
        better = f", while profile {profile} has those for {_text(optimum.get(most, used[most]))}"
        evidence["Profile"] = profile
    yield Hit(
        f"Input {most} has the shape {_text(used[most])} in the run, and the kernels{of_profile} were chosen "
        f"for {_text(optimal[most])}{better}{also}{rate}.",
        layers,
        gain,
        evidence,
    )


def _difference(one: tuple[int, ...], other: tuple[int, ...]) -> tuple[int, int]:
    """Return by how many positions, such as tokens or pixels, two shapes differ, and by how many elements."""
    axes = [pair for pair in zip(one, other, strict=False) if pair[0] != pair[1]]
    positions = [math.prod(extents) for extents in zip(*axes, strict=True)] if axes else [0, 0]
    return abs(positions[0] - positions[1]), abs(math.prod(one) - math.prod(other))


def _slow_products(context: Context, used: Shapes, share_percent: float) -> list[Product]:
    """Return the products if they take a share of layer time and are slower than kernels usually are."""
    found = products_of_run(context, used)
    if not context.is_significant([each.layer for each in found], share_percent):
        return []
    return found if reached_share(found) < TYPICAL_SHARES[0] else []


def _rate(context: Context, slow: list[Product]) -> str:
    """Return how long slow products take and what they reach."""
    layers = [each.layer for each in slow]
    what = counted(
        len(layers), "convolution or matrix multiplication", "convolutions or matrix multiplications"
    )
    if not any(map(context.is_convolution, layers)):
        what = counted(len(layers), "matrix multiplication")
    most = "at most " if any(each.is_most for each in slow) else ""
    verb = "reaches" if len(layers) == 1 else "reach"
    share = format_percent(reached_share(slow))
    return f"; {what} {takes_time(context, layers)} and {verb} {most}{share} of the roofline"


def _text(extents: tuple[int, ...]) -> str:
    return TIMES.join(map(str, extents))

"""TRX707 shapes.wide-profile."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, Threshold, built_in_rule
from trexreport.analyzer.rules.run_shapes import shapes_of
from trexreport.model.stated_shapes import Shapes, ratio
from trexreport.numbers import format_count, format_shape, list_names

#: How many inputs the evidence shows.
_MAX_SHOWN = 4


@built_in_rule(
    "info",
    needs=(),
    section="build",
    thresholds=(Threshold("factor", 100.0, 1, 1e12, "Minimum factor between the elements at both ends."),),
)
def wide_profile(context: Context, *, factor: float) -> Hits:
    """The engine has one optimization profile for a wide range of shapes.

    Cost:
        The builder times kernels at the optimum shapes of a profile only. They work at all others, but may be
        slow far from it, and memory for activations is sized for the largest shapes.

    Recommendation:
        Where queries come in shapes far from the optimum, build several narrower profiles, such as for short
        and long inputs, or one engine each, and cut the range to what occurs. [9.3..: trtexec takes
        --profile=0, --profile=1, each with its --minShapes, --optShapes and --maxShapes.] Measure with
        --shapes at the ends of the range, too.

    False alarm:
        Nearly all queries have about the optimum shapes.

    Est. savings:
        Not estimated: only measurements at other shapes show it.
    """
    run, optimal, largest, smallest, *_ = shapes_of(context)
    if len(context.analysis.identity.optimization_profiles) > 1:
        return
    least, best, most = _only(smallest), _only(optimal), _only(largest)
    wide = [name for name in most if name in least and ratio(most[name], least[name]) >= factor]
    if not wide:
        return
    widest = max(wide, key=lambda name: ratio(most[name], least[name]))
    times = format_count(round(ratio(most[widest], least[widest])))
    tuned = f"; the kernels were chosen for {format_shape(best[widest])}" if widest in best else ""
    at_optimum = bool(tuned) and run.get(widest, best[widest]) == best[widest]
    alone = ", the only shape that was measured" if at_optimum and context.has("end-to-end") else ""
    shown = [f"{name} {format_shape(least[name])} to {format_shape(most[name])}" for name in wide]
    yield Hit(
        f"One optimization profile is for {widest} of {format_shape(least[widest])} to "
        f"{format_shape(most[widest])}, {times} times as many elements{tuned}{alone}.",
        (),
        None,
        {"Shapes": list_names(shown, _MAX_SHOWN)},
    )


def _only(stated: list[Shapes]) -> Shapes:
    """Return the shapes if all that are stated are the same; else there are several profiles or builds."""
    return stated[0] if stated and all(each == stated[0] for each in stated) else {}

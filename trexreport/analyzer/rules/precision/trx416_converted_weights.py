"""TRX416 precision.converted-weights."""

from __future__ import annotations

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.numbers import counted, format_count


@built_in_rule(
    "info", many="The builder changed values of weights in {count} ways.", needs=(), section="build"
)
def converted_weights(context: Context) -> Hits:
    """The builder changed values of weights that their new type does not hold.

    Cost:
        It concerns the results, not the time. [if clipped: The range of FP16 ends at 65,504.]

    Recommendation:
        Compare the outputs with Polygraphy, in the precision that is served. [if clipped: Let the layers of
        clipped weights stay in FP32; if they differ from masks, scale them in the model.] [9.3.., if clipped,
        if bf16-cores: BF16 holds them.] [unless clipped: Where the outputs agree, nothing need be done.]

    False alarm:
        Small weights hardly ever matter beside others of the same layer. Clipped constants are mostly masks
        of attention, which only need to be very negative, and clamped INT64 values ends of slices, which mean
        the last element.

    Est. savings:
        Not estimated: it concerns the results, not the time.
    """
    if beyond := _count(context, "Weights beyond FP16"):
        have = counted(beyond, "weight has values", "weights have values")
        names = context.build_fact("Weights beyond FP16").partition(": ")[2]
        named = f": {names}" if names else ""
        yield Hit(
            f"{have} beyond the range of FP16, which the builder clipped to it{named}.",
            evidence={"Clipped weights": format_count(beyond)},
            severity="warning",
        )
    small, least = (_count(context, f"Weights {each}") for each in ("subnormal in FP16", "below FP16"))
    if small or least:
        have = counted(small or least, "weight has values", "weights have values")
        of_them = f"; those of {format_count(least)} are below its smallest one" if small and least else ""
        what = "that are subnormal in FP16" if small else "below the smallest one of FP16"
        yield Hit(f"{have} {what}, so that they lose digits{of_them}.")
    if clamped := _count(context, "Weights clamped to INT32"):
        times = counted(clamped, "time")
        yield Hit(f"INT64 weights were clamped to the range of INT32, {times}: most likely ends of slices.")


def _count(context: Context, fact: str) -> int:
    return int(context.build_fact(fact).partition(":")[0] or 0)

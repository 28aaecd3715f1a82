"""TRX826 measurement.application-times."""

from __future__ import annotations

from math import fsum

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.model.application import FIRST_IMAGE, IMAGES, MEDIAN_IMAGE, STAGES
from trexreport.numbers import format_ms, format_percent

#: A first image that takes this many times the median waited for more than its inference.
_SLOW = 2.0


@built_in_rule(
    "info",
    needs=(),
    thresholds=(
        percent("outside_percent", 25.0, "Minimum time per image outside of inference, in percent."),
    ),
)
def application_times(context: Context, *, outside_percent: float) -> Hits:
    """An application states that much of the time of an image, or its first one, is not the engine's.

    Cost:
        A faster engine shortens inference alone. What the application does before and after it remains, and
        the first image also loads and allocates what later ones use.

    Recommendation:
        Preprocess and postprocess on the GPU, or in a thread of their own beside the inference of other
        images. Warm up with a few images, and leave them out of averages. Compare engines by trtexec's times.

    False alarm:
        Images are large or compressed, so that reading them takes most of it, and they are not in service.

    Est. savings:
        Not estimated: it is not in the engine.
    """
    stages = [_ms(context, each) for each in STAGES]
    before, inference, after = map(format_ms, stages)
    found = []
    outside = 1 - stages[1] / fsum(stages) if fsum(stages) else 0.0
    if 100 * outside >= outside_percent:
        found.append(
            f"{format_percent(outside)} of the time of an image is outside of inference: {before} of "
            f"preprocessing, {inference} of inference and {after} of postprocessing"
        )
    first, median = _ms(context, FIRST_IMAGE), _ms(context, MEDIAN_IMAGE)
    if median and first >= _SLOW * median:
        found.append(
            f"inference of the first image takes {format_ms(first)}, and the median of "
            f"{context.build_fact(IMAGES)} images is {format_ms(median)}"
        )
    if found:
        yield Hit(f"By the times that the application states, {'; '.join(found)}.")


def _ms(context: Context, fact: str) -> float:
    amount = context.build_fact(fact).removesuffix(" ms")
    return float(amount) if amount.isascii() and amount.replace(".", "", 1).isdecimal() else 0.0

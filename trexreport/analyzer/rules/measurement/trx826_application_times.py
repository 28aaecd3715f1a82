"""TRX826 measurement.application-times."""

from __future__ import annotations

from math import fsum

from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.model import application
from trexreport.numbers import format_ms, format_percent, join_names

#: A first inference that takes this many times the median waited for more than the engine.
_SLOW = 2.0
#: Frames per second of cameras, videos and displays, and how near to them a rate is theirs.
_RATES, _NEAR = (15.0, 24.0, 25.0, 30.0, 50.0, 60.0), 0.005


@built_in_rule(
    "info",
    needs=(),
    thresholds=(percent("outside_percent", 25.0, "Minimum time outside of inference, in percent."),),
)
def application_times(context: Context, *, outside_percent: float) -> Hits:
    """An application states that much of its time, or that of its first inference, is not the engine's.

    Cost:
        A faster engine shortens inference alone. What the application does before and after it remains, and
        the first inference also loads and allocates what later ones use.

    Recommendation:
        [if outside: Preprocess and postprocess on the GPU, or in a thread of their own beside the inference
        of other images.] [if source-rate: Measure with a file as the source and without waiting for a display
        (DeepStream: live-source=0 and sync=0).] [if slow-first: Warm up with a few images, and leave them out
        of averages.] Compare engines by trtexec's times.

    False alarm:
        Images are large or compressed, so that reading them takes most of it, and they are not in service.

    Est. savings:
        Not estimated: it is not in the engine.
    """
    facts = context.analysis.settings.get(application.TITLE, {})
    stages = {stage: ms for stage in application.STAGES if (ms := application.stated_ms(facts, stage))}
    inference, found = stages.get(application.STAGES[1], 0.0), []
    stated: dict[str, str] = {}
    if inference and 100 * (outside := 1 - inference / fsum(stages.values())) >= outside_percent:
        listed = join_names([f"{format_ms(ms)} of {stage.lower()}" for stage, ms in stages.items()])
        stated["Outside of inference"] = format_percent(outside)
        found.append(f"{format_percent(outside)} of the time is outside of inference: {listed}")
    first, middle = (application.stated_ms(facts, key) for key in (application.FIRST, application.MEDIAN))
    if first and middle and first >= _SLOW * middle:
        stated["First inference"] = format_ms(first)
        of_all = f"the median of {facts[application.COUNT]} inferences is {format_ms(middle)}"
        found.append(f"the first inference takes {format_ms(first)}, and {of_all}")
    rate = facts.get(application.RATE, "")
    if rate and any(abs(float(rate.split()[0]) / usual - 1) <= _NEAR for usual in _RATES):
        stated["Rate of the source"] = rate
        found.append(f"{rate} are a usual rate of cameras, videos and displays, which may limit it")
    if found:
        yield Hit(f"By the times that the application states, {'; '.join(found)}.", evidence=stated)

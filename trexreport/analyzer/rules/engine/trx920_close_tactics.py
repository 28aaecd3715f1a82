"""TRX920 engine.close-tactics."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.analysis.tactics import LayerTactics
from trexreport.analyzer.roofline.classes import MAX_LAUNCH_MS
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.engine.build_flags import flags_used
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.phrases import timed
from trexreport.numbers import counted

#: Fewer layers do not change an engine much.
_SEVERAL = 3


@built_in_rule(
    "info",
    needs=("layers", "tactics"),
    section="tactics",
    thresholds=(
        percent(
            "margin_percent",
            2.0,
            "The difference to the second fastest tactic below which a choice is within noise, in percent.",
        ),
        percent(
            "share_percent",
            25.0,
            "Minimum share of the layers with such a choice, in percent of layer time; without a profile, "
            "of the times in the build.",
        ),
    ),
)
def close_tactics(context: Context, *, margin_percent: float, share_percent: float) -> Hits:
    """Kernels of many layers were chosen within the noise of the builder's timing.

    Cost:
        The builder times each tactic in few runs. Where two are equally fast, the next build may choose the
        other one: engines of one model then differ in kernels, in numerical results and slightly in speed,
        and a comparison of two builds shows changes that no one made.

    Recommendation:
        [unless cache-file: Keep the timing cache (--timingCacheFile=FILE) and build with it again: the
        choices are then the same.] Lock the clocks for the build, and raise --avgTiming, such as
        --avgTiming=16.

    False alarm:
        A single engine is built and used everywhere. Nothing is reported where --avgTiming is given or all
        choices are from the timing cache. Kernels of up to 10 µs are left out.

    Est. savings:
        Not estimated: the tactics are equally fast.
    """
    tactics = context.analysis.tactics
    if tactics is None or not tactics.timed or "--avgTiming" in flags_used(context):
        return
    # Of a Myelin region the time is known and no alternative.
    known = [each for each in tactics.layers if each.layer is not None and not each.operation]
    close = [each for each in known if each.margin_percent is not None]
    close = [each for each in close if abs(each.margin_percent or 0.0) < margin_percent]
    # Kernels as short as a launch take equally long whatever they compute.
    close = [each for each in close if (each.chosen_ms or 0.0) > MAX_LAUNCH_MS]
    layers = slowest_first(context.layers[each.layer] for each in close if each.layer is not None)
    if len(close) >= _SEVERAL and _share_percent(context, layers, close, known) >= share_percent:
        have = counted(len(layers), "layer has a kernel that is", "layers have kernels that are")
        yield Hit(
            f"{have} less than {margin_percent:g}% faster than the second fastest tactic"
            f"{timed(context, layers)}.",
            tuple(layers),
        )


def _share_percent(
    context: Context,
    layers: Sequence[LayerFacts],
    close: Sequence[LayerTactics],
    known: Sequence[LayerTactics],
) -> float:
    """Return the share of the close choices in layer time, or in the builder's times of what it chose."""
    if context.total_ms:
        return context.share_percent(context.time_ms(layers))
    whole_ms = math.fsum(each.chosen_ms or 0.0 for each in known)
    return 100 * math.fsum(each.chosen_ms or 0.0 for each in close) / whole_ms if whole_ms else 0.0

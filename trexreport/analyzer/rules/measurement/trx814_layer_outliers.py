"""TRX814 measurement.layer-outliers."""

from __future__ import annotations

import math
from collections.abc import Sequence

from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.outliers import LAYER_PERCENT, launches_stall, outliers
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.analyzer.slow_once import SlowOnce, slow_once
from trexreport.numbers import counted, format_ms, format_number, format_percent, join_names, layer_label

#: Medians of short layers are multiples of this time, to which means are not rounded.
_TICK_MS = 0.001024
#: A single layer whose average is less above its median changes no ranking.
_FAR_RATIO = 1.25
#: How many layers are named of those that account for the difference.
_MAX_NAMED = 5


@built_in_rule(
    "info",
    needs=("profile",),
    thresholds=(
        percent(
            "excess_percent",
            5.0,
            "Minimum difference between average and median times of all layers, in percent of the latter.",
            maximum=1000,
        ),
        percent("warning_percent", 10.0, "The difference from which on it is a warning.", maximum=1000),
        percent(
            "layer_percent",
            LAYER_PERCENT,
            "Minimum difference between the average and the median of one layer, in percent of layer time.",
        ),
    ),
)
def layer_outliers(
    context: Context, *, excess_percent: float, warning_percent: float, layer_percent: float
) -> Hits:
    """Average layer times are above the medians.

    Cost:
        Slow iterations, such as the first one, lengthen the averages. All times and shares of layers
        here are averages, as trexreport and trtexec rank layers by them. Only the findings count the medians
        of all layers where the average of one is longer by 2% of layer time, and without medians the time of
        others of its name, or what GPU compute time leaves, for one that was slow in an iteration.

    Recommendation:
        [if launches-stall: No layer is the cause, and neither warm-up nor clocks are. A profile is taken
        without a CUDA graph, so that now and then the GPU waits for the launch of a layer: a host that does
        nothing else shortens such waits.] [unless launches-stall: Profile again, with nothing else on the
        GPU and a longer warm-up (--warmUp=1000).] [unless launches-stall, unless jetson: Lock the clocks
        (nvidia-smi --lock-gpu-clocks).] [unless launches-stall, if jetson: Lock the clocks (jetson_clocks).]
        [if few-profiled: More iterations (--iterations=200) help, too.] [if medians: Until then judge layers
        by their medians.]

    False alarm:
        Layers whose work depends on the data, such as loops and NonMaxSuppression, may take more time in
        some iterations.

    Est. savings:
        Not estimated: it is how the engine was measured.
    """
    layers = context.analysis.layers
    both = [(layer.avg_ms, layer.median_ms) for layer in layers if layer.avg_ms and layer.median_ms]
    average_ms, median_ms = (math.fsum(each) for each in zip(*both, strict=True)) if both else (0.0, 0.0)
    excess_ms = average_ms - median_ms
    most = sorted(outliers(layers, layer_percent), key=lambda each: each[2] - each[1])[:_MAX_NAMED]
    steady_ms = math.fsum(mean - median for mean, median in both if abs(mean - median) <= _TICK_MS)
    if both and 100 * min(excess_ms, excess_ms - steady_ms) >= excess_percent * median_ms:
        text = (
            f"The average times of layers add up to {format_ms(average_ms)}, "
            f"{format_percent(excess_ms / median_ms)} more than the medians ({format_ms(median_ms)})"
        )
        if launches_stall(layers):
            each = format_number(1000 * excess_ms / len(both))
            yield Hit(
                f"{text}: nearly all layers, short and long ones, take about {each} µs more, as where "
                "launches stall in some iterations."
            )
            return
        yield Hit(
            f"{text}{_most_of_it(most)}.",
            tuple(layer for layer, *_ in most),
            severity="warning" if 100 * excess_ms >= warning_percent * median_ms else None,
        )
        return
    if (found := slow_once(layers, context.analysis.latency)) is not None:
        yield Hit(_slow_once_text(found), (found.layer,), severity="warning")
        return
    for layer, layer_ms, usual_ms in outliers(layers, layer_percent):
        if layer_ms < _FAR_RATIO * usual_ms:
            continue
        text = f"{LAYER} takes {format_ms(layer_ms)} on average, and {format_ms(usual_ms)} in the median."
        yield Hit(text, (layer,))


def _slow_once_text(found: SlowOnce) -> str:
    text, usual = f"{LAYER} takes {format_ms(found.layer.avg_ms)} on average", format_ms(found.usual_ms)
    if not found.has_siblings:
        return (
            f"{text}, and the other layers alone as long as GPU compute time, which leaves at most about "
            f"{usual} for it: one iteration was slow, such as the first, or the layer waits."
        )
    return (
        f"{text}, others of such a name at most {usual}, and total layer time exceeds GPU compute time by "
        "about the difference: one iteration was slow."
    )


def _most_of_it(found: Sequence[tuple[LayerFacts, float, float]]) -> str:
    """Return which layers account for the difference, the first with both times; "" where no layer does."""
    if not found:
        return ""
    _, mean_ms, median_ms = found[0]
    part = format_ms(math.fsum(mean - median for _, mean, median in found))
    of_first = f"{LAYER} takes {format_ms(mean_ms)}, in the median {format_ms(median_ms)}"
    others = [
        f"{layer_label(layer.name)} ({format_number(mean / median, 3)}x)"
        for layer, mean, median in found[1:]
        if median
    ]
    more = f"; then {join_names(others)}" if others else ""
    return f"; {part} of it in {counted(len(found), 'layer')}: {of_first}{more}"

"""TRX915 engine.slow-siblings."""

from __future__ import annotations

import math
import re
from statistics import median

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Hit, Hits, LayerFacts, Threshold, built_in_rule
from trexreport.analyzer.rules.first_run import first_run
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.phrases import LAYER
from trexreport.analyzer.rules.usual_times import usual_ms
from trexreport.numbers import format_count, format_ms, format_number, format_percent
from trexreport.regex import regex

#: Layers of equal names often have different shapes.
_LEFT_OUT = regex(r"conv|reformat|copy", re.IGNORECASE)
#: Fewer layers are not a kind; most of one take the time of their median within this part.
_MIN_LAYERS, _MOSTLY, _EQUAL = 8, 0.75, 0.15


@built_in_rule(
    "info",
    explains={"share": ("TRX605",)},
    needs=("profile",),
    thresholds=(
        Threshold("factor", 1.4, 1.2, 1000, "Minimum factor to the median of the layers of its kind."),
        Threshold("share_percent", 1.0, 0, 100, "Minimum time above the medians, in percent of layer time."),
    ),
)
def slow_siblings(context: Context, *, factor: float, share_percent: float) -> Hits:
    """Layers take longer than others whose names differ only in numbers.

    Cost:
        Blocks that repeat have equal shapes, so that their layers take about the same time. What takes longer
        has another kernel, or something disturbed it: loading in a first run, a change of the clocks, another
        process.

    Recommendation:
        [if first-run: Warm up, time many runs and take the medians, as trtexec --exportProfile
        --separateProfileRun does; then look at what is slow.] [unless first-run: Measure again, with locked
        clocks and nothing else on the GPU. If the same layers take longer again, compare their kernels and
        formats with those of the others (--profilingVerbosity=detailed), and build again: the builder may
        have been disturbed while it timed them.] [if cache-file, unless first-run: Build without the timing
        cache, so that the kernels are measured again.]

    False alarm:
        Blocks of one name may have different shapes, which names do not show. Only kinds of at least 8 layers
        count, of which three quarters take the same time within 15%; convolutions, which mostly differ, and
        reformats are left out. Where each layer was timed once, three layers count, if their names have
        modules and one takes eight times as long as the median, or, of convolutions, as all others; what
        other rules say mostly of these layers is left out. Where the file states shapes nothing is reported.

    Est. savings:
        An estimate: from 0 up to the time above the median of the kind.
    """
    if not context.analysis.identity.names_only:
        return
    cold = context.cached(first_run)
    above = {**_above_equals(context, factor), **cold.above}
    layers = slowest_first(layer for layer, _ in above.values())
    ranges = [(layer, 0.0, usual_ms(layer) - kind_ms) for layer, kind_ms in above.values()]
    excess_ms = math.fsum(high for *_, high in ranges)
    if not layers or context.share_percent(excess_ms) < share_percent:
        return
    factors = [usual_ms(layer) / kind_ms for layer, kind_ms in above.values()]
    times = " to ".join(dict.fromkeys(format_number(each) for each in (min(factors), max(factors))))
    share = f"{format_percent(context.share_percent(excess_ms) / 100)} of {context.layer_time_name}"
    several = len(layers) > 1
    subject = f"{format_count(len(layers))} layers take" if several else f"{LAYER} takes"
    such = f", such as {LAYER}" if several else ""
    first, evidence = "", {"Identified": "by name", "Others": format_ms(above[layers[0].index][1])}
    if cold.first is not None:
        first = f" The first layer, which may wait for loading too, takes {format_ms(cold.first.avg_ms)}."
        evidence["First layer"] = cold.first.name
    yield Hit(
        f"{subject} {times} times as long as others whose names differ only in numbers{such}: "
        f"{format_ms(excess_ms)} more, {share}.{first}",
        tuple(layers),
        of_layers("estimate", ranges, "same-engine"),
        evidence,
    )


def _above_equals(context: Context, factor: float) -> dict[int, tuple[LayerFacts, float]]:
    """Return the layers that take longer than most of their kind, which take the same time, and that time."""
    timed = [layer for layer in context.layers if layer.avg_ms and not _LEFT_OUT.search(layer.name)]
    above: dict[int, tuple[LayerFacts, float]] = {}
    for members in group_by(timed, lambda layer: re.sub(r"\d+", "#", layer.name)).values():
        kind_ms = median(map(usual_ms, members))
        equal = sum(abs(usual_ms(layer) - kind_ms) <= _EQUAL * kind_ms for layer in members)
        if len(members) >= _MIN_LAYERS and equal >= _MOSTLY * len(members):
            slow = (layer for layer in members if usual_ms(layer) >= factor * kind_ms)
            above |= {layer.index: (layer, kind_ms) for layer in slow}
    return above

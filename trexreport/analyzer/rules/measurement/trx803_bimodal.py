"""TRX803 measurement.bimodal."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.analysis.timing import TwoModes
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import bound
from trexreport.analyzer.rules.limits import min_difference
from trexreport.analyzer.rules.measurement import measurement_rule
from trexreport.analyzer.rules.rule import Hit
from trexreport.numbers import counted, format_ms, format_percent


@measurement_rule(
    "warning",
    needs=("queries",),
    thresholds=(min_difference(2.0, "between the medians of the two groups, in percent of the faster"),),
    explains={"engine": ("TRX801", "TRX807")},
)
def bimodal(context: Context, *, difference_percent: float) -> Iterator[Hit]:
    """GPU compute times form two groups.

    Cost:
        The mean lies where no query is. Two groups one after the other show a change of clocks or of other
        work on the GPU; alternating groups show two ways of execution, such as different buffers or streams,
        or time slices of another process.

    Recommendation:
        [if one-step, unless jetson: Lock the clocks (nvidia-smi --lock-gpu-clocks) and warm up until they are
        reached.] [if one-step, if jetson: Set the power mode (nvpmodel), lock the clocks (jetson_clocks) and
        warm up longer.] [unless one-step: Keep other work off the GPU.] [8.6.., unless one-stream, unless
        one-step: Use one stream (--infStreams=1).] Then measure again.

    False alarm:
        Inputs whose cost depends on their content, measured in turn. The test needs at least 200 queries, a
        tenth of them in each group, and between the peaks of the density (Gaussian kernel, Silverman's
        bandwidth, at least the clock resolution of 1 µs) a valley of half the lower peak or less.

    Est. savings:
        A bound: the time saved per query if all queries were as fast as the median of the fast group.
    """
    modes = context.analysis.stability.two_modes if context.analysis.stability else None
    if modes is None or modes.slow_ms - modes.fast_ms < modes.fast_ms * difference_percent / 100:
        return
    part = modes.slow_percent / 100
    yield Hit(
        f"{format_percent(1 - part)} of the queries take about {format_ms(modes.fast_ms)}, the others about "
        f"{format_ms(modes.slow_ms)}, with few between; {_order(modes)}.",
        (),
        bound(part * (modes.slow_ms - modes.fast_ms), "measured-queries"),
    )


def _order(modes: TwoModes) -> str:
    """Return how the queries of the two groups follow each other."""
    if modes.changes == 1:
        return "the time changes once, in one step"
    return f"the groups alternate {counted(modes.changes, 'time')}"

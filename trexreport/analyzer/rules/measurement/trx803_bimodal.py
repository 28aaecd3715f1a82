"""TRX803 measurement.bimodal."""

from __future__ import annotations

from collections.abc import Iterator

from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.numbers import counted, format_ms, format_percent


@rule(
    "TRX803",
    "measurement.bimodal",
    "warning",
    many="The times fall into groups in {count} ways.",
    needs=("queries",),
    section="timing",
    thresholds=(
        Threshold(
            "difference_percent",
            2.0,
            0,
            1000,
            "Difference between the medians of the two groups, in percent of the faster.",
        ),
    ),
)
def bimodal(context: Context, *, difference_percent: float) -> Iterator[Hit]:
    """The GPU times fall into two groups.

    Cost:
        The mean lies where no query is. Two groups that follow each other in time show a change of clocks
        or of what else the GPU does; groups that alternate show two ways of running, such as buffers or
        streams that lie differently in memory, or another process's time slices.

    Advice:
        Look at the times in order: a single step calls for locked clocks, alternation for a GPU without
        other work and for one stream (--infStreams=1). Then measure again.

    False alarm:
        Inputs whose cost depends on their content, measured in turn. The test wants at least 200 queries, a
        tenth of them in each group, and between the peaks of the density (Gaussian kernel, Silverman's
        bandwidth, at least the clock's step of 1 µs) a valley of half the lower peak or less.

    Bound:
        What is saved if all queries ran as fast as the median of the fast group, averaged over all queries.
    """
    modes = context.analysis.stability.two_modes if context.analysis.stability else None
    if modes is None or modes.slow_ms - modes.fast_ms < modes.fast_ms * difference_percent / 100:
        return
    part = modes.slow_percent / 100
    yield Hit(
        f"{format_percent(1 - part)} of the queries take about {format_ms(modes.fast_ms)}, the others about "
        f"{format_ms(modes.slow_ms)}, with few in between; they change sides "
        f"{counted(modes.changes, 'time')}.",
        (),
        part * (modes.slow_ms - modes.fast_ms),
    )

"""TRX803 measurement.bimodal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import pairwise
from typing import NamedTuple

from trexreport.analyzer.analysis.timing import LastingChange, Stability, TwoModes
from trexreport.analyzer.rules import Context, Hit, Hits, bound, built_in_rule
from trexreport.analyzer.rules.limits import min_difference
from trexreport.analyzer.rules.savings import is_sustained
from trexreport.analyzer.states import find_states
from trexreport.numbers import (
    counted,
    format_count,
    format_ms,
    format_number,
    format_percent,
    join_names,
    list_names,
)

#: Part of the queries that has the median.
_HALF = 0.5
#: Part of the step within which the total layer time, or the median of a ramp, is from the state that it
#: belongs to.
_NEAR = 0.25
#: Times after a change that differ by more than this part of their median have several levels.
_LEVEL_SPREAD = 0.04
#: Fewer states are one step, which the two groups describe.
_SEVERAL = 3
#: More levels than these are not listed one by one.
_MAX_LEVELS = 6
#: Where the GPU computes at least this part of the time, in percent, its times are those of the throughput.
_BUSY_PERCENT = 95.0


class _State(NamedTuple):
    """A state of the run: the queries before it, its part of all queries, and their median time."""

    begins: int
    part: float
    ms: float


@built_in_rule(
    "warning",
    needs=("queries",),
    thresholds=(min_difference(2.0, "between the medians of the two groups, in percent of the faster"),),
    explains={"engine": ("TRX801", "TRX807")},
)
def bimodal(context: Context, *, difference_percent: float) -> Hits:
    """GPU compute times form two groups, or change in steps.

    Cost:
        The mean lies where no query is, and the figures are of two states or more. Groups one after the other
        show a change of the clocks, by power or heat, or of other work on the GPU; alternating groups show
        two ways of execution, such as different buffers or streams, or time slices of another process.

    Recommendation:
        [if one-step, if slows-down, unless jetson: Look at the throttle reasons (nvidia-smi -q -d
        PERFORMANCE), the power limit and the cooling. Report the sustained time, or lock the clocks
        (nvidia-smi --lock-gpu-clocks) at a value that the GPU sustains.] [if one-step, if slows-down, if
        jetson: Watch the clocks, power and temperature (tegrastats), choose a power mode that the board
        sustains (nvpmodel), lock its clocks (jetson_clocks) and check the cooling. Report the sustained
        time.] [if one-step, unless slows-down, unless jetson: Lock the clocks (nvidia-smi --lock-gpu-clocks)
        and warm up until they are reached.] [if one-step, unless slows-down, if jetson: Set the power mode
        (nvpmodel), lock the clocks (jetson_clocks) and warm up longer.] [unless one-step: Keep other work off
        the GPU.] [8.6.., unless one-stream, unless one-step: Use one stream (--infStreams=1).] Then measure
        again.

    False alarm:
        Inputs whose cost depends on their content, measured in turn. The test needs at least 200 queries, a
        tenth of them in each group, and between the peaks of the density (Gaussian kernel, Silverman's
        bandwidth, at least the clock resolution of 1 µs) a valley of half the lower peak or less. Three
        states or more must hold nine tenths of the queries, each of them the same time for a twentieth, and
        differ four times as much as each changes.

    Est. savings:
        A bound: the mean time saved if all queries were as fast as the median of the fast group, of mean
        latency; where most of them follow a step to slower times, the time saved for each of these. Of
        several steps, the mean above the fastest state.
    """
    stability, modes = context.analysis.stability, context.two_modes
    if (
        stability is None
        or modes is None
        or modes.slow_ms - modes.fast_ms < modes.fast_ms * difference_percent / 100
    ):
        return
    part = modes.slow_percent / 100
    states = _states(stability)
    if len(states) >= _SEVERAL:
        yield _steps(stability, states)
        return
    if stability.change is not None:
        yield _step(context, stability, modes, stability.change)
        return
    yield Hit(
        f"{format_percent(1 - part)} of the queries take about {format_ms(modes.fast_ms)}, the others about "
        f"{format_ms(modes.slow_ms)}, with few between; the groups "
        f"alternate {counted(modes.changes, 'time')}.",
        (),
        bound(part * (modes.slow_ms - modes.fast_ms), "measured-queries"),
    )


def _states(stability: Stability) -> list[_State]:
    """Return the states of the run, one after the other, by the queries that are kept."""
    found = find_states(stability.times_ms)
    begins = [stability.positions[each.begins] for each in found]
    parts = [(after - before) / stability.queries for before, after in pairwise([*begins, stability.queries])]
    return [_State(first, part, each.ms) for each, first, part in zip(found, begins, parts, strict=True)]


def _steps(stability: Stability, levels: Sequence[_State]) -> Hit:
    """Return the hit of times that change several times: when, to what, and which state the median is of."""
    times, median_ms = [each.ms for each in levels], stability.percentiles.median_ms
    shown = [f"{format_ms(each.ms)} ({format_percent(each.part)})" for each in levels]
    if len(levels) > _MAX_LEVELS:
        change = f" between about {format_ms(min(times))} and {format_ms(max(times))} in"
        listed = list_names(shown, _MAX_LEVELS)
    else:
        places = [f"{format_ms(each.ms)} after {format_count(each.begins)}" for each in levels[1:]]
        change = f": from about {format_ms(times[0])} to {join_names(places)} of"
        listed = join_names(shown)
    cause = "; the likely cause is a clock that is lowered in steps, by power or heat"
    return Hit(
        f"Query times change in {len(levels) - 1} steps{change} {format_count(stability.queries)} queries"
        f"{cause if times == sorted(times) else ''}.",
        (),
        bound(math.fsum(each.part * (each.ms - min(times)) for each in levels), "measured-queries"),
        {
            "Levels": listed,
            "Median": f"of the queries of {format_ms(min(times, key=lambda ms: abs(ms - median_ms)))}",
        },
    )


def _step(context: Context, stability: Stability, modes: TwoModes, change: LastingChange) -> Hit:
    """Return the hit of times that change once: when, to what, and of which state other figures are."""
    first, last, is_gradual = change.before_ms, change.after_ms, change.is_gradual
    clock = "lower clock" if is_gradual else "clock step"
    cause = f"; the likely cause is a {clock}, by power or heat" if modes.gets_slower else ""
    share = modes.slow_percent / 100
    varies = change.after_p95_ms - change.after_p5_ms > _LEVEL_SPREAD * last
    evidence = {
        "Level before": format_ms(first),
        "Level after": format_ms(last)
        + (f" (median; p5 {format_ms(change.after_p5_ms)}, p95 {format_ms(change.after_p95_ms)})" * varies),
        "Median": _of_median(stability, share, change),
    } | _profiled_state(context, modes)
    how = f"{'rise' if first < last else 'fall'} gradually, from" if is_gradual else "change once, from"
    return Hit(
        f"Query times {how} about {format_ms(first)} to {format_ms(last)}{' (median)' if varies else ''} "
        f"{_place(change)} of {format_count(stability.queries)} queries{_seconds(change)}, and stay "
        f"there{cause}.{_rates(context, change)}",
        (),
        bound(abs(last - first) * (1.0 if is_sustained(stability) else share), "measured-queries"),
        evidence,
    )


def _of_median(stability: Stability, slow_part: float, change: LastingChange) -> str:
    """Return which state the median is of."""
    median_ms = stability.percentiles.median_ms
    fast_ms, slow_ms = sorted((change.before_ms, change.after_ms))
    near_ms = _NEAR * (slow_ms - fast_ms)
    if change.is_gradual and fast_ms + near_ms < median_ms < slow_ms - near_ms:
        return "between the two states"
    return f"of the {'slow' if slow_part > _HALF else 'fast'} state"


def _place(change: LastingChange) -> str:
    if not change.is_gradual:
        return f"after {format_count(change.begins)}"
    return f"between {format_count(change.begins)} and {format_count(change.ends)}"


def _seconds(change: LastingChange) -> str:
    """Return when times change, in seconds after the first query; empty where not known."""
    if change.begins_s is None or change.ends_s is None:
        return ""
    begins, ends = (format_number(each) for each in (change.begins_s, change.ends_s))
    return f" ({begins} to {ends}\u00a0s)" if change.is_gradual else f" ({begins}\u00a0s)"


def _rates(context: Context, change: LastingChange) -> str:
    """Return the throughput before and after, where the GPU is busy and one query follows the other."""
    busy = (context.analysis.latency.gpu_busy_percent or 0.0) >= _BUSY_PERCENT
    if not busy or context.has_one_stream is False or not change.before_qps or not change.after_qps:
        return ""
    before, after = format_number(change.before_qps), format_number(change.after_qps)
    return f" That is {before} qps before and {after} qps after."


def _profiled_state(context: Context, modes: TwoModes) -> dict[str, str]:
    """Return, as evidence, in which state the layers were profiled; empty where that is not clear."""
    total_ms = context.analysis.latency.layer_sum_ms
    if not total_ms:
        return {}
    fast, slow = (abs(total_ms - each) for each in (modes.fast_ms, modes.slow_ms))
    if min(fast, slow) > _NEAR * (modes.slow_ms - modes.fast_ms):
        return {}
    return {"Profile": f"of the {'slow' if slow < fast else 'fast'} state, by its total"}

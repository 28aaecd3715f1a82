"""TRX803 measurement.bimodal."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from statistics import median
from typing import NamedTuple

from trexreport.analyzer.analysis.timing import Stability, TwoModes
from trexreport.analyzer.rules import Context, Hit, Hits, bound, built_in_rule
from trexreport.analyzer.rules.limits import min_difference
from trexreport.analyzer.states import find_states
from trexreport.lazy_dataclass import dataclass
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
#: Part of the step within which the total layer time is from the state that it belongs to.
_NEAR = 0.25
#: Parts of the run whose medians show a ramp; it begins and ends where these are within this part of the step
#: of the two levels, and is one from this part of the run on.
_PARTS, _AT_LEVEL, _MIN_RAMP = 100, 0.05, 0.05
#: Fewer states are one step, which the two groups describe.
_SEVERAL = 3
#: More levels than these are not listed one by one.
_MAX_LEVELS = 6
#: Where the GPU computes at least this part of the time, in percent, its times are those of the throughput.
_BUSY_PERCENT = 95.0


@dataclass(frozen=True)
class _Ramp:
    """A gradual change between two levels: the queries at its ends, and the times before and after."""

    begins: int
    ends: int
    first_ms: float
    last_ms: float


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
        A bound: the time saved per query if all queries were as fast as the median of the fast group; where
        most of them follow a step to slower times, for each of these. Of several steps, the mean above the
        fastest state.
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
    if modes.step_after is not None:
        yield _step(context, stability, modes, modes.step_after)
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


def _step(context: Context, stability: Stability, modes: TwoModes, after: int) -> Hit:
    """Return the hit of times that change once: when, to what, and of which state other figures are."""
    first, last = modes.fast_ms, modes.slow_ms
    if not modes.gets_slower:
        first, last = last, first
    ramp = _ramp(stability, first, last, after)
    if ramp is not None:
        first, last = ramp.first_ms, ramp.last_ms
    clock = "clock step" if ramp is None else "lower clock"
    cause = f"; the likely cause is a {clock}, by power or heat" if modes.gets_slower else ""
    share = modes.slow_percent / 100
    evidence = {
        "Level before": format_ms(first),
        "Level after": format_ms(last),
        "Median": f"of the {'slow' if share > _HALF else 'fast'} state",
    } | _profiled_state(context, modes)
    change = "change once, from" if ramp is None else f"{'rise' if first < last else 'fall'} gradually, from"
    ends = (after,) if ramp is None else (ramp.begins, ramp.ends)
    place = f"{'after' if ramp is None else 'between'} {' and '.join(map(format_count, ends))}"
    busy = (context.analysis.latency.gpu_busy_percent or 0.0) >= _BUSY_PERCENT
    before, then = (f"{format_number(1000 / each)} qps" for each in (first, last))
    throughput = f" That is {before} before and {then} after."
    return Hit(
        f"Query times {change} about {format_ms(first)} to {format_ms(last)} {place} of "
        f"{format_count(stability.queries)} queries, and stay there{cause}."
        f"{throughput if busy and context.has_one_stream is not False else ''}",
        (),
        bound(
            (1.0 if modes.gets_slower and share > _HALF else share) * (modes.slow_ms - modes.fast_ms),
            "measured-queries",
        ),
        evidence,
    )


def _ramp(stability: Stability, first_ms: float, last_ms: float, after: int) -> _Ramp | None:
    """Return where times change gradually from one level to another; None where they do within few queries.

    Args:
        stability: The times of the queries.
        first_ms: The level before.
        last_ms: The level after.
        after: After how many queries the times are nearer to the second one.
    """
    times_ms, positions = stability.times_ms, stability.positions
    size = max(1, len(times_ms) // _PARTS)
    starts = range(0, len(times_ms), size)
    parts = [(positions[at], median(times_ms[at : at + size])) for at in starts]
    margin_ms = _AT_LEVEL * abs(last_ms - first_ms)
    before = [at for at, ms in parts if at <= after and abs(ms - first_ms) <= margin_ms]
    # The slow end of a ramp is part of a group: the level is that of the last quarter of what follows.
    rest = [ms for at, ms in parts if at > after]
    last_ms = median(rest[-max(1, len(rest) // 4) :]) if rest else last_ms
    behind = [at for at, ms in parts if at > after and abs(ms - last_ms) <= margin_ms]
    if not before or not behind or behind[0] - before[-1] < _MIN_RAMP * positions[-1]:
        return None
    begins, ends = before[-1], behind[0]

    def level(is_part: Callable[[int], bool]) -> float:
        return median([ms for at, ms in parts if is_part(at)])

    return _Ramp(begins, ends, level(lambda at: at <= begins), level(lambda at: at >= ends))


def _profiled_state(context: Context, modes: TwoModes) -> dict[str, str]:
    """Return, as evidence, in which state the layers were profiled; empty where that is not clear."""
    total_ms = context.analysis.latency.layer_sum_ms
    if not total_ms:
        return {}
    fast, slow = (abs(total_ms - each) for each in (modes.fast_ms, modes.slow_ms))
    if min(fast, slow) > _NEAR * (modes.slow_ms - modes.fast_ms):
        return {}
    return {"Profile": f"of the {'slow' if slow < fast else 'fast'} state, by its total"}

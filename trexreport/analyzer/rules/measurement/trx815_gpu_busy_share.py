"""TRX815 measurement.gpu-busy-share."""

from __future__ import annotations

import re

from trexreport.analyzer.analysis.timing import Percentiles
from trexreport.analyzer.rules import Context, Hit, Hits, built_in_rule
from trexreport.analyzer.rules.limits import percent
from trexreport.analyzer.rules.streams import are_streams_filling
from trexreport.analyzer.thresholds import OVERLAP_PERCENT
from trexreport.analyzer.transfers import find_transfers
from trexreport.numbers import format_ms, format_number, format_percent
from trexreport.regex import regex

#: The ends of a run of fewer queries take part of its time.
_MIN_QUERIES = 10
#: Share of the idle time from which on transfers explain it.
_MOSTLY = 0.5
#: Total GPU compute time where two queries share the GPU all the time, in percent of the wall time.
_TWO_AT_ONCE = 200
_PAUSES = regex(r"--(?:sleepTime|idleTime)=?\s*0*[1-9]", re.ASCII)


@built_in_rule(
    "info",
    needs=("end-to-end",),
    thresholds=(
        percent("idle_percent", 15.0, "Minimum idle time of the GPU, in percent of the run's wall time."),
        percent("warning_percent", 30.0, "Idle time from which on it is a warning, in percent of the same."),
        percent(
            "crowded_percent",
            400.0,
            "The same from which on it is a warning, where the fastest query took far less than others.",
            maximum=10000,
        ),
        percent(
            "overlap_percent",
            OVERLAP_PERCENT,
            "Total GPU compute time from which on queries overlap, in percent of the same.",
            maximum=10000,
        ),
    ),
)
def gpu_busy_share(
    context: Context,
    *,
    idle_percent: float,
    warning_percent: float,
    crowded_percent: float,
    overlap_percent: float,
) -> Hits:
    """Total GPU compute time differs from the wall time of the run.

    Cost:
        [if idle: The GPU is idle between queries, while the host launches, synchronizes or copies: the
        throughput is below what the engine allows.] [if overlap: Queries on several streams share the GPU, so
        that GPU compute time and latency are not those of a query that has it alone.]

    Recommendation:
        [if idle, if tiny: Compute more in each query, such as with a larger batch: launches are most of one
        as short as this.] [if idle, if one-stream: Keep several queries in flight.] [8.6.., if idle, if
        one-stream: trtexec does so with --infStreams=2.] [..8.5, if idle, if one-stream: trtexec does so with
        --streams=2.] [..10, if idle, unless spin: --useSpinWait returns sooner from waiting for a query.]
        [..10, if idle, if launching, unless no-capture: --useCudaGraph shortens the launch.] [if idle: Nsight
        Systems shows what the host does in between.] [8.6.., if overlap, unless one-stream: Measure the time
        of a query with --infStreams=1.] [..8.5, if overlap, unless one-stream: Measure the time of a query
        with --streams=1.] [if overlap, unless one-stream: If one or two streams reach the same throughput,
        serve with them: each further stream only makes queries wait longer, and their times vary.]

    False alarm:
        An application that has less to do than the GPU can leaves it idle, too. Nothing is reported where
        TRX805 or TRX806 states the reason, where trtexec pauses on purpose (--sleepTime, --idleTime), and for
        fewer than 10 queries, as the ends of a run take time as well.

    Est. savings:
        Not estimated: the throughput changes, and not the time of a query.
    """
    compute, busy = context.analysis.latency.gpu_compute, context.analysis.latency.gpu_busy_percent
    if compute is None or not busy or (compute.count or _MIN_QUERIES) < _MIN_QUERIES:
        return
    if busy >= overlap_percent and not context.has_one_stream:
        is_crowded = busy >= crowded_percent and are_streams_filling(context)
        yield Hit(
            f"{_streams(context)} share the GPU: total GPU compute time is {format_number(busy / 100)} times "
            f"the run's wall time, so that {_waiting(busy)} of the time of a query is waiting for others."
            f"{_alone(context, compute)}",
            severity="warning" if is_crowded else None,
        )
    idle = 100 - busy
    idle_ms = compute.mean_ms * (100 / busy - 1)
    if idle < idle_percent or _is_explained(context, idle_ms):
        return
    latency = context.analysis.latency
    parts = (("Enqueue", latency.enqueue), ("Host to device", latency.h2d), ("Device to host", latency.d2h))
    yield Hit(
        f"The GPU is idle for {format_percent(idle / 100)} of the run's wall time, {format_ms(idle_ms)} for "
        f"each query of {format_ms(compute.mean_ms)}.",
        (),
        None,
        {title: format_ms(each.median_ms) for title, each in parts if each},
        severity="warning" if idle >= warning_percent else None,
    )


def _waiting(busy: float) -> str:
    """Return which part of the time of a query others take; with two at once it is half."""
    return "most" if busy > _TWO_AT_ONCE else f"about {format_percent(1 - 100 / busy)}"


def _streams(context: Context) -> str:
    streams = set(context.stated_streams)
    return f"{streams.pop()} streams" if len(streams) == 1 else "Several streams"


def _alone(context: Context, compute: Percentiles) -> str:
    """Return how long a query takes by the throughput, and that times vary with how many share the GPU."""
    latency = context.analysis.latency
    text = ""
    if latency.throughput_qps:
        alone_ms, transfers = 1000 / latency.throughput_qps, find_transfers(latency)
        copies_ms = transfers.total_ms if transfers else 0.0
        also = f", {format_ms(alone_ms + copies_ms)} with its copies" if copies_ms else ""
        text = f" By the throughput a query takes the GPU {format_ms(alone_ms)}{also}."
    if are_streams_filling(context):
        text += (
            f" The fastest, with fewer beside it, took {format_ms(compute.min_ms)}, and the median is "
            f"{format_ms(compute.median_ms)}."
        )
    return text


def _is_explained(context: Context, idle_ms: float) -> bool:
    """Return whether other rules or the options of the run state why the GPU is idle."""
    latency = context.analysis.latency
    pauses = (context.run_option(key).strip("0ms.") for key in ("Sleep time", "Idle time"))
    if any(pauses) or any(_PAUSES.search(each) for each in context.analysis.commands):
        return True
    copies = sum(each.median_ms for each in (latency.h2d, latency.d2h) if each)
    return context.enqueue_state in {"bound", "profiled"} or copies >= _MOSTLY * idle_ms

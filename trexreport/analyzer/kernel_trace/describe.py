"""Put together what a trace shows of the kernels of an engine."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import replace

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis import kernels as facts
from trexreport.analyzer.kernel_trace.enqueued import enqueue_spans
from trexreport.analyzer.kernel_trace.idle import Gap, concurrent_ns, find_gaps, stream_waits_ns
from trexreport.analyzer.kernel_trace.matching import Match, foreign_queries, match_layers
from trexreport.analyzer.kernel_trace.spans import union
from trexreport.analyzer.kernel_trace.sums import describe_sums
from trexreport.analyzer.kernel_trace.timeline import describe_timeline
from trexreport.model.kernel_trace import KernelRun, KernelTrace

_NS_PER_MS = 1e6
_MAX_GAPS = 50


def describe_kernels(
    trace: KernelTrace | None, layers: Sequence[LayerFacts]
) -> facts.KernelTraceFacts | None:
    """Return what a trace shows of an engine; None without a trace, or without a kernel in it."""
    if trace is None or not (trace.runs or trace.sums):
        return None
    matches = match_layers(trace, layers)
    foreign = foreign_queries(trace, matches)
    if foreign:
        trace, matches = _without(trace, matches, foreign)
    traced_queries = len({run.query for run in trace.runs if run.query is not None})
    per_query = max(traced_queries, 1)
    regions = {each.name for each in trace.ranges if each.is_region}
    places: Mapping[int, int] = {}
    if trace.sums and not (traced_queries and any(run.range is not None for run in trace.runs)):
        summed = describe_sums(trace, layers)
        kernels, queries, regions = summed.kernels, summed.queries, regions | summed.regions
        launches = math.fsum(each.launches for each in kernels)
    else:
        (kernels, places), queries = _kernels(trace, matches, per_query), traced_queries
        launches = _runs_of_queries(trace) / per_query
    gaps = find_gaps(trace)
    busy_ns = sum(end - begin for begin, end in union((run.begin_ns, run.end_ns) for run in trace.runs))
    idle_ns = sum(gap.took_ns for gap in gaps)
    traced_ns = busy_ns + idle_ns
    total_ms = math.fsum(each.time_ms for each in kernels)
    known_ms = math.fsum(each.time_ms for each in kernels if each.layer is not None)
    region_ms = math.fsum(each.time_ms for each in kernels if each.layer is None and each.range in regions)
    between = [gap for gap in gaps if _is_between(trace, gap)]
    spans = _query_spans(trace)
    return facts.KernelTraceFacts(
        file=trace.file,
        tool=f"Nsight Systems {trace.tool_version}".strip(),
        device=trace.device,
        queries=queries,
        queries_found=max(trace.queries_found, queries),
        query_kind=trace.query_kind,
        launches=launches,
        kernel_ms=total_ms,
        kernels=kernels,
        layers=_layer_kernels(kernels, len(layers)),
        matched_percent=_percent(known_ms, total_ms),
        region_percent=_percent(region_ms, total_ms),
        traced_ms=traced_ns / _NS_PER_MS if trace.runs else None,
        busy_ms=busy_ns / _NS_PER_MS if trace.runs else None,
        idle_ms=idle_ns / _NS_PER_MS if trace.runs else None,
        idle_percent=_percent(idle_ns, traced_ns),
        idle=_idle(trace, gaps, traced_ns, per_query),
        between_percent=_percent(sum(gap.took_ns for gap in between), traced_ns) if traced_queries else None,
        concurrent_percent=_percent(concurrent_ns(trace.runs), busy_ns),
        gaps=[_gap(trace, gap, matches) for gap in sorted(gaps, key=lambda gap: -gap.took_ns)[:_MAX_GAPS]],
        gap_count=len(gaps),
        streams=_streams(trace.runs),
        enqueue_ms=_mean_ms(
            [each.end_ns - each.begin_ns for at, each in enumerate(enqueue_spans(trace)) if at not in foreign]
        ),
        gpu_ms=_mean_ms([end - begin for begin, end in spans]),
        reports=trace.reports,
        traced_queries=traced_queries,
        timeline=describe_timeline(trace, gaps, places),
        other_queries=len(foreign),
    )


def _without(
    trace: KernelTrace, matches: Sequence[Match | None], foreign: frozenset[int]
) -> tuple[KernelTrace, list[Match | None]]:
    """Return the trace with kernels of some queries as kernels of none: the GPU is busy with them."""
    runs = tuple(replace(run, query=None) if run.query in foreign else run for run in trace.runs)
    found = [None if run.query in foreign else match for run, match in zip(trace.runs, matches, strict=True)]
    return replace(trace, runs=runs), found


def _runs_of_queries(trace: KernelTrace) -> int:
    return sum(run.query is not None or not trace.queries for run in trace.runs)


def _kernels(
    trace: KernelTrace, matches: Sequence[Match | None], per_query: int
) -> tuple[list[facts.KernelFacts], Mapping[int, int]]:
    """Return the kernels of the queries, one entry for each layer, range and configuration.

    The mapping has the entry of each run, by its place.
    """
    groups: dict[tuple[Match | None, str, int], list[int]] = defaultdict(list)
    for place, (run, match) in enumerate(zip(trace.runs, matches, strict=True)):
        if trace.queries and run.query is None:
            continue
        name = "" if match or run.range is None else trace.ranges[run.range].name
        groups[match, name, run.config].append(place)
    found = []
    for key, places in groups.items():
        runs = [trace.runs[place] for place in places]
        found.append((min(run.begin_ns for run in runs), _kernel(trace, key, runs, per_query), places))
    # Those without a layer are at the end.
    found.sort(key=lambda each: (each[1].layer is None, each[1].layer or 0, each[0]))
    entries = {place: entry for entry, (_, _, places) in enumerate(found) for place in places}
    return [kernel for _, kernel, _ in found], entries


def _kernel(
    trace: KernelTrace, key: tuple[Match | None, str, int], runs: Sequence[KernelRun], per_query: int
) -> facts.KernelFacts:
    match, range_, config = key
    layer, how = match or (None, None)
    launched = trace.configs[config]
    times = [run.end_ns - run.begin_ns for run in runs]
    streams = {run.stream for run in runs}
    matched: facts.KernelMatch | None = how
    return facts.KernelFacts(
        layer=layer,
        range=range_,
        match=matched,
        name=launched.name,
        full_name=launched.full_name,
        grid=launched.grid,
        block=launched.block,
        registers=launched.registers,
        shared_bytes=launched.shared_bytes,
        stream=streams.pop() if len(streams) == 1 else None,
        launches=len(runs) / per_query,
        time_ms=sum(times) / per_query / _NS_PER_MS,
        min_ms=min(times) / _NS_PER_MS,
        max_ms=max(times) / _NS_PER_MS,
    )


def _layer_kernels(kernels: Sequence[facts.KernelFacts], layers: int) -> list[facts.LayerKernels | None]:
    found: list[facts.LayerKernels | None] = [None] * layers
    by_layer: dict[int, list[facts.KernelFacts]] = defaultdict(list)
    for each in kernels:
        if each.layer is not None:
            by_layer[each.layer].append(each)
    for index, own in by_layer.items():
        found[index] = facts.LayerKernels(
            math.fsum(each.launches for each in own), math.fsum(each.time_ms for each in own)
        )
    return found


def _idle(trace: KernelTrace, gaps: Sequence[Gap], traced_ns: int, per_query: int) -> list[facts.IdleTime]:
    times: dict[facts.IdleCause, int] = defaultdict(int)
    between: dict[facts.IdleCause, int] = defaultdict(int)
    counts: dict[facts.IdleCause, int] = defaultdict(int)
    for gap in gaps:
        is_between = _is_between(trace, gap)
        for cause, took in gap.parts.items():
            times[cause] += took
            between[cause] += took * is_between
            counts[cause] += 1
    return [
        facts.IdleTime(
            cause=cause,
            time_ms=took / per_query / _NS_PER_MS,
            percent=100 * took / traced_ns,
            between_percent=100 * between[cause] / traced_ns,
            gaps=counts[cause],
        )
        for cause, took in sorted(times.items(), key=lambda item: (-item[1], item[0]))
    ]


def _is_between(trace: KernelTrace, gap: Gap) -> bool:
    before, after = trace.runs[gap.before].query, trace.runs[gap.after].query
    return before is not None and after is not None and before != after


def _gap(trace: KernelTrace, gap: Gap, matches: Sequence[Match | None]) -> facts.KernelGap:
    before, after = matches[gap.before], matches[gap.after]
    zero = trace.runs[0].begin_ns
    return facts.KernelGap(
        begin_ms=(gap.begin_ns - zero) / _NS_PER_MS,
        time_ms=gap.took_ns / _NS_PER_MS,
        cause=gap.cause,
        is_between_queries=_is_between(trace, gap),
        before=trace.configs[trace.runs[gap.before].config].name,
        after=trace.configs[trace.runs[gap.after].config].name,
        layer_before=before[0] if before else None,
        layer_after=after[0] if after else None,
    )


def _streams(runs: Sequence[KernelRun]) -> list[facts.KernelStream]:
    waits = stream_waits_ns(runs)
    by_stream: dict[int | None, list[KernelRun]] = defaultdict(list)
    for run in runs:
        by_stream[run.stream].append(run)
    return [
        facts.KernelStream(
            stream=stream,
            kernels=len(own),
            busy_ms=sum(e - b for b, e in union((run.begin_ns, run.end_ns) for run in own)) / _NS_PER_MS,
            waits_ms=waits[stream] / _NS_PER_MS,
        )
        for stream, own in sorted(by_stream.items(), key=lambda item: (item[0] is None, item[0] or 0))
    ]


def _query_spans(trace: KernelTrace) -> list[tuple[int, int]]:
    spans: dict[int, tuple[int, int]] = {}
    for run in trace.runs:
        if run.query is not None:
            begin, end = spans.get(run.query, (run.begin_ns, run.end_ns))
            spans[run.query] = (min(begin, run.begin_ns), max(end, run.end_ns))
    return list(spans.values())


def _mean_ms(times: Sequence[int]) -> float | None:
    return sum(times) / len(times) / _NS_PER_MS if times else None


def _percent(part: float, whole: float) -> float | None:
    return 100 * part / whole if whole else None

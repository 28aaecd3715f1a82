"""Take the times of layers from a trace of Nsight Systems, for captures that have no others.

The time of a layer is that of the kernels in its NVTX ranges, for each query. A trace of several engines
shows the one that has most queries. Sums that nothing divides by queries or by engines count as sums over an
unknown number of runs.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence

from trexreport.model import InputWarning, LayerTime
from trexreport.model.kernel_trace import KernelRun, KernelSum, KernelTrace
from trexreport.reader.layer_profile import LayerProfile, time_of_samples
from trexreport.reader.profile_values import ProfileRow

_NS_PER_MS = 1e6


def times_of_trace(trace: KernelTrace) -> LayerProfile | None:
    """Return the times of the layers that ranges of a trace name; None without such ranges."""
    found = _of_runs(trace) or _of_sums(trace)
    if found is None:
        return None
    message = f"The times of layers are those of their work on the GPU in {trace.file}."
    note = InputWarning("info", "layer-times-of-trace", message, trace.file, ("latency", "layers"))
    return LayerProfile(*found[:2], (note,), *found[2:], source="trace")


_Found = tuple[tuple[ProfileRow, ...], int | None, float, bool]


def _of_runs(trace: KernelTrace) -> _Found | None:
    """Return the times by single runs: rows, queries, the part without a range."""
    by_query: dict[int, dict[int | None, list[KernelRun]]] = defaultdict(lambda: defaultdict(list))
    for run in trace.runs:
        if run.query is not None:
            by_query[run.query][run.range].append(run)
    names = {
        query: frozenset(each for each in ranges if each is not None) for query, ranges in by_query.items()
    }
    most = Counter(each for each in names.values() if each).most_common(1)
    if not most:
        return None
    own = most[0][0]
    # Queries of another engine or profile name other layers.
    chosen = [query for query, found in names.items() if 2 * len(found & own) >= len(found | own)]
    first = by_query[min(chosen)]
    order = sorted({each for query in chosen for each in names[query]}, key=lambda each: _begin(first, each))
    samples = [tuple(_took_ms(by_query[query].get(each, ())) for query in chosen) for each in order]
    rows = tuple(
        ProfileRow(trace.ranges[each].name, time_of_samples(times))
        for each, times in zip(order, samples, strict=True)
    )
    ranged = math.fsum(map(math.fsum, samples))
    rest = math.fsum(_took_ms(by_query[query].get(None, ())) for query in chosen)
    return rows, len(chosen), rest / ranged if ranged else 0.0, False


def _begin(ranges: Mapping[int | None, Sequence[KernelRun]], place: int) -> tuple[float, int]:
    return min((run.begin_ns for run in ranges.get(place, ())), default=math.inf), place


def _took_ms(runs: Sequence[KernelRun]) -> float:
    return sum(run.end_ns - run.begin_ns for run in runs) / _NS_PER_MS


def _of_sums(trace: KernelTrace) -> _Found | None:
    """Return the times by sums, as far as no kernel is in the ranges of several layers."""
    of_layers = [each for each in trace.sums if each.place == "layer"]
    whole = [each for each in trace.sums if each.place == "query"]
    queries = max((each.range_runs or 0 for each in whole), default=0)
    runs, runs_of_queries = _runs(of_layers), _runs(whole)
    rows: dict[int, int] = defaultdict(int)
    for each in of_layers:
        is_nested = each.config is not None and 0 < runs_of_queries[each.config] < runs[each.config]
        if each.range is not None and not is_nested:
            rows[each.range] += each.total_ns
    if not rows:
        return None
    is_even = bool(queries) and not any((each.range_runs or 1) % queries for each in of_layers)
    count = queries if is_even else 1
    times = ((trace.ranges[each].name, total / _NS_PER_MS) for each, total in rows.items())
    found = tuple(ProfileRow(name, LayerTime(total / count, None, total)) for name, total in times)
    whole_ns, ranged_ns = sum(each.total_ns for each in whole if each.config is not None), sum(rows.values())
    rest = max(0.0, whole_ns / ranged_ns - 1) if ranged_ns and is_even else 0.0
    return found, count if is_even else None, rest, not is_even


def _runs(sums: Sequence[KernelSum]) -> Counter[int | None]:
    found: Counter[int | None] = Counter()
    for each in sums:
        found[each.config] += each.runs
    return found

"""The kernels of layers by reports that have sums in place of single runs.

A report lists a kernel once for each range that holds its launch: for its layer, and for the query around it.
What a query has beyond its layers is not known to be of a layer. Where the layers have more runs than the
query, ranges of layers are inside each other, and no run is given to any of them.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.kernels import KernelFacts
from trexreport.model.kernel_trace import KernelConfig, KernelSum, KernelTrace

_NS_PER_MS = 1e6


@dataclass
class SummedKernels:
    """What sums show.

    Attributes:
        queries: How many they are of; 0 where no range of a query is in them.
        kernels: By layer; those without a layer at the end.
        regions: Ranges of regions of Myelin.
    """

    queries: int = 0
    kernels: list[KernelFacts] = field(default_factory=list)
    regions: set[str] = field(default_factory=set)


def describe_sums(trace: KernelTrace, layers: Sequence[LayerFacts]) -> SummedKernels:
    """Return the kernels that sums list, per query where queries are known."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for layer in layers:
        by_name[layer.name].append(layer.index)
    by_place: dict[str, list[KernelSum]] = defaultdict(list)
    for each in trace.sums:
        by_place[each.place].append(each)
    queries = max((each.range_runs or 0 for each in by_place["query"]), default=0)
    rows = by_place["layer"]
    if not queries:
        # Ranges around the layers hold the same kernels once more.
        rows = [each for each in rows if _name(trace, each) in by_name]
    whole = _by_kernel([*by_place["query"], *by_place["all"]] if queries else by_place["all"])
    used, rest = _divided(rows, whole)
    in_regions = {each.config for each in by_place["region"]}
    found = SummedKernels(queries)
    for each in [*used, *rest, *(() if queries else by_place["outside"])]:
        name = _name(trace, each)
        indices = by_name.get(name, [])
        index = indices[0] if len(indices) == 1 else None
        if index is None and name and each.config in in_regions:
            found.regions.add(name)
        found.kernels.append(_kernel(trace, each, index, "" if index is not None else name, queries))
    found.kernels.sort(key=lambda each: (each.layer is None, each.layer or 0))
    return found


def _divided(
    rows: Sequence[KernelSum], whole: Mapping[int | None, list[KernelSum]]
) -> tuple[list[KernelSum], list[KernelSum]]:
    """Return the sums of layers, and what kernels have beyond them."""
    used, rest = [], []
    of_layers = _by_kernel(rows)
    for config in dict.fromkeys([*of_layers, *whole]):
        own, all_runs = of_layers.get(config, []), whole.get(config, [])
        # All work of a range has gaps in it: nothing can be taken away from it.
        if not all_runs or config is None:
            used += own or all_runs
            continue
        runs, total = _total(own)
        all_of, all_total = _total(all_runs)
        if runs > all_of or total > all_total:
            own, runs, total = [], 0, 0
        used += own
        if all_of > runs:
            shortest, longest = (all_runs[0].min_ns, all_runs[0].max_ns) if not own else (None, None)
            rest.append(KernelSum(config, "query", all_of - runs, all_total - total, shortest, longest))
    return used, rest


def _by_kernel(rows: Sequence[KernelSum]) -> Mapping[int | None, list[KernelSum]]:
    found: dict[int | None, list[KernelSum]] = defaultdict(list)
    for each in rows:
        found[each.config].append(each)
    return found


def _total(rows: Sequence[KernelSum]) -> tuple[int, int]:
    return sum(each.runs for each in rows), sum(each.total_ns for each in rows)


def _name(trace: KernelTrace, found: KernelSum) -> str:
    return "" if found.range is None else trace.ranges[found.range].name


def _kernel(
    trace: KernelTrace, found: KernelSum, layer: int | None, range_: str, queries: int
) -> KernelFacts:
    config = KernelConfig("", "") if found.config is None else trace.configs[found.config]
    per_query = max(queries, 1)
    return KernelFacts(
        layer=layer,
        range=range_,
        match=None if layer is None else "range",
        name=config.name,
        full_name=config.full_name,
        grid=config.grid,
        block=config.block,
        registers=config.registers,
        shared_bytes=config.shared_bytes,
        stream=None,
        launches=found.runs / per_query,
        time_ms=found.total_ns / per_query / _NS_PER_MS,
        min_ms=None if found.min_ns is None else found.min_ns / _NS_PER_MS,
        max_ms=None if found.max_ns is None else found.max_ns / _NS_PER_MS,
    )

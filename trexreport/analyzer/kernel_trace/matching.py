"""Which layer each run of a kernel belongs to.

The range of a layer has its name. Where several layers have one name, the runs of a query are divided among
them in their order, if each gets as many. Where a range is missing or is a whole region of Myelin, a kernel
belongs to the layer whose tactic has its name, if a query has as many such kernels as there are such layers:
both are in the order of execution.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from itertools import groupby

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.kernels import KernelMatch
from trexreport.model.kernel_names import SHORTEST_TACTIC, possible_tactics
from trexreport.model.kernel_trace import KernelTrace

Match = tuple[int, KernelMatch]


def match_layers(trace: KernelTrace, layers: Sequence[LayerFacts]) -> list[Match | None]:
    """Return the layer of each run; None where it is not known."""
    by_name: dict[str, list[int]] = defaultdict(list)
    for layer in layers:
        by_name[layer.name].append(layer.index)
    found: list[Match | None] = [None] * len(trace.runs)
    for query in _by_query(trace):
        _match_ranges(trace, query, by_name, found)
        _match_order(trace, query, layers, found)
    return found


def foreign_queries(trace: KernelTrace, matches: Sequence[Match | None]) -> frozenset[int]:
    """Return the queries of other engines or profiles in the same trace.

    Their ranges name other layers: fewer than half as many of them are known as in the query that has most.
    """
    parts = {}
    for query in _by_query(trace) if trace.queries else ():
        ranged = [place for place in query if trace.runs[place].range is not None]
        if ranged and (number := trace.runs[ranged[0]].query) is not None:
            parts[number] = sum(matches[place] is not None for place in ranged) / len(ranged)
    most = max(parts.values(), default=0.0)
    return frozenset(query for query, part in parts.items() if 2 * part < most)


def _by_query(trace: KernelTrace) -> list[list[int]]:
    """Return the positions of the runs of each query, or of all runs where there are no queries."""
    if not trace.queries:
        return [list(range(len(trace.runs)))]
    places: dict[int, list[int]] = defaultdict(list)
    for place, run in enumerate(trace.runs):
        if run.query is not None:
            places[run.query].append(place)
    return list(places.values())


def _match_ranges(
    trace: KernelTrace, query: Sequence[int], by_name: dict[str, list[int]], found: list[Match | None]
) -> None:
    ranged: dict[int, list[int]] = defaultdict(list)
    for place in query:
        range_ = trace.runs[place].range
        if range_ is not None and trace.ranges[range_].name in by_name:
            ranged[range_].append(place)
    for range_, places in ranged.items():
        indices = by_name[trace.ranges[range_].name]
        each, rest = divmod(len(places), len(indices))
        # Without queries nothing says how often a layer ran.
        if rest or (len(indices) > 1 and not trace.queries):
            continue
        for number, place in enumerate(sorted(places, key=lambda at: trace.runs[at].begin_ns)):
            how: KernelMatch = "graph-node" if trace.runs[place].origin == "graph-node" else "range"
            index = indices[0] if len(indices) == 1 else indices[number // each]
            found[place] = (index, how)


def _match_order(
    trace: KernelTrace, query: Sequence[int], layers: Sequence[LayerFacts], found: list[Match | None]
) -> None:
    if not trace.queries:
        return
    taken = {match[0] for place in query if (match := found[place])}
    waiting: dict[str, list[int]] = defaultdict(list)
    for layer in layers:
        if layer.index not in taken and len(layer.tactic) >= SHORTEST_TACTIC:
            waiting[layer.tactic].append(layer.index)
    if not waiting:
        return
    tactic_of = {
        number: next(
            (name for name in possible_tactics(config.name, config.full_name) if name in waiting), ""
        )
        for number, config in enumerate(trace.configs)
    }
    open_runs = [place for place in query if found[place] is None and tactic_of[trace.runs[place].config]]
    open_runs.sort(key=lambda place: (tactic_of[trace.runs[place].config], trace.runs[place].begin_ns))
    for tactic, group in groupby(open_runs, key=lambda place: tactic_of[trace.runs[place].config]):
        places = list(group)
        if len(places) == len(waiting[tactic]):
            for index, place in zip(waiting[tactic], places, strict=True):
                found[place] = (index, "order")

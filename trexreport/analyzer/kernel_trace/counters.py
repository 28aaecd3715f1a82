"""Give the counts of Nsight Compute to layers, and compare measured bytes with those of the tensors.

The CSV has neither ranges nor layers. Runs of kernels with one name are those of the layers that run it, in
their order, if their number is a multiple: of the trace's kernels, where there is a trace, else of the layers
whose tactic has the name.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Mapping, Sequence

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.counters import CountersFacts, LayerCounters
from trexreport.analyzer.analysis.kernels import KernelTraceFacts
from trexreport.analyzer.percentiles import median
from trexreport.model.kernel_counters import CountedKernel, KernelCounters
from trexreport.model.kernel_names import possible_tactics

_LOW, _HIGH = 0.1, 0.9


def describe_counters(
    counters: KernelCounters | None,
    layers: Sequence[LayerFacts],
    trace: KernelTraceFacts | None,
    *,
    is_other: bool = False,
) -> CountersFacts | None:
    """Return what was counted, by layer; None without counts.

    Args:
        counters: What Nsight Compute counted.
        layers: Of the engine.
        trace: Its kernels, if they are known.
        is_other: The counts are of another engine or GPU: they belong to no layer.
    """
    if counters is None or not counters.kernels:
        return None
    expected = {} if is_other else _of_trace(trace) if trace else _of_tactics(layers)
    by_layer: dict[int, list[list[CountedKernel]]] = defaultdict(list)
    matched = 0
    for name, runs in _by_name(counters).items():
        indices = next((expected[each] for each in possible_tactics(name) if each in expected), [])
        repeats, rest = divmod(len(runs), len(indices)) if indices else (0, 1)
        if rest or not repeats:
            continue
        matched += len(runs)
        for place, index in enumerate(indices):
            # A report of several queries has each query after the other.
            by_layer[index].append(runs[place :: len(indices)])
    wanted = _kernels_of_layers(trace)
    found = [
        _layer(layers[index], kernels)
        for index, kernels in sorted(by_layer.items())
        if not wanted or wanted.get(index) == len(kernels)
    ]
    both = [
        (each.dram_bytes, layers[each.layer].moved_bytes) for each in found if each.bytes_percent is not None
    ]
    operations = [
        (each.tensor_operations, layers[each.layer].flops)
        for each in found
        if each.operations_percent is not None
    ]
    percents = sorted(each.bytes_percent for each in found if each.bytes_percent is not None)
    return CountersFacts(
        file=counters.file,
        kernels=len(counters.kernels),
        matched=matched,
        layers=found,
        compared=len(percents),
        median_percent=median(percents) if percents else None,
        low_percent=_rank(percents, _LOW),
        high_percent=_rank(percents, _HIGH),
        is_other=is_other,
        total_percent=_together(both),
        operations_compared=len(operations),
        operations_percent=_together(operations),
    )


def _by_name(counters: KernelCounters) -> Mapping[str, list[CountedKernel]]:
    runs: dict[str, list[CountedKernel]] = defaultdict(list)
    for each in counters.kernels:
        runs[each.name].append(each)
    return runs


def _of_tactics(layers: Sequence[LayerFacts]) -> Mapping[str, list[int]]:
    found: dict[str, list[int]] = defaultdict(list)
    for layer in layers:
        if layer.tactic and not layer.structural:
            found[layer.tactic].append(layer.index)
    return found


def _of_trace(trace: KernelTraceFacts) -> Mapping[str, list[int]]:
    """Return name to the layers that run it, one entry for each run of a query."""
    found: dict[str, list[int]] = defaultdict(list)
    for each in trace.kernels:
        runs = int(each.launches) if each.launches == int(each.launches) else 0
        for name in dict.fromkeys((each.name, each.full_name)):
            # A kernel of an unknown layer counts too: without it the order would not fit.
            found[name] += [-1 if each.layer is None else each.layer] * runs
    return {name: indices for name, indices in found.items() if -1 not in indices}


def _kernels_of_layers(trace: KernelTraceFacts | None) -> Mapping[int, int]:
    """Return how many kernels each layer runs in a query, as the trace shows; empty without one."""
    if trace is None:
        return {}
    return {index: round(each.launches) for index, each in enumerate(trace.layers) if each}


def _layer(layer: LayerFacts, kernels: Sequence[Sequence[CountedKernel]]) -> LayerCounters:
    size = _sum([[each.dram_bytes for each in runs] for runs in kernels])
    modeled = layer.moved_bytes
    operations = _sum([[each.tensor_operations for each in runs] for runs in kernels])
    return LayerCounters(
        layer=layer.index,
        kernels=len(kernels),
        dram_bytes=size,
        tensor_operations=operations,
        tensor_active_percent=_largest([each.tensor_active_percent for runs in kernels for each in runs]),
        bytes_percent=100 * size / modeled if size is not None and modeled else None,
        operations_percent=100 * operations / layer.flops if operations and layer.flops else None,
    )


def _together(pairs: Sequence[tuple[float | None, float | None]]) -> float | None:
    """Return what was measured as a part of what was expected, of all pairs together."""
    expected = math.fsum(each or 0.0 for _, each in pairs)
    return 100 * math.fsum(each or 0.0 for each, _ in pairs) / expected if expected else None


def _sum(kernels: Sequence[Sequence[float | None]]) -> float | None:
    """Return the sum over kernels of the mean of their runs; None if any is not known."""
    means = []
    for runs in kernels:
        known = [value for value in runs if value is not None]
        if len(known) < len(runs):
            return None
        means.append(math.fsum(known) / len(known))
    return math.fsum(means)


def _largest(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return max(known) if known and len(known) == len(values) else None


def _rank(ordered: Sequence[float], part: float) -> float | None:
    return ordered[round(part * (len(ordered) - 1))] if ordered else None

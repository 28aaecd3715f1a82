"""Expect how long a layer takes after a change, from layers of the same engine that are already so.

A kernel takes about the time of the engine's fastest kernel, which launch and latency limit, plus its
roofline time at the share of the roofline that similar kernels reach: `floor + roof / share`. On five
published engines (ResNet-18 and ResNet-50 on A100, RTX 3090, RTX 3060), kernels on Tensor Cores with 1 µs to
0.1 ms of roofline time take this time with shares of 0.45 to 0.85.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Sequence
from functools import lru_cache

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.roofline.classes import MAX_LAUNCH_MS
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.memory.weights import traffic_bytes
from trexreport.analyzer.rules.patterns import is_conv_or_matmul

#: Shares of the roofline above the floor where too few layers of the engine show it; see above.
TYPICAL_SHARES = (0.45, 0.85)
#: Fewer similar layers show too little.
_MIN_REFERENCES = 3
#: Layers of one published engine with the same multiplications and types differ by this factor.
_ALIKE = 1.1
#: A layer counts as similar up to this factor of the roofline time.
_SIMILAR = 6.0

#: Savings of a layer: the least, the most, and what they are based on.
Savings = tuple[float, float, GainBasis]


def floor_ms(context: Context) -> float:
    """Return the time in ms that any kernel takes: that of a launch, where fast kernels show it."""
    launch_ms = context.analysis.roofline.launch_ms
    return MAX_LAUNCH_MS if launch_ms is None else launch_ms


def above_roof(
    context: Context, layer: LayerFacts, similar: Callable[[LayerFacts], bool], *, is_explained: bool = False
) -> Gain | None:
    """Return what a layer saves if it comes as near to its roofline as similar layers do.

    Args:
        context: The engine.
        layer: Its roofline time is that after the change.
        similar: Whether another layer is as this one would be.
        is_explained: Whether it is known what keeps it from its roofline, so that it may not stay.

    Returns:
        None where the roofline time is not known, and where the layer is already as near.
    """
    if layer.roof is None or not layer.avg_ms:
        return None
    low, high, basis = _from_roof(context, layer, layer.roof.roof_ms, similar, is_explained=is_explained)
    return of_layers("estimate", [(layer, low, high)], basis) if high > 0 else None


def narrowed(
    context: Context, layer: LayerFacts, saved_bytes: float, similar: Callable[[LayerFacts], bool]
) -> Savings:
    """Return what a layer saves if it moves fewer bytes.

    Layers with the same multiplications that are already so show the time best; else the roofline time with
    fewer bytes; else, without the GPU's peaks, the time becomes shorter by up to the share of the bytes.

    Args:
        context: The engine.
        layer: It multiplies as before.
        saved_bytes: Of its traffic.
        similar: Whether another layer is as this one would be.
    """
    time_ms, moved = layer.avg_ms or 0.0, traffic_bytes(layer)
    if not time_ms or not moved or saved_bytes <= 0:
        return 0.0, 0.0, GainBasis("less-traffic")
    left = max(moved - saved_bytes, 0.0)
    shown = by_same_work(context, layer, similar, left)
    if shown is not None:
        return shown
    if layer.roof is not None and is_conv_or_matmul(context, layer):
        gpu = context.analysis.roofline.gpu
        memory_ms = left / (gpu.bandwidth_gbs * 1e6) if gpu else 0.0
        compute_ms = (layer.flops or 0) / (layer.roof.peak_tflops * 1e9) if layer.roof.peak_tflops else 0.0
        return _from_roof(context, layer, max(memory_ms, compute_ms), similar)
    limit = max(time_ms - context.cached(floor_ms), 0.0)
    return 0.0, min(time_ms * min(saved_bytes / moved, 1.0), limit), GainBasis("less-traffic")


def by_same_work(
    context: Context, layer: LayerFacts, similar: Callable[[LayerFacts], bool], moved_bytes: float = 0.0
) -> Savings | None:
    """Return what a layer saves if it takes the time of layers with the same multiplications.

    Args:
        context: The engine.
        layer: The layer.
        similar: Whether another layer is as this one would be; the same function for all layers of a kind, as
            each is asked once.
        moved_bytes: What this one will move; what exceeds the others' bytes, such as a residual, takes time
            at the rate of the layer as it is.

    Returns:
        None where no such layer multiplies the same.
    """
    all_shown = _shown(context, _work_of(layer), similar)
    others = (each for each in all_shown.layers if each.index != layer.index)
    shown = _References(list(others)) if layer.index in all_shown.indices else all_shown
    if not shown.layers or not layer.avg_ms:
        return None
    beyond = max(0.0, moved_bytes - shown.least_bytes)
    fastest = shown.fastest_ms / _ALIKE
    slowest = shown.slowest_ms * _ALIKE + beyond / (traffic_bytes(layer) or math.inf) * layer.avg_ms
    low, high = (max(0.0, layer.avg_ms - after) for after in (slowest, fastest))
    factors = max(layer.avg_ms / slowest, 1.0), max(layer.avg_ms / fastest, 1.0)
    return low, high, GainBasis("same-engine", *factors, shown.references)


def faster(
    context: Context,
    layers: Iterable[LayerFacts],
    factors: Callable[[LayerFacts], tuple[float, float] | None],
    source: str,
) -> Gain | None:
    """Return what published speedups save: of a layer's time above that of the engine's fastest kernel.

    Args:
        context: The engine.
        layers: Those that become faster.
        factors: The least and the greatest speedup of a layer; None where none is published.
        source: Where the speedups are from.

    Returns:
        None where no layer has a factor.
    """
    floor = context.cached(floor_ms)
    ranges, used = [], []
    for layer in layers:
        each = factors(layer)
        if each is None or not layer.avg_ms:
            continue
        used.append(each)
        above = max(layer.avg_ms - floor, 0.0)
        ranges.append((layer, above * (1 - 1 / each[0]), above * (1 - 1 / each[1])))
    if not used:
        return None
    basis = GainBasis("published", min(low for low, _ in used), max(high for _, high in used), (), source)
    return of_layers("estimate", ranges, basis)


def _from_roof(
    context: Context,
    layer: LayerFacts,
    roof_ms: float,
    similar: Callable[[LayerFacts], bool],
    *,
    is_explained: bool = False,
) -> Savings:
    floor, time_ms = context.cached(floor_ms), layer.avg_ms or 0.0
    found = [each for each in context.cached(_near)(roof_ms, similar) if each.index != layer.index]
    shares = sorted(
        min(each.roof.roof_ms / max((each.avg_ms or 0.0) - floor, each.roof.roof_ms), 1.0)
        for each in found
        if each.roof and each.roof.roof_ms > 0
    )
    enough = len(shares) >= _MIN_REFERENCES
    least, most = (shares[0], shares[-1]) if enough else TYPICAL_SHARES
    low, high = (max(0.0, time_ms - floor - roof_ms / share) for share in (least, most))
    is_explained = is_explained or context.kernel(layer).tensor_cores is False
    if layer.roof is not None and layer.roof.bound == "latency" and not is_explained:
        low = least = 0.0  # What neither the roofline nor the kernel explains may stay.
    return low, high, GainBasis("roof", least, most, [each.index for each in found] if enough else ())


def _near(context: Context) -> Callable[[float, Callable[[LayerFacts], bool]], list[LayerFacts]]:
    """Return what lists the measured layers near a roofline time that are similar, once for layers alike."""
    layers = [(each.roof.roof_ms, each) for each in context.cached(_with_times) if each.roof]

    @lru_cache(maxsize=64)
    def near(roof_ms: float, similar: Callable[[LayerFacts], bool]) -> list[LayerFacts]:
        least, most = roof_ms / _SIMILAR, roof_ms * _SIMILAR
        return [each for own_ms, each in layers if least <= own_ms <= most and similar(each)]

    return near


def _with_times(context: Context) -> list[LayerFacts]:
    return [each for each in context.layers if each.avg_ms and not each.structural]


class _References:
    """Layers of one work that are as others would be after a change, and what they show."""

    def __init__(self, layers: Sequence[LayerFacts]) -> None:
        self.layers = layers
        self.references = [each.index for each in layers]
        self.indices = frozenset(self.references)
        times = [each.avg_ms or 0.0 for each in layers]
        self.fastest_ms, self.slowest_ms = min(times, default=0.0), max(times, default=0.0)
        self.least_bytes = min(map(traffic_bytes, layers), default=0.0)


def _shown(context: Context, work: Hashable, similar: Callable[[LayerFacts], bool]) -> _References:
    """Return the layers of a work that are similar, found once: of a repeated block, each asks for all."""
    known = context.cached(_known_references)
    if (work, similar) not in known:
        same = context.cached(_by_work).get(work, ())
        known[work, similar] = _References([each for each in same if similar(each)])
    return known[work, similar]


def _known_references(_: Context) -> dict[tuple[Hashable, Callable[[LayerFacts], bool]], _References]:
    return {}


def _by_work(context: Context) -> dict[Hashable, list[LayerFacts]]:
    """Return the measured layers that multiply by their work: a large engine has many, and few different."""
    return group_by([each for each in context.cached(_with_times) if each.work], _work_of)


def _work_of(layer: LayerFacts) -> Hashable:
    """Return what is equal for layers that multiply the same extents in the same way; None for others."""
    work = layer.work
    return work and (work.macs, work.m, work.n, work.k, work.groups, work.batch, tuple(work.kernel))

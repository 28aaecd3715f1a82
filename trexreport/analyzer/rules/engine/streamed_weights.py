"""Products that wait for weights which the host sends while the engine runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules import Context, Gain, LayerFacts
from trexreport.analyzer.rules.engine.weight_budget import HIGH, LOW, bus_of
from trexreport.analyzer.rules.expected import above_roof
from trexreport.analyzer.rules.gains import of_layers, union
from trexreport.analyzer.rules.memory.weights import reads_weights, share_of_weights, weights_bytes
from trexreport.analyzer.rules.roof_share import is_memory_bound
from trexreport.regex import regex

#: From this factor of the time of one with the same extents on a layer waits for its weights.
_SLOW = 1.8
#: What PCIe 6 with 16 lanes moves, in GB/s.
_MAX_BUS_GBS = 130.0
#: Fewer bytes of weights show no rate, as a launch takes as long.
_MIN_BYTES = 1 << 20
#: Least share of weights in the bytes of a layer that only its rate shows to wait.
_MOSTLY = 0.5
_FLAG = regex(r"--weightStreamingBudget=(\S+)")
_OFF = frozenset({"", "disabled", "-2"})


class Streamed(NamedTuple):
    """Products that wait for their weights, and those of the same extents that do not.

    Attributes:
        compared: Those of the extents of others that do not wait.
        by_rate: Those without such others, whose weights come as fast as the bus moves them.
        others: Those that do not wait.
    """

    compared: Sequence[LayerFacts]
    by_rate: Sequence[LayerFacts]
    others: Sequence[LayerFacts]

    @property
    def waiting(self) -> list[LayerFacts]:
        """All that wait."""
        return [*self.compared, *self.by_rate]


def stated_budget(context: Context) -> str:
    """Return the budget of weight streaming as an option or a command states it; empty without one."""
    stated = context.run_option("Weight Streaming Budget").strip()
    found = [flag for command in context.analysis.commands for flag in _FLAG.findall(command)]
    budget = stated or (found[-1] if found else "")
    is_off = budget.lower() in _OFF or context.build_option("Weight Streaming") == "Disabled"
    return "" if is_off else budget


def streamed_products(context: Context) -> Streamed:
    """Return the products that wait for streamed weights, as others or their rate show.

    They take no longer than their weights need on the bus of the host.
    """
    waiting: list[LayerFacts] = []
    others: list[LayerFacts] = []
    if not stated_budget(context):
        return Streamed((), (), ())
    timed = [layer for layer in context.products if layer.work and layer.avg_ms]
    for alike in group_by(timed, _extents).values():
        least = min(layer.avg_ms or 0.0 for layer in alike)
        slow = {layer.index for layer in alike if _is_slow(context, layer, least)}
        if slow:
            waiting += [layer for layer in alike if layer.index in slow]
            others += [layer for layer in alike if layer.index not in slow]
    known = {layer.index for layer in (*waiting, *others)}
    rate_gbs = bus_gbs(context, waiting)
    by_rate = (each for each in timed if each.index not in known and _comes_at(context, each, rate_gbs))
    return Streamed(tuple(waiting), tuple(by_rate), tuple(others))


def bus_gbs(context: Context, layers: Sequence[LayerFacts]) -> float:
    """Return the bytes of the layers' weights per time of these layers, in GB/s."""
    time_ms = context.time_ms(layers)
    return sum(weights_bytes(context, layer) for layer in layers) / time_ms / 1e6 if time_ms else 0.0


def gain_without_streaming(context: Context, found: Streamed) -> Gain | None:
    """Return what the waiting layers save if their weights stay on the GPU; None if not known."""
    of_others = group_by(found.others, _extents)
    times = {key: [layer.avg_ms or 0.0 for layer in alike] for key, alike in of_others.items()}
    references = [layer.index for layer in found.others]
    gains = []
    if found.compared:
        ranges = [(layer, times[_extents(layer)]) for layer in found.compared]
        gains.append(_to_times(ranges, references))
    rates = [bus_gbs(context, [each]) for each in found.others if reads_weights(context, each)]
    if rates and found.by_rate:
        needs = ((each, weights_bytes(context, each) / 1e6) for each in found.by_rate)
        gains.append(_to_times([(each, [size / rate for rate in rates]) for each, size in needs], references))
    elif found.by_rate:
        gains += filter(None, (above_roof(context, each, is_memory_bound) for each in found.by_rate))
    times_ms = {layer.index: layer.avg_ms or 0.0 for layer in found.waiting}
    return union(gains, times_ms.__getitem__, sum(times_ms.values()))


def _to_times(ranges: Sequence[tuple[LayerFacts, Sequence[float]]], references: Sequence[int]) -> Gain:
    """Return what layers save if they take between the least and the most of other times in ms."""
    timed = [(layer, layer.avg_ms or 0.0, min(times), max(times)) for layer, times in ranges]
    least = min(time_ms / most for _, time_ms, _, most in timed)
    most = max(time_ms / shortest for _, time_ms, shortest, _ in timed)
    return of_layers(
        "estimate",
        [
            (layer, max(time_ms - longest, 0.0), max(time_ms - shortest, 0.0))
            for layer, time_ms, shortest, longest in timed
        ],
        GainBasis("same-engine", least, most, references),
    )


def _comes_at(context: Context, layer: LayerFacts, rate_gbs: float) -> bool:
    """Return whether a layer takes as long as its weights need on the bus.

    Args:
        context: The engine.
        layer: A product.
        rate_gbs: What the bus moves, as other layers show; 0 where none does, for what a usual bus moves.
    """
    size_bytes, roof = weights_bytes(context, layer), layer.roof
    if size_bytes < _MIN_BYTES or not layer.avg_ms:
        return False
    own = size_bytes / layer.avg_ms / 1e6
    if not (LOW * rate_gbs <= own <= HIGH * rate_gbs if rate_gbs else bus_of(own)):
        return False
    if roof is None or roof.reached_percent is None:
        return reads_weights(context, layer)
    return share_of_weights(context, layer) > _MOSTLY and roof.reached_percent <= 100 / _SLOW


def _is_slow(context: Context, layer: LayerFacts, least_ms: float) -> bool:
    is_slow = (layer.avg_ms or 0.0) >= _SLOW * least_ms
    return is_slow and 0 < bus_gbs(context, [layer]) <= _MAX_BUS_GBS


def _extents(layer: LayerFacts) -> Hashable:
    """Return what is equal for layers that multiply the same extents with one kernel."""
    work = layer.work
    return work and (work.m, work.n, work.k, work.groups, work.batch, tuple(work.kernel), layer.tactic)

"""Products that wait for weights which the host sends while the engine runs."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from typing import NamedTuple

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.analysis.gains import Gain, GainBasis
from trexreport.analyzer.grouping import group_by
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.memory.weights import weights_bytes
from trexreport.regex import regex

#: From this factor of the time of one with the same extents on a layer waits for its weights.
_SLOW = 1.8
#: What PCIe 6 with 16 lanes moves, in GB/s.
_MAX_BUS_GBS = 130.0
_FLAG = regex(r"--weightStreamingBudget=(\S+)")
_OFF = frozenset({"", "disabled", "-2"})


class Streamed(NamedTuple):
    """Products that wait for their weights, and those of the same extents that do not."""

    waiting: Sequence[LayerFacts]
    others: Sequence[LayerFacts]


def stated_budget(context: Context) -> str:
    """Return the budget of weight streaming as an option or a command states it; empty without one."""
    stated = context.run_option("Weight Streaming Budget").strip()
    found = [flag for command in context.analysis.commands for flag in _FLAG.findall(command)]
    budget = stated or (found[-1] if found else "")
    is_off = budget.lower() in _OFF or context.build_option("Weight Streaming") == "Disabled"
    return "" if is_off else budget


def streamed_products(context: Context) -> Streamed:
    """Return the products that take much longer than others that multiply the same, with streamed weights.

    They take no longer than their weights need on the bus of the host.
    """
    waiting: list[LayerFacts] = []
    others: list[LayerFacts] = []
    if not stated_budget(context):
        return Streamed((), ())
    timed = [layer for layer in context.products if layer.work and layer.avg_ms]
    for alike in group_by(timed, _extents).values():
        least = min(layer.avg_ms or 0.0 for layer in alike)
        slow = {layer.index for layer in alike if _is_slow(context, layer, least)}
        if slow:
            waiting += [layer for layer in alike if layer.index in slow]
            others += [layer for layer in alike if layer.index not in slow]
    return Streamed(tuple(waiting), tuple(others))


def bus_gbs(context: Context, layers: Sequence[LayerFacts]) -> float:
    """Return the bytes of the layers' weights per time of these layers, in GB/s."""
    time_ms = context.time_ms(layers)
    return sum(weights_bytes(context, layer) for layer in layers) / time_ms / 1e6 if time_ms else 0.0


def gain_without_streaming(found: Streamed) -> Gain:
    """Return what the waiting layers save if they take the time of those that do not wait."""
    of_others = group_by(found.others, _extents)
    times = {key: [layer.avg_ms or 0.0 for layer in alike] for key, alike in of_others.items()}
    ranges, factors = [], []
    for layer in found.waiting:
        own, time_ms = times[_extents(layer)], layer.avg_ms or 0.0
        ranges.append((layer, max(time_ms - max(own), 0.0), max(time_ms - min(own), 0.0)))
        factors += [time_ms / max(own), time_ms / min(own)]
    references = [layer.index for layer in found.others]
    return of_layers("estimate", ranges, GainBasis("same-engine", min(factors), max(factors), references))


def _is_slow(context: Context, layer: LayerFacts, least_ms: float) -> bool:
    is_slow = (layer.avg_ms or 0.0) >= _SLOW * least_ms
    return is_slow and 0 < bus_gbs(context, [layer]) <= _MAX_BUS_GBS


def _extents(layer: LayerFacts) -> Hashable:
    """Return what is equal for layers that multiply the same extents with one kernel."""
    work = layer.work
    return work and (work.m, work.n, work.k, work.groups, work.batch, tuple(work.kernel), layer.tactic)

"""TRX912 engine.weight-streaming."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import median

from trexreport.analyzer.analysis import slowest_first
from trexreport.analyzer.rules import Context, Gain, Hit, Hits, LayerFacts, built_in_rule, estimate
from trexreport.analyzer.rules.engine.streamed_weights import (
    Streamed,
    bus_gbs,
    gain_without_streaming,
    stated_budget,
    streamed_products,
)
from trexreport.analyzer.rules.engine.weight_budget import (
    bus_of,
    room_for_weights,
    shown_budget,
    streamed_bytes,
    weights_of_engine,
)
from trexreport.analyzer.rules.memory.weights import reads_weights
from trexreport.analyzer.rules.phrases import takes_time, timed
from trexreport.numbers import (
    counted,
    format_bytes,
    format_count,
    format_ms,
    format_number,
    format_percentage,
)

_AUTOMATIC = frozenset({"-1", "automatic"})
#: From this rate on, in GB/s, the copies surely take a good part of the time.
_BUS_BOUND_GBS = 8.0
#: A larger budget is worth a sentence if it leaves at most this part of the copies.
_MUCH_LESS = 0.9


@built_in_rule(
    "warning",
    needs=(),
    section="memory",
    explains={"layers": ("TRX604", "TRX914", "TRX915"), "share": ("TRX601", "TRX602", "TRX605")},
)
def weight_streaming(context: Context) -> Hits:
    """The engine streams weights from the host while it runs.

    Cost:
        Weights beyond the budget are copied from host memory in every query, over a bus that is ten to fifty
        times slower than device memory. The layers that need them wait: others of the same extents are much
        faster, or their weights come just as fast as the bus moves them.

    Recommendation:
        [if unfit: The weights do not fit into the GPU's memory: quantize them (FP8 or INT8 halves those in
        FP16, INT4 quarters them), after which all may stay there. Until then raise the budget as far as
        memory allows (`setWeightStreamingBudgetV2` in code), or use a larger batch, which shares each copy.]
        [if fit: Let all weights stay on the GPU.] [unless fit, unless unfit: If the GPU has the memory, let
        all weights stay there.] [10.0..10.0, unless unfit:
        Measure without --weightStreamingBudget.] [10.1.., unless unfit: Measure with
        --weightStreamingBudget=100%, or build without --allowWeightStreaming.] [unless fit, unless unfit:
        Otherwise raise the budget as far as memory allows (`setWeightStreamingBudgetV2` in code), quantize
        the weights (INT4, FP8), or use a larger batch, which shares each copy.]

    False alarm:
        The model does not fit into the GPU's memory otherwise. An automatic budget streams nothing where the
        weights fit; it is information.

    Est. savings:
        An estimate: the waiting layers take the time of those of the same extents that do not wait, or read
        their weights as fast as these, or come as near to their roofline as others. Where no layer shows it,
        and the copies need at least 8 GB/s during GPU compute time, up to that time but for
        reading all weights from the GPU's memory; else none: how much of the copies overlaps with computation
        is not known.
    """
    budget = stated_budget(context)
    weights = weights_of_engine(context)
    streamed = streamed_bytes(budget, weights, context.version)
    if not budget or streamed == 0:
        return
    is_automatic = budget.lower() in _AUTOMATIC
    shown = is_automatic or shown_budget(budget)
    found = context.cached(streamed_products)
    if found.waiting:
        layers = slowest_first(found.waiting)
        wait = _wait(context, layers, found)
    else:
        layers = slowest_first(layer for layer in context.layers if _has_weights(context, layer))
        wait = f" Layers with weights{timed(context, layers)} wait for theirs." if layers else ""
    how = "as far as TensorRT decides" if is_automatic else f"with a budget of {shown}"
    compute_ms = _compute_ms(context)
    # How fast the bus has to be at least.
    rate_gbs = streamed / compute_ms / 1e6 if streamed and compute_ms else 0.0
    gain = gain_without_streaming(context, found)
    if gain is None and rate_gbs >= _BUS_BOUND_GBS:
        gain = _gain(context, weights)
    yield Hit(
        f"Weights are streamed from the host, {how}{_over_bus(context, streamed, weights, rate_gbs)}.{wait}"
        f"{_larger_budget(context, streamed, weights, rate_gbs)}"
        f"{_without_streaming(context, weights, found) if gain else ''}",
        tuple(layers),
        gain,
        {"Budget": shown_budget(budget), "Known weights": format_bytes(weights) if weights else "not stated"},
        severity="info" if is_automatic else None,
    )


def _compute_ms(context: Context) -> float:
    """Return GPU compute time in ms; 0 if it is not known."""
    compute = context.analysis.latency.gpu_compute
    return compute.median_ms if compute else 0.0


def _over_bus(context: Context, streamed: float | None, weights: int, rate_gbs: float) -> str:
    """Return how many bytes come from the host in each query, where the copies decide the time."""
    if not streamed or rate_gbs < _BUS_BOUND_GBS:
        return ""
    bus = bus_of(rate_gbs)
    return (
        f": about {format_bytes(int(streamed))} of {format_bytes(weights)} cross the bus in each query, at "
        f"{format_number(rate_gbs)}\u00a0GB/s or more in {format_ms(_compute_ms(context))} of GPU compute "
        f"time{f', about what {bus} moves: the copies take most of it' if bus else ''}"
    )


def _larger_budget(context: Context, streamed: float | None, weights: int, rate_gbs: float) -> str:
    """Return that all weights fit, or, where the copies take the time, how far the budget can be raised."""
    room = room_for_weights(context)
    if not streamed or not room or (room < weights and rate_gbs < _BUS_BOUND_GBS):
        return ""
    if room >= weights:
        return f" The GPU's memory has room for all {format_bytes(weights)} of weights."
    # In steps that trtexec's users take.
    part = math.floor(room / weights * 20) / 20
    left = (1 - part) * weights
    text = (
        f" The GPU's memory has room for about {format_percentage(round(100 * part))} of the weights: then "
        f"{format_bytes(int(left))} cross the bus, in about {format_ms(left / rate_gbs / 1e6)}."
    )
    return text if left <= _MUCH_LESS * streamed else ""


def _without_streaming(context: Context, weights: int, found: Streamed) -> str:
    """Return how long a query reads weights that all stay on the GPU, as some show, or at least."""
    gpu = context.analysis.roofline.gpu
    staying = [each for each in found.others if reads_weights(context, each)]
    rate_gbs = bus_gbs(context, staying) or (gpu.bandwidth_gbs if gpu else 0.0)
    if not rate_gbs or not weights:
        return ""
    how = (
        f"about {format_ms(weights / rate_gbs / 1e6)}, as those that stay come at "
        f"{format_number(rate_gbs)}\u00a0GB/s"
        if staying
        else f"at least {format_ms(weights / rate_gbs / 1e6)}"
    )
    return f" On the GPU, reading all {format_bytes(weights)} takes {how}: fewer bits shorten that, too."


def _gain(context: Context, weights: int) -> Gain:
    """Return up to GPU compute time without that of reading all weights from device memory."""
    gpu = context.analysis.roofline.gpu
    resident_ms = weights / (gpu.bandwidth_gbs * 1e6) if gpu else 0.0
    return estimate(0.0, max(_compute_ms(context) - resident_ms, 0.0), "rule")


def _wait(context: Context, layers: Sequence[LayerFacts], found: Streamed) -> str:
    """Return how long layers wait, as others of the same extents or the rate shows."""
    rate_gbs, others = bus_gbs(context, layers), found.others
    what = (
        f" {counted(len(layers), 'matrix multiplication')} {takes_time(context, layers)} for weights that "
        f"come at {format_number(rate_gbs, 2)}\u00a0GB/s"
    )
    if not others:
        return f"{what}, about what {bus_of(rate_gbs)} moves." if bus_of(rate_gbs) else f"{what}."
    before, after = (
        format_ms(median(each.avg_ms or 0.0 for each in group)) for group in (found.compared, others)
    )
    take = "takes" if len(others) == 1 else "take"
    part = f" as {format_count(len(found.compared))} of them" if found.by_rate else ""
    return (
        f"{what}; {counted(len(others), 'other')} of the same extents and kernels{part} {take} "
        f"{after} rather than {before} (medians)."
    )


def _has_weights(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer has weights: of its own, or as a constant that a product reads."""
    constants = (use for use in layer.inputs if context.tensor(use.tensor).role == "constant")
    return bool(layer.weights_count) or (context.is_matmul(layer) and any(constants))

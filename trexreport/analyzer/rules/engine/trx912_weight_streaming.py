"""TRX912 engine.weight-streaming."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from statistics import median

from trexreport.analyzer.analysis import LayerFacts, slowest_first
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.engine.streamed_weights import (
    bus_gbs,
    gain_without_streaming,
    stated_budget,
    streamed_products,
)
from trexreport.analyzer.rules.phrases import takes_time, timed
from trexreport.analyzer.rules.rule import Hit, built_in_rule
from trexreport.numbers import counted, format_bytes, format_ms, format_number
from trexreport.regex import regex

_PERCENT = regex(r"([0-9.]+)%", re.ASCII)
_SIZE = regex(r"([0-9.]+) ?([BKMG])?(?:ytes)?", re.ASCII | re.IGNORECASE)
_UNITS = {"": 0, "B": 0, "K": 10, "M": 20, "G": 30}
_AUTOMATIC = frozenset({"-1", "automatic"})
#: From this version on a percentage is that of the weights that stay on the GPU. Source: trtexec --help.
_SINCE_RESIDENT = (10, 1)


@built_in_rule(
    "warning",
    needs=(),
    section="memory",
    explains={"layers": ("TRX604", "TRX914", "TRX915"), "share": ("TRX601", "TRX602", "TRX605")},
)
def weight_streaming(context: Context) -> Iterator[Hit]:
    """The engine streams weights from the host while it runs.

    Cost:
        Weights beyond the budget are copied from host memory in every query, over a bus that is ten to fifty
        times slower than device memory. The layers that need them wait.

    Recommendation:
        If the GPU has the memory, let all weights stay there. [10.0..10.0: Measure without
        --weightStreamingBudget.] [10.1..: Measure with --weightStreamingBudget=100%, or build without
        --allowWeightStreaming.] Otherwise raise the budget as far as memory allows
        (`setWeightStreamingBudgetV2` in code), quantize the weights (INT4, FP8), or use a larger batch,
        which shares each copy.

    False alarm:
        The model does not fit into the GPU's memory otherwise. An automatic budget streams nothing where the
        weights fit; it is information.

    Est. savings:
        An estimate: the waiting layers take the time of those of the same extents that do not wait. None
        where no layer shows it: how much of the copies overlaps with computation is not known.
    """
    budget = stated_budget(context)
    memory = context.analysis.memory
    weights = 0 if memory.weights_unknown or memory.layers_without_weights else memory.weights_bytes
    if not budget or _keeps_all(budget, weights, context.version):
        return
    is_automatic = budget.lower() in _AUTOMATIC
    shown = is_automatic or _shown(budget)
    found = context.cached(streamed_products)
    if found.waiting:
        layers = slowest_first(found.waiting)
        wait = _wait(context, layers, found.others)
    else:
        layers = slowest_first(layer for layer in context.layers if _has_weights(context, layer))
        wait = f" Layers with weights{timed(context, layers)} wait for theirs." if layers else ""
    how = "as far as TensorRT decides" if is_automatic else f"with a budget of {shown}"
    yield Hit(
        f"Weights are streamed from the host, {how}.{wait}",
        tuple(layers),
        gain_without_streaming(found) if found.waiting else None,
        {"Budget": _shown(budget), "Known weights": format_bytes(weights) if weights else "not stated"},
        severity="info" if is_automatic else None,
    )


def _wait(context: Context, layers: Sequence[LayerFacts], others: Sequence[LayerFacts]) -> str:
    """Return how long layers wait, as others of the same extents show."""
    rate = format_number(bus_gbs(context, layers), 2)
    before, after = (format_ms(median(each.avg_ms or 0.0 for each in group)) for group in (layers, others))
    take = "takes" if len(others) == 1 else "take"
    return (
        f" {counted(len(layers), 'matrix multiplication')} {takes_time(context, layers)} for weights that "
        f"come at {rate}\u00a0GB/s; {counted(len(others), 'other')} of the same extents and kernels {take} "
        f"{after} rather than {before} (medians)."
    )


def _shown(budget: str) -> str:
    """Return a budget without the digits that trtexec adds to a percentage."""
    share = _PERCENT.fullmatch(budget)
    return f"{float(share[1]):g}%" if share and share[1].count(".") <= 1 else budget


def _has_weights(context: Context, layer: LayerFacts) -> bool:
    """Return whether a layer has weights: of its own, or as a constant that a product reads."""
    constants = (use for use in layer.inputs if context.tensor(use.tensor).role == "constant")
    return bool(layer.weights_count) or (context.is_matmul(layer) and any(constants))


def _keeps_all(budget: str, weights_bytes: int, version: tuple[int, int] | None) -> bool:
    """Return whether all weights stay on the GPU with a budget, as far as that is known."""
    if share := _PERCENT.fullmatch(budget):
        resident = float(share[1])
        if version is not None and version < _SINCE_RESIDENT:
            resident = 100 - resident
        return resident >= 100
    if size := _SIZE.fullmatch(budget):
        amount = float(size[1]) * 2 ** _UNITS[(size[2] or "").upper()]
        # In 10.0 a budget of 0 switches streaming off.
        is_off = amount == 0 and version is not None and version < _SINCE_RESIDENT
        return is_off or amount >= weights_bytes > 0
    return False

"""TRX602 memory.weights-bound."""

from __future__ import annotations

import math
from collections.abc import Iterator

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context
from trexreport.analyzer.rules.phrases import for_time
from trexreport.analyzer.rules.rule import Hit, Threshold, rule
from trexreport.model.data_format import BITS
from trexreport.numbers import counted, format_bytes

#: The fewest bits that TensorRT can store a weight in (INT4 from 10.0 on, FP4 from 10.8 on).
_LEAST_BITS = 4


@rule(
    "TRX602",
    "memory.weights-bound",
    "info",
    many="Reading weights takes long in {count} ways.",
    needs=("layers", "profile"),
    thresholds=(
        Threshold("share_percent", 10.0, 0, 100, "Time of these layers together, in percent of the sum."),
        Threshold("rows", 16, 1, 4096, "Most rows (M, mostly batch times tokens) of such a product."),
    ),
)
def weights_bound(context: Context, *, share_percent: float, rows: float) -> Iterator[Hit]:
    """Products with few rows spend their time on reading weights.

    Cost:
        With few rows each weight is read for a handful of operations, so the bytes of the weights set the
        time, as in decoding single tokens and in classifiers at batch 1.

    Advice:
        Store weights in fewer bits: INT4 weights with Q/DQ in blocks (from TensorRT 10.0 on), FP8, or FP4
        on Blackwell (from 10.8 on), with TensorRT Model Optimizer. Or use each weight more often: larger
        batches, several tokens at once (speculative decoding).

    False alarm:
        Products so small that launching them takes longer than reading their weights.

    Bound:
        The time of these layers times the part of their bytes that weights are, less what weights of 4 bits
        would leave of it.
    """
    found = [layer for layer in context.layers if layer.work and layer.work.m <= rows and layer.avg_ms]
    shares = {layer.index: _share_of_weights(context, layer) for layer in found}
    bound = [layer for layer in found if shares[layer.index] > 0.5]
    if not bound or context.share_percent(context.time_ms(bound)) < share_percent:
        return
    bound.sort(key=lambda layer: (-(layer.avg_ms or 0.0), layer.index))
    gain_ms = math.fsum(
        (layer.avg_ms or 0.0) * shares[layer.index] * (1 - _LEAST_BITS / max(_LEAST_BITS, _bits(layer)))
        for layer in bound
    )
    weights = sum(_weights_bytes(context, layer) for layer in bound)
    most = max(layer.work.m for layer in bound if layer.work)
    yield Hit(
        f"{counted(len(bound), 'product')} of at most {counted(most, 'row')} read {format_bytes(weights)} of "
        f"weights{for_time(context, bound)}.",
        tuple(bound),
        gain_ms,
        {"Types": ", ".join(sorted({layer.precision for layer in bound}))},
    )


def _weights_bytes(context: Context, layer: LayerFacts) -> int:
    """Return what a layer moves besides results of other layers and its own; 0 if it is not known."""
    inputs = (use for use in layer.inputs if context.facts(use.tensor).role != "constant")
    flowing = sum(use.size_bytes or 0 for use in (*inputs, *layer.outputs))
    return max(0, _traffic_bytes(layer) - flowing)


def _traffic_bytes(layer: LayerFacts) -> int:
    """Return what a layer moves, with the weights that its kernel is taken to hold; 0 if it is not known."""
    if not layer.moved_bytes:
        return 0
    return layer.moved_bytes + (layer.work.hidden_weights_bytes if layer.work else 0)


def _share_of_weights(context: Context, layer: LayerFacts) -> float:
    """Return the part of a layer's traffic that weights are; 0 if it is not known."""
    traffic = _traffic_bytes(layer)
    return _weights_bytes(context, layer) / traffic if traffic else 0.0


def _bits(layer: LayerFacts) -> int:
    return BITS.get(layer.precision, _LEAST_BITS)

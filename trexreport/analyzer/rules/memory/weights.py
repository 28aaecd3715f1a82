"""Multiplications with few rows, whose time is that of reading their weights."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping

from trexreport.analyzer.analysis.gains import GainBasis
from trexreport.analyzer.rules import Context, Gain, LayerFacts
from trexreport.analyzer.rules.gains import of_layers
from trexreport.analyzer.rules.launches import is_mostly_launch
from trexreport.model.data_format import BITS

#: Minimum number of bits in which TensorRT stores a weight (INT4 from 10.0 on, FP4 from 10.8 on).
MIN_BITS = 4
#: Weights of at most this many bits are narrow already.
NARROW_BITS = 8
#: Of decoding with 4-bit instead of 16-bit weights, the least of the published ones.
_SPEEDUP = 2.1
_SOURCE = "AWQ on an RTX A6000, FastChat's docs/awq.md"
#: Maximum number of rows (M, mostly batch times tokens) of such a multiplication.
MAX_ROWS = 16.0
#: Where the roofline shows that memory bounds one of 16-bit weights, it may have this many times as many.
_BOUND_ROWS = 4
#: Share of layer time from which on one of them is worth a word, such as the scores of a large vocabulary.
MUCH_ALONE_PERCENT = 10.0
#: Minimum share of weights in the bytes of what mostly reads them.
MOSTLY = 0.5
#: More than this part of what the memory can move, in percent, is not read from it.
_MAX_REACHED = 130.0
#: Bytes per ms: 10 GB/s, less than half of what the slowest memory moves. At fewer something else limits it.
_MIN_RATE = 1e7
#: Any GPU reads fewer bytes while a kernel is launched.
_MIN_BYTES = 1 << 18


def reads_weights(context: Context, layer: LayerFacts, max_rows: float = MAX_ROWS) -> bool:
    """Return whether a multiplication has few rows and mostly reads weights; not if latency bounds it."""
    bound = layer.roof.bound if layer.roof else None
    if layer.work is None or bound == "latency":
        return False
    if layer.work.m > max_rows and (
        bound != "memory"
        or context.is_convolution(layer)
        or layer.work.m > _BOUND_ROWS * max_rows
        or weight_bits(context, layer) <= NARROW_BITS
    ):
        return False
    if layer.roof is None and layer.avg_ms and _may_be_short(context, layer):
        return False
    return share_of_weights(context, layer) > MOSTLY


def _may_be_short(context: Context, layer: LayerFacts) -> bool:
    """Return whether a launch, or something else than bytes, limits a layer whose roofline is not known."""
    traffic = traffic_bytes(layer)
    if traffic < _MIN_RATE * (layer.avg_ms or 0.0):
        return True
    return traffic < _MIN_BYTES and is_mostly_launch(context, layer)


def weights_bytes(context: Context, layer: LayerFacts, bits: int | None = None) -> int:
    """Return the bytes that a layer moves except the results of layers; 0 if not known.

    Args:
        context: The engine.
        layer: A multiplication.
        bits: Of a weight that the kernel holds, where it is not of the layer's type.
    """
    inputs = (use for use in layer.inputs if context.tensor(use.tensor).role != "constant")
    flowing = sum(use.size_bytes or 0 for use in (*inputs, *layer.outputs))
    hidden = layer.work.hidden_weights_bytes if layer.work else 0
    wider = hidden - hidden * bits // BITS.get(layer.precision, bits) if bits else 0
    return max(0, traffic_bytes(layer) - flowing - wider)


def traffic_bytes(layer: LayerFacts) -> int:
    """Return the bytes that a layer moves, with the weights inside its kernel; 0 if not known."""
    if not layer.moved_bytes:
        return 0
    return layer.moved_bytes + (layer.work.hidden_weights_bytes if layer.work else 0)


def share_of_weights(context: Context, layer: LayerFacts) -> float:
    """Return the share of weights in a layer's traffic, 0 to 1; 0 if not known."""
    traffic = traffic_bytes(layer)
    return weights_bytes(context, layer) / traffic if traffic else 0.0


def weight_bits(context: Context, layer: LayerFacts) -> int:
    """Return the bits of a weight: of the largest constant that the layer reads, else of its type.

    Few kernels of weights alone (INT4 beside FP16) state those: no memory is faster than the GPU's.
    """
    known = context.cached(_known_bits)
    if layer.index not in known:
        known[layer.index] = _weight_bits(context, layer)
    return known[layer.index]


def _known_bits(_: Context) -> dict[int, int]:
    """Return where the bits of layers' weights are kept: several rules ask for those of each product."""
    return {}


def _weight_bits(context: Context, layer: LayerFacts) -> int:
    if "INT4" in context.kernel(layer).data_types:
        return MIN_BITS
    constants = [each for use in layer.inputs if (each := context.tensor(use.tensor)).role == "constant"]
    known = [each for each in constants if each.data_type in BITS and each.size_bytes]
    if not known and (listed := _listed_bits(context, layer)):
        return listed
    largest = max(known, key=lambda each: each.size_bytes or 0, default=None)
    bits = BITS.get(largest.data_type if largest else layer.precision, MIN_BITS)
    reached = (layer.roof.reached_percent or 0.0) if layer.roof else 0.0
    while not largest and bits > MIN_BITS and reached > _MAX_REACHED:
        bits, reached = bits // 2, reached / 2
    return bits


def with_fewer_bits(layers: Iterable[tuple[LayerFacts, int]], shares: Mapping[int, float]) -> Gain:
    """Return what fewer bits of weights save, each layer given with those that it has.

    Args:
        layers: Multiplications that mostly read weights.
        shares: Index of a layer to the share of the weights in its bytes.
    """
    ranges = []
    for layer, bits in layers:
        # TensorRT convolves windows of several pixels in 8 bits at best.
        ratio = bits / (NARROW_BITS if layer.work and math.prod(layer.work.kernel) > 1 else MIN_BITS)
        part_ms = (layer.avg_ms or 0.0) * shares[layer.index]
        # Half of the bits is the least that the advice asks for: FP8 for 16 bits.
        least = 1 + (min(ratio, 2.0) - 1) * (_SPEEDUP - 1) / (16 / MIN_BITS - 1)
        ranges.append((layer, part_ms * (1 - 1 / least), part_ms * (1 - 1 / max(ratio, 1.0))))
    return of_layers("estimate", ranges, "less-traffic", GainBasis("published", source=_SOURCE))


def _listed_bits(context: Context, layer: LayerFacts) -> int | None:
    """Return the bits of a weight by the bytes of the constants that a file lists beside the inputs.

    Scales of blocks and a bias add less than a type has more than the next.
    """
    work = layer.work
    if work is None or work.hidden_weights_bytes or layer.weights_bytes:
        return None
    count = work.batch * work.n * work.k
    bits = 8 * weights_bytes(context, layer) / count if count else 0
    return max((each for each in set(BITS.values()) if MIN_BITS <= each <= bits), default=None)

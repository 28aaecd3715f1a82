"""Multiplications with few rows, whose time is that of reading their weights."""

from __future__ import annotations

from trexreport.analyzer.analysis import LayerFacts
from trexreport.analyzer.rules.context import Context

#: Maximum number of rows (M, mostly batch times tokens) of such a multiplication.
MAX_ROWS = 16.0
#: Minimum share of weights in its bytes.
_MOSTLY = 0.5
#: Bytes per ms: 10 GB/s, less than half of what the slowest memory moves. At fewer something else limits it.
_MIN_RATE = 1e7


def reads_weights(context: Context, layer: LayerFacts, max_rows: float = MAX_ROWS) -> bool:
    """Return whether a multiplication has few rows and mostly reads weights; not if latency bounds it."""
    if layer.work is None or layer.work.m > max_rows or (layer.roof and layer.roof.bound == "latency"):
        return False
    if layer.roof is None and layer.avg_ms and traffic_bytes(layer) < _MIN_RATE * layer.avg_ms:
        return False
    return share_of_weights(context, layer) > _MOSTLY


def weights_bytes(context: Context, layer: LayerFacts) -> int:
    """Return the bytes that a layer moves except the results of layers; 0 if not known."""
    inputs = (use for use in layer.inputs if context.tensor(use.tensor).role != "constant")
    flowing = sum(use.size_bytes or 0 for use in (*inputs, *layer.outputs))
    return max(0, traffic_bytes(layer) - flowing)


def traffic_bytes(layer: LayerFacts) -> int:
    """Return the bytes that a layer moves, with the weights inside its kernel; 0 if not known."""
    if not layer.moved_bytes:
        return 0
    return layer.moved_bytes + (layer.work.hidden_weights_bytes if layer.work else 0)


def share_of_weights(context: Context, layer: LayerFacts) -> float:
    """Return the share of weights in a layer's traffic, 0 to 1; 0 if not known."""
    traffic = traffic_bytes(layer)
    return weights_bytes(context, layer) / traffic if traffic else 0.0

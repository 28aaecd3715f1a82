"""Word sums of which some parts are unknown, so that a part never reads as the whole."""

from __future__ import annotations

from trexreport.analyzer.analysis import Memory
from trexreport.numbers import counted, format_bytes


def describe_bytes(size_bytes: int, unknown: int, what: str = "tensor") -> str:
    """Return a size with how far it can be trusted: "at least 37.5 MiB (12 tensors of unknown size)"."""
    if not unknown:
        return format_bytes(size_bytes)
    if not size_bytes:
        return "unknown"
    return f"at least {format_bytes(size_bytes)} ({counted(unknown, what)} of unknown size)"


def memory_amounts(memory: Memory) -> dict[str, str]:
    """Return what the report says of each figure of memory."""
    return {
        "weights": _weights(memory),
        "peak": describe_bytes(memory.peak_live_bytes, memory.activations_unknown),
        "activations": describe_bytes(memory.activations_bytes, memory.activations_unknown),
        "bindings": describe_bytes(memory.bindings_bytes, memory.bindings_unknown)
        if memory.bindings
        else "unknown",
    }


def _weights(memory: Memory) -> str:
    hides_all = not memory.weights_bytes and memory.layers_without_weights
    if hides_all:
        return "unknown"
    stated = describe_bytes(memory.weights_bytes, memory.weights_unknown, "part")
    return f"{stated} stated" if memory.layers_without_weights else stated

"""Pair what one stream signals with what waits for it on another."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trexreport.analyzer.analysis import LayerFacts


def synchronisations(layers: Sequence[LayerFacts], drawn: Collection[int]) -> list[tuple[int, int]]:
    """Return pairs of drawn layers: the later one, on another stream, waits for the earlier one.

    A signal stands after the last layer that its stream ran before it, a wait before the next one of its own
    stream. TensorRT gives both the same `EventId`; without one they can't be paired and are left out.
    """
    waits = [layer.index for layer in layers if layer.type == "wait"]
    following = _next_on_stream(layers, drawn) if waits else {}
    last_on_stream: dict[int | None, int] = {}
    signalled: dict[object, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for layer in layers:
        event = layer.attributes.get("EventId")
        if layer.index in drawn:
            last_on_stream[layer.stream] = layer.index
        elif not isinstance(event, (int, str)):
            continue
        elif layer.type == "signal":
            signalled.pop(event, None)
            if layer.stream in last_on_stream:
                signalled[event] = last_on_stream[layer.stream]
        elif layer.type == "wait" and event in signalled and layer.index in following:
            pairs[signalled[event], following[layer.index]] = None
    return list(pairs)


def _next_on_stream(layers: Sequence[LayerFacts], drawn: Collection[int]) -> dict[int, int]:
    """Return for each wait the first drawn layer that its stream runs after it."""
    upcoming: dict[int | None, int] = {}
    found: dict[int, int] = {}
    for layer in reversed(layers):
        if layer.index in drawn:
            upcoming[layer.stream] = layer.index
        elif layer.type == "wait" and layer.stream in upcoming:
            found[layer.index] = upcoming[layer.stream]
    return found

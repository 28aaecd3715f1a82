"""Pair what one stream signals with what waits for it on another."""

from __future__ import annotations

from collections.abc import Collection, Sequence

from trexreport.analyzer.analysis import Analysis, LayerFacts
from trexreport.renderer.graph.picture import Picture

#: What the tooltip of an arrow with a signal says.
SIGNALED = "The consumer's stream waits for a signal of the producer's stream."


def synchronizations(layers: Sequence[LayerFacts], drawn: Collection[int]) -> list[tuple[int, int]]:
    """Return pairs of drawn layers: the later one, on another stream, waits for the earlier one.

    A signal is after the last layer that its stream ran before it, a wait before the next one of its own
    stream; where they are drawn themselves, they are the pair. TensorRT gives both the same `EventId`;
    without one they can't be paired and are left out.
    """
    waits = [layer.index for layer in layers if layer.type == "wait"]
    if not waits:
        return []
    following = _next_on_stream(layers, drawn)
    last_on_stream: dict[int | None, int] = {}
    signaled: dict[object, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for layer in layers:
        event = layer.attributes.get("EventId")
        if layer.index in drawn:
            last_on_stream[layer.stream] = layer.index
        if not isinstance(event, (int, str)):
            continue
        if layer.type == "signal":
            signaled.pop(event, None)
            if layer.stream in last_on_stream:
                signaled[event] = last_on_stream[layer.stream]
        elif layer.type == "wait" and event in signaled and layer.index in following:
            pairs[signaled[event], following[layer.index]] = None
    return list(pairs)


def waiting_boxes(analysis: Analysis, picture: Picture) -> list[tuple[str, str]]:
    """Return the boxes of which the second waits for the first, unless a tensor joins them anyway."""
    joined = {(arrow.source, arrow.target) for arrow in picture.arrows}
    return [pair for pair in synchronized_boxes(analysis, picture) if pair not in joined]


def synchronized_boxes(analysis: Analysis, picture: Picture) -> list[tuple[str, str]]:
    """Return the boxes of which the second waits for a signal of the first."""
    pairs = (
        (picture.keys[before], picture.keys[after])
        for before, after in synchronizations(analysis.layers, picture.keys)
    )
    return list(dict.fromkeys(pair for pair in pairs if pair[0] != pair[1]))


def unpaired_waits(layers: Sequence[LayerFacts]) -> int:
    """Count the waits of which no earlier signal has the event."""
    signaled: set[object] = set()
    unpaired = 0
    for layer in layers:
        event = layer.attributes.get("EventId")
        known = event if isinstance(event, (int, str)) else None
        if layer.type == "signal":
            signaled.add(known)
        elif layer.type == "wait":
            unpaired += known is None or known not in signaled
    return unpaired


def _next_on_stream(layers: Sequence[LayerFacts], drawn: Collection[int]) -> dict[int, int]:
    """Return for each wait the first drawn layer that its stream runs after it."""
    upcoming: dict[int | None, int] = {}
    found: dict[int, int] = {}
    for layer in reversed(layers):
        if layer.index in drawn:
            upcoming[layer.stream] = layer.index
        if layer.type == "wait" and layer.stream in upcoming:
            found[layer.index] = upcoming[layer.stream]
    return found

"""Pair what one stream signals with what waits for it on another."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
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
    events = [layer for layer in layers if layer.type in ("signal", "wait")]
    if not events:
        return []
    on_stream: dict[int | None, list[int]] = {}
    for layer in layers:
        if layer.index in drawn:
            on_stream.setdefault(layer.stream, []).append(layer.index)
    signaled: dict[object, int] = {}
    pairs: dict[tuple[int, int], None] = {}
    for layer in events:
        event = layer.attributes.get("EventId")
        if not isinstance(event, (int, str)):
            continue
        beside = on_stream.get(layer.stream, [])
        if layer.type == "signal":
            signaled.pop(event, None)
            if before := bisect_right(beside, layer.index):
                signaled[event] = beside[before - 1]
        elif event in signaled and (after := bisect_left(beside, layer.index)) < len(beside):
            pairs[signaled[event], beside[after]] = None
    return list(pairs)


def waiting_boxes(synchronized: Sequence[tuple[str, str]], picture: Picture) -> list[tuple[str, str]]:
    """Return those of the synchronized boxes that no tensor joins anyway."""
    if not synchronized:
        return []
    joined = {(arrow.source, arrow.target) for arrow in picture.arrows}
    return [pair for pair in synchronized if pair not in joined]


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
        if layer.type not in ("signal", "wait"):
            continue
        event = layer.attributes.get("EventId")
        known = event if isinstance(event, (int, str)) else None
        if layer.type == "signal":
            signaled.add(known)
        else:
            unpaired += known is None or known not in signaled
    return unpaired

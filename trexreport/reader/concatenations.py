"""Read what writes a part of a concatenation as that part, where layers state the whole tensor as output."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

from trexreport.reader.graph_file import LayerGraph, RawLayer
from trexreport.reader.layer_types import layer_type
from trexreport.reader.values import known_extents, records, text

#: Layers that write channels of their own number into what others write, too.
_CONVOLUTIONS = frozenset({"Convolution", "Deconvolution"})
#: Layers that write as many channels as they read.
_KEEP_CHANNELS = frozenset({"Pooling", "Resize"})
_CHANNELS = 1


class _Write(NamedTuple):
    """A tensor that a layer writes, by the layer's position and the tensor's place among its outputs."""

    layer: int
    place: int
    extents: tuple[int, ...]


def with_parts(graph: LayerGraph) -> LayerGraph:
    """Return the graph in which each layer states what it writes of a concatenation.

    Several layers write one tensor before any reads it, all state the extents of the whole, and what they
    copy or compute fills it along one axis.
    """
    layers = list(graph.layers)
    for writes in _written_together(layers):
        for write, part in _parts(layers, writes) if len(writes) > 1 else ():
            layers[write.layer] = _with_extents(layers[write.layer], write.place, part)
    return graph if layers == list(graph.layers) else replace(graph, layers=tuple(layers))


def _written_together(layers: Sequence[RawLayer]) -> Iterator[list[_Write]]:
    """Yield the writes of each tensor before one reads it, of those that are written several times."""
    written = [[text(item.get("Name")) for item in records(raw.record.get("Outputs"))] for raw in layers]
    # Most tensors are written once.
    repeated = {name for name, count in Counter(chain.from_iterable(written)).items() if name and count > 1}
    if not repeated:
        return
    open_writes: dict[str, list[_Write]] = {}
    for at, raw in enumerate(layers):
        for item in records(raw.record.get("Inputs")) if open_writes else ():
            if (name := text(item.get("Name"))) in open_writes:
                yield open_writes.pop(name)
        if repeated.isdisjoint(written[at]):
            continue
        items = raw.record.get("Outputs")
        for place, item in enumerate(items if isinstance(items, list) else ()):
            name = text(item.get("Name")) if isinstance(item, dict) else ""
            extents = item.get("Dimensions") if name in repeated else None
            known = known_extents(extents) if isinstance(extents, list) else None
            if known:
                open_writes.setdefault(name, []).append(_Write(at, place, known))
    yield from open_writes.values()


def _parts(layers: Sequence[RawLayer], writes: Sequence[_Write]) -> list[tuple[_Write, tuple[int, ...]]]:
    """Return the extents of the parts that fill a tensor which each of its writers states as a whole."""
    whole = writes[0].extents
    if any(each.extents != whole for each in writes):
        return []
    own = [_own_extents(layers[each.layer], whole) for each in writes]
    axes = {axis for each in own if each for axis, extent in enumerate(whole) if extent != each[axis]}
    if len(axes) != 1:
        return []
    axis = axes.pop()
    rest = whole[axis] - sum([each[axis] for each in own if each])
    unknown = own.count(None)
    if rest < unknown or (rest and not unknown):
        return []
    # One writer whose part is not stated writes what the others leave; how several divide it is not known.
    left = (*whole[:axis], rest, *whole[axis + 1 :]) if unknown == 1 else whole
    return [(write, part or left) for write, part in zip(writes, own, strict=True)]


def _own_extents(raw: RawLayer, whole: tuple[int, ...]) -> tuple[int, ...] | None:
    """Return the extents of what a layer copies or computes; None if nothing states them."""
    kind = layer_type(raw.record)
    if kind in _CONVOLUTIONS and len(whole) > _CHANNELS:
        maps = raw.record.get("OutMaps")
        if type(maps) is int and 0 < maps <= whole[_CHANNELS]:
            return (*whole[:_CHANNELS], maps, *whole[_CHANNELS + 1 :])
    item = next(iter(records(raw.record.get("Inputs"))), {})
    extents: Any = item.get("Dimensions")
    known = known_extents(extents) if isinstance(extents, list) else None
    if not known or len(known) != len(whole):
        return None
    if kind in _KEEP_CHANNELS and len(whole) > _CHANNELS + 1:
        return (*whole[:_CHANNELS], known[_CHANNELS], *whole[_CHANNELS + 1 :])
    return known if kind == "Reformat" else None


def _with_extents(raw: RawLayer, place: int, extents: Sequence[int]) -> RawLayer:
    outputs = list(raw.record["Outputs"])
    outputs[place] = {**outputs[place], "Dimensions": list(extents)}
    return RawLayer(raw.name, {**raw.record, "Outputs": outputs})

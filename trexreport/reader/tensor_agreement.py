"""Hold what layers state of one tensor against each other: its type, and how much of it is read."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trexreport.model.data_format import UNKNOWN
from trexreport.numbers import TIMES, middle_ellipsis
from trexreport.reader.graph_file import RawLayer, read_format
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.values import known_extents


class Use(NamedTuple):
    """A tensor on a side of a layer, by the layer's position: the first, where no place is given."""

    layer: int
    side: str
    extents: list[int]
    place: int = 0


class StatedTensor(NamedTuple):
    """What a layer states of a tensor, by the layer's position and the tensor's place on its side."""

    layer: int
    place: int
    name: str
    extents: list[int]
    record: dict[str, Any]


class StatedTensors(NamedTuple):
    """What layers state of their tensors that have a name and a list of extents.

    Attributes:
        written: Those that layers write, by name; None for a name that is written again, which is that of
            several tensors, or of a buffer with parts.
        read: Those that layers read, but for the uses that equal the only write, as nearly all do.
    """

    layers: Sequence[RawLayer]
    written: dict[str, StatedTensor | None]
    read: list[StatedTensor]


def stated_tensors(layers: Sequence[RawLayer]) -> StatedTensors:
    """Return what layers state of their tensors."""
    written: dict[str, StatedTensor | None] = {}
    for at, place, name, item in _on_side(layers, "Outputs"):
        written[name] = None if name in written else StatedTensor(at, place, name, item["Dimensions"], item)
    read = []
    for at, place, name, item in _on_side(layers, "Inputs"):
        source = written.get(name)
        if source is not None and source.record == item:
            # As of most, whose location is the same, too.
            continue
        extents = item["Dimensions"]
        if source is None or source.extents != extents or not _have_one_format(source.record, item):
            read.append(StatedTensor(at, place, name, extents, item))
    return StatedTensors(layers, written, read)


def _on_side(layers: Sequence[RawLayer], side: str) -> Iterator[tuple[int, int, str, dict[str, Any]]]:
    """Yield layer, place, name and record of each tensor on a side of the layers."""
    for at, raw in enumerate(layers):
        items = raw.record.get(side)
        if not items or not isinstance(items, list):
            continue
        for place, item in enumerate(items):
            if isinstance(item, dict) and isinstance(item.get("Dimensions"), list):
                name = item.get("Name")
                if name and isinstance(name, str):
                    yield at, place, name, item


def read_beyond(stated: StatedTensors, found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors of which a layer reads more elements than the only layer that writes it.

    Layers may read a part, and see it in another shape.
    """
    for each in stated.read:
        source = stated.written.get(each.name)
        if source is None or source.extents == each.extents or source.layer >= each.layer:
            continue
        if _elements(each) > _elements(source) > 0:
            of_writer = quoted(stated.layers[source.layer].name)
            why = f"is more than the {times(source.extents)} that {of_writer} writes"
            found.refuse(_place(stated.layers, each), times(each.extents), why)
            yield _use(source, "Outputs")
            yield _use(each, "Inputs")


def differing_types(stated: StatedTensors, found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors that layers state in different types: what converts one writes another."""
    first: dict[str, StatedTensor] = {}
    odd: dict[str, list[Use]] = {}
    for each in stated.read:
        source = stated.written.get(each.name, each)
        if source is None:
            continue
        # What no layer writes is compared with its first read.
        known = first.setdefault(each.name, source)
        if known is each or _have_one_format(known.record, each.record):
            continue
        types = [read_format(one.record).data_type for one in (known, each)]
        if UNKNOWN not in types and types[0] != types[1]:
            why = f"is {types[0]} in {quoted(stated.layers[known.layer].name)}"
            found.refuse(_place(stated.layers, each), types[1], why)
            side = "Outputs" if each.name in stated.written else "Inputs"
            odd.setdefault(each.name, [_use(known, side)]).append(_use(each, "Inputs"))
    yield from (use for uses in odd.values() for use in uses)


def times(extents: Sequence[int]) -> str:
    """Return extents as messages show them."""
    return TIMES.join(map(str, extents))


def _use(tensor: StatedTensor, side: str) -> Use:
    return Use(tensor.layer, side, tensor.extents, tensor.place)


def _elements(tensor: StatedTensor) -> int:
    """Return how many elements a tensor has; 0 where an extent is not known."""
    known = known_extents(tensor.extents)
    return math.prod(known) if known and min(known) > 0 else 0


def _have_one_format(one: Mapping[str, Any], other: Mapping[str, Any]) -> bool:
    return (
        one.get("Format/Datatype") == other.get("Format/Datatype")
        and one.get("Format") == other.get("Format")
        and one.get("Datatype") == other.get("Datatype")
        and one.get("DataType") == other.get("DataType")
    )


def _place(layers: Sequence[RawLayer], tensor: StatedTensor) -> str:
    return f"{quoted(layers[tensor.layer].name)}.Inputs.{middle_ellipsis(tensor.name, 60)}"

"""Hold what layers state of one tensor against each other: its type, and how much of it is read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from trexreport.model.data_format import UNKNOWN
from trexreport.numbers import TIMES
from trexreport.reader.graph_file import RawLayer, read_format
from trexreport.reader.impossible import ImpossibleValues
from trexreport.reader.values import known_extents, text

_LONGEST_NAME = 60


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
    """What layers state of their tensors that have a name and a list of extents."""

    layers: Sequence[RawLayer]
    outputs: list[StatedTensor]
    inputs: list[StatedTensor]


def stated_tensors(layers: Sequence[RawLayer]) -> StatedTensors:
    """Return what layers state of their tensors."""
    return StatedTensors(layers, *(list(_on_side(layers, side)) for side in ("Outputs", "Inputs")))


def _on_side(layers: Sequence[RawLayer], side: str) -> Iterator[StatedTensor]:
    for at, raw in enumerate(layers):
        items = raw.record.get(side)
        for place, item in enumerate(items if isinstance(items, list) else ()):
            extents = item.get("Dimensions") if isinstance(item, dict) else None
            if isinstance(extents, list) and (name := text(item.get("Name"))):
                yield StatedTensor(at, place, name, extents, item)


def read_beyond(stated: StatedTensors, found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors of which a layer reads more elements than the only layer that writes it.

    Layers may read a part, and see it in another shape.
    """
    written: dict[str, StatedTensor | None] = {}
    for each in stated.outputs:
        # A name that is written again is that of several tensors, or of a buffer with parts.
        written[each.name] = None if each.name in written else each
    for each in stated.inputs:
        source = written.get(each.name)
        if source is None or source.extents == each.extents or source.layer >= each.layer:
            continue
        if _elements(each) > _elements(source) > 0:
            of_writer = stated.layers[source.layer].name[:_LONGEST_NAME]
            why = f"is more than the {times(source.extents)} that '{of_writer}' writes"
            found.refuse(_place(stated.layers, each, "Inputs"), times(each.extents), why)
            yield _use(source, "Outputs")
            yield _use(each, "Inputs")


def differing_types(stated: StatedTensors, found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors that layers state in different types: what converts one writes another."""
    writes = Counter([each.name for each in stated.outputs])
    first: dict[str, tuple[StatedTensor, str]] = {}
    odd: dict[str, list[Use]] = {}
    for side, tensors in (("Outputs", stated.outputs), ("Inputs", stated.inputs)):
        for each in tensors:
            if writes[each.name] > 1:
                continue
            known, of_known = first.setdefault(each.name, (each, side))
            if known is each or _have_one_format(known.record, each.record):
                continue
            types = [read_format(one.record).data_type for one in (known, each)]
            if UNKNOWN not in types and types[0] != types[1]:
                why = f"is {types[0]} in '{stated.layers[known.layer].name[:_LONGEST_NAME]}'"
                found.refuse(_place(stated.layers, each, side), types[1], why)
                odd.setdefault(each.name, [_use(known, of_known)]).append(_use(each, side))
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


def _place(layers: Sequence[RawLayer], tensor: StatedTensor, side: str) -> str:
    return f"'{layers[tensor.layer].name[:_LONGEST_NAME]}'.{side}.{tensor.name[:_LONGEST_NAME]}"

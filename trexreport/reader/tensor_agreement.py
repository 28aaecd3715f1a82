"""Hold what layers state of one tensor against each other: its type, and how much of it is read."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator, Sequence
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


def read_beyond(layers: Sequence[RawLayer], found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors of which a layer reads more elements than the only layer that writes it.

    Layers may read a part, and see it in another shape.
    """
    written: dict[str, Use | None] = {}
    for use, item in _uses(layers, "Outputs"):
        name = text(item.get("Name"))
        # A name that is written again is that of several tensors, or of a buffer with parts.
        written[name] = None if name in written else use
    for use, item in _uses(layers, "Inputs"):
        name = text(item.get("Name"))
        source = written.get(name)
        if source is None or source.extents == use.extents or source.layer >= use.layer:
            continue
        if _elements(use) > _elements(source) > 0:
            of_writer = layers[source.layer].name[:_LONGEST_NAME]
            why = f"is more than the {times(source.extents)} that '{of_writer}' writes"
            found.refuse(_place(layers, use, name), times(use.extents), why)
            yield from (source, use)


def differing_types(layers: Sequence[RawLayer], found: ImpossibleValues) -> Iterator[Use]:
    """Yield the uses of tensors that layers state in different types: what converts one writes another."""
    stated: dict[str, tuple[Use, dict[str, Any]]] = {}
    odd: dict[str, list[Use]] = {}
    both = [(use, item) for side in ("Outputs", "Inputs") for use, item in _uses(layers, side)]
    writes = Counter(text(item.get("Name")) for use, item in both if use.side == "Outputs")
    for use, item in both:
        name = text(item.get("Name"))
        if not name or writes[name] > 1:
            continue
        first, known = stated.setdefault(name, (use, item))
        if known is item or _format(known) == _format(item):
            continue
        types = [read_format(each).data_type for each in (known, item)]
        if UNKNOWN not in types and types[0] != types[1]:
            why = f"is {types[0]} in '{layers[first.layer].name[:_LONGEST_NAME]}'"
            found.refuse(_place(layers, use, name), types[1], why)
            odd.setdefault(name, [first]).append(use)
    yield from (use for uses in odd.values() for use in uses)


def times(extents: Sequence[int]) -> str:
    """Return extents as messages show them."""
    return TIMES.join(map(str, extents))


def _uses(layers: Sequence[RawLayer], side: str) -> Iterator[tuple[Use, dict[str, Any]]]:
    """Yield the tensors on a side of all layers whose extents are a list."""
    for at, raw in enumerate(layers):
        items = raw.record.get(side)
        for place, item in enumerate(items if isinstance(items, list) else ()):
            extents = item.get("Dimensions") if isinstance(item, dict) else None
            if isinstance(extents, list):
                yield Use(at, side, extents, place), item


def _elements(use: Use) -> int:
    """Return how many elements a tensor has; 0 where an extent is not known."""
    known = known_extents(use.extents)
    return math.prod(known) if known and min(known) > 0 else 0


def _format(item: dict[str, Any]) -> object:
    return [item.get(key) for key in ("Format/Datatype", "Format", "Datatype", "DataType")]


def _place(layers: Sequence[RawLayer], use: Use, name: str) -> str:
    return f"'{layers[use.layer].name[:_LONGEST_NAME]}'.{use.side}.{name[:_LONGEST_NAME]}"

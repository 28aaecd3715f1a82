"""Check what layers list as their tensors: each has a name and extents, and is written once."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from trexreport.numbers import middle_ellipsis
from trexreport.reader.graph_file import RawLayer
from trexreport.reader.impossible import ImpossibleValues, quoted
from trexreport.reader.values import records, text

_SIDES = ("Inputs", "Outputs")


def check_tensor_lists(layers: Sequence[RawLayer], found: ImpossibleValues) -> Iterator[RawLayer]:
    """Yield the layers without tensors that they list as outputs twice.

    A tensor without a name, or without extents where most have them, is noted; the extents count as unknown
    for another reason than those of dynamic tensors.
    """
    listed = [item for raw in layers for key in _SIDES for item in records(raw.record.get(key))]
    have_extents = 2 * sum(["Dimensions" in item for item in listed]) > len(listed)
    for raw in layers:
        changes: dict[str, Any] = {}
        for key in _SIDES:
            items = raw.record.get(key)
            if not isinstance(items, list) or not all(isinstance(item, dict) for item in items):
                continue
            kept = list(_checked(items, f"{quoted(raw.name)}.{key}", found, have_extents=have_extents))
            if kept != items:
                changes[key] = kept
        yield RawLayer(raw.name, {**raw.record, **changes}) if changes else raw


def _checked(
    items: Sequence[dict[str, Any]], place: str, found: ImpossibleValues, *, have_extents: bool
) -> Iterator[dict[str, Any]]:
    may_be_twice = len(items) > 1 and place.endswith("Outputs")
    written: set[str] = set()
    for at, item in enumerate(items):
        name = middle_ellipsis(text(item.get("Name")), 60)
        if item.get("Name") == "":
            found.refuse(f"{place}[{at}].Name", "", "is not the name of a tensor")
        elif may_be_twice and (stated := repr(item)) in written:
            found.refuse(f"{place}[{at}]", name, "is listed twice")
            continue
        elif may_be_twice:
            written.add(stated)
        if have_extents and "Dimensions" not in item:
            found.refused.setdefault(f"{place}.{name}", f"{place}.{name} has no Dimensions")
            yield {**item, "Dimensions": [None]}
        else:
            yield item

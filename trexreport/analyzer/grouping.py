"""Add up layers that share a property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from typing import TypeVar

from trexreport.analyzer.analysis import NOT_STATED, Group, LayerFacts

KeyT = TypeVar("KeyT")
ItemT = TypeVar("ItemT")


def group_by(items: Iterable[ItemT], key: Callable[[ItemT], KeyT]) -> dict[KeyT, list[ItemT]]:
    """Return the items by key, in the order in which the keys first occur."""
    found: dict[KeyT, list[ItemT]] = {}
    for item in items:
        found.setdefault(key(item), []).append(item)
    return found


def sum_known(values: Iterable[float | None]) -> float | None:
    """Return the sum of the values that are known, or None where none is."""
    known = [value for value in values if value is not None]
    return math.fsum(known) if known else None


def group_layers(layers: Iterable[LayerFacts], name_of: Callable[[LayerFacts], str]) -> list[Group]:
    """Return one group for each value of a property, by time, then by count, then by name.

    Structural layers count only where they took time: a no-op that costs nothing is not part of any total.
    """
    counted = (layer for layer in layers if not layer.structural or layer.avg_ms)
    groups = [
        Group(
            name=name,
            count=len(found),
            time_ms=sum_known(layer.avg_ms for layer in found),
            share_percent=sum_known(layer.share_percent for layer in found),
        )
        for name, found in group_by(counted, lambda layer: name_of(layer) or NOT_STATED).items()
    ]
    return sorted(groups, key=lambda group: (-(group.time_ms or 0.0), -group.count, group.name))

"""Add up layers that share a property."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
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
    figures: dict[str, list[tuple[float | None, float | None]]] = {}
    for layer in layers:
        if layer.avg_ms or not layer.structural:
            figures.setdefault(name_of(layer) or NOT_STATED, []).append((layer.avg_ms, layer.share_percent))
    groups = [_group(name, *zip(*found, strict=True)) for name, found in figures.items()]
    return sorted(groups, key=lambda group: (-(group.time_ms or 0.0), -group.count, group.name))


def _group(name: str, times_ms: Sequence[float | None], shares: Sequence[float | None]) -> Group:
    return Group(name, len(times_ms), sum_known(times_ms), sum_known(shares))
